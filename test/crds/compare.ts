// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { CustomResourceDefinition } from "../../src/api/crd.ts";
import type { Schema } from "../../src/schema/types.ts";

/**
 * What a user of the previous CRD loses with the next one: fields and values that were accepted and are no more, columns and
 * names that are gone, defaults that differ. Each finding is one line that starts with kind and field. Additions are not findings.
 */
export function losses(previous: CustomResourceDefinition, next: CustomResourceDefinition): string[] {
  const kind = previous.spec.names.kind;
  return [
    ...nameLosses(previous, next),
    ...previous.spec.versions.flatMap((version) =>
      versionLosses(
        version,
        next.spec.versions.find(({ name }) => name === version.name),
      ),
    ),
  ].map((finding) => `${kind} ${finding}`);
}

function nameLosses({ spec: previous }: CustomResourceDefinition, { spec: next }: CustomResourceDefinition): string[] {
  const changed = (["kind", "listKind", "plural", "singular"] as const).filter(
    (key) => previous.names[key] !== next.names[key],
  );
  return [
    ...(previous.group === next.group ? [] : [`group changed from ${previous.group}`]),
    ...(previous.scope === next.scope ? [] : [`scope changed from ${previous.scope}`]),
    ...changed.map((key) => `${key} changed from ${previous.names[key]}`),
    ...previous.names.shortNames
      .filter((name) => !next.names.shortNames.includes(name))
      .map((name) => `short name ${name} removed`),
  ];
}

type Version = CustomResourceDefinition["spec"]["versions"][number];

function versionLosses(previous: Version, next: Version | undefined): string[] {
  if (next === undefined || (previous.served && !next.served)) return [`version ${previous.name} removed`];
  return [
    ...Object.keys(previous.subresources)
      .filter((name) => !(name in next.subresources))
      .map((name) => `subresource ${name} removed`),
    ...columnLosses(previous.additionalPrinterColumns, next.additionalPrinterColumns),
    ...schemaLosses(previous.schema.openAPIV3Schema, next.schema.openAPIV3Schema, ""),
  ];
}

type Columns = Version["additionalPrinterColumns"];

function columnLosses(previous: Columns, next: Columns): string[] {
  return previous.flatMap((column) => {
    const same = next.find(({ name }) => name === column.name);
    if (same === undefined) return [`column ${column.name} removed`];
    return isDeepStrictEqual(column, same) ? [] : [`column ${column.name} changed`];
  });
}

/** Keywords by which a schema gets narrower when they appear or grow. */
const LEAST = ["minimum", "minLength", "minItems", "minProperties"] as const;
/** Keywords by which a schema gets narrower when they appear or shrink. */
const MOST = ["maximum", "maxLength", "maxItems", "maxProperties"] as const;
/** Keywords that are compared in ways of their own, and those that promise nothing. All others must stay as they are. */
const COMPARED: ReadonlySet<string> = new Set([
  ...LEAST,
  ...MOST,
  "enum",
  "required",
  "nullable",
  "properties",
  "items",
  "additionalProperties",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
  "description",
  "title",
  "example",
]);

function schemaLosses(previous: Schema, next: Schema, path: string): string[] {
  const at = path === "" ? "the object" : path;
  return [
    ...LEAST.filter((key) => (next[key] ?? Number.NEGATIVE_INFINITY) > (previous[key] ?? Number.NEGATIVE_INFINITY)).map(
      (key) => `${at}: ${key} is ${next[key]}`,
    ),
    ...MOST.filter((key) => (next[key] ?? Number.POSITIVE_INFINITY) < (previous[key] ?? Number.POSITIVE_INFINITY)).map(
      (key) => `${at}: ${key} is ${next[key]}`,
    ),
    ...otherLosses(previous, next, at),
    ...enumLosses(previous, next, at),
    ...(next.required ?? [])
      .filter((name) => !previous.required?.includes(name))
      .map((name) => `${join(path, name)}: is required`),
    ...ruleLosses(previous, next, path),
    ...(previous.nullable && !next.nullable ? [`${at}: is not nullable`] : []),
    ...openLosses(previous, next, at),
    ...childLosses(previous, next, path),
  ];
}

function enumLosses(previous: Schema, next: Schema, at: string): string[] {
  if (next.enum === undefined) return [];
  if (previous.enum === undefined) return [`${at}: only ${next.enum.join(", ")}`];
  return previous.enum.filter((value) => !next.enum?.includes(value)).map((value) => `${at}: ${value} is refused`);
}

function ruleLosses(previous: Schema, next: Schema, path: string): string[] {
  const known = new Set(previous["x-kubernetes-validations"]?.map(({ rule }) => rule));
  const added = next["x-kubernetes-validations"]?.filter(({ rule }) => !known.has(rule)) ?? [];
  return added.map(
    ({ message, rule, fieldPath = "" }) => `${(path + fieldPath).replace(/^\./, "")}: ${message ?? rule}`,
  );
}

/** Of any other keyword nobody can tell in general whether a change is narrower, so each counts. */
function otherLosses(previous: Schema, next: Schema, at: string): string[] {
  const [was, is] = [new Map(Object.entries(previous)), new Map(Object.entries(next))];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((key) => !COMPARED.has(key) && !isDeepStrictEqual(was.get(key), is.get(key)))
    .filter((key) => !isWider(key, was.get(key), is.get(key)))
    .map((key) => `${at}: ${key} changed from ${shown(was.get(key))} to ${shown(is.get(key))}`);
}

/** A default where there was none, a longer number, a pattern that is gone or has the old one as an alternative lose nothing. */
function isWider(key: string, previous: unknown, next: unknown): boolean {
  if (key === "default") return previous === undefined;
  if (key === "format") return previous === "int32" && next === "int64";
  if (key !== "pattern" || typeof previous !== "string") return false;
  if (typeof next !== "string") return true;
  const start = `^(${previous.slice(1, -1)}|`;
  return next.startsWith(start) && next.endsWith(")$") && isBalanced(next.slice(start.length, -2));
}

/** Whether no bracket of the text closes one that was opened before it. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function shown(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}

function openLosses(previous: Schema, next: Schema, at: string): string[] {
  const open = "x-kubernetes-preserve-unknown-fields";
  const wasOpen = previous[open] === true;
  const typed = wasOpen ? Object.keys(next.properties ?? {}).filter((name) => !previous.properties?.[name]) : [];
  const isClosed = wasOpen ? !next[open] : previous.additionalProperties && !next[open] && !next.additionalProperties;
  return [
    ...(isClosed ? [`${at}: unknown fields are dropped`] : []),
    ...typed.map((name) => `${at}.${name}: is checked`),
  ];
}

function childLosses(previous: Schema, next: Schema, path: string): string[] {
  const properties = Object.entries(previous.properties ?? {}).flatMap(([name, schema]) => {
    const same = next.properties?.[name];
    if (same !== undefined) return schemaLosses(schema, same, join(path, name));
    return next["x-kubernetes-preserve-unknown-fields"] ? [] : [`${join(path, name)}: removed`];
  });
  const items = previous.items ? schemaLosses(previous.items, next.items ?? {}, `${path}[]`) : [];
  const [was, is] = [previous.additionalProperties, next.additionalProperties];
  const values = typeof was === "object" && typeof is === "object" ? schemaLosses(was, is, `${path}.*`) : [];
  return [...properties, ...items, ...values];
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
