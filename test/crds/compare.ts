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
    ...previous.spec.versions.flatMap((version) => {
      const same = next.spec.versions.find(({ name }) => name === version.name);
      if (same === undefined) return [`version ${version.name} removed`];
      return [
        ...columnLosses(version.additionalPrinterColumns, same.additionalPrinterColumns),
        ...schemaLosses(version.schema.openAPIV3Schema, same.schema.openAPIV3Schema, ""),
      ];
    }),
  ].map((finding) => `${kind} ${finding}`);
}

function nameLosses({ spec: previous }: CustomResourceDefinition, { spec: next }: CustomResourceDefinition): string[] {
  return [
    ...(previous.group === next.group ? [] : [`group changed from ${previous.group}`]),
    ...(previous.scope === next.scope ? [] : [`scope changed from ${previous.scope}`]),
    ...(previous.names.plural === next.names.plural ? [] : [`plural changed from ${previous.names.plural}`]),
    ...previous.names.shortNames
      .filter((name) => !next.names.shortNames.includes(name))
      .map((name) => `short name ${name} removed`),
  ];
}

type Columns = CustomResourceDefinition["spec"]["versions"][number]["additionalPrinterColumns"];

function columnLosses(previous: Columns, next: Columns): string[] {
  return previous
    .filter(({ name }) => !next.some((column) => column.name === name))
    .map(({ name }) => `column ${name} removed`);
}

/** Keywords by which a schema gets narrower when they appear or grow. */
const LEAST = ["minimum", "minLength", "minItems", "minProperties"] as const;
/** Keywords by which a schema gets narrower when they appear or shrink. */
const MOST = ["maximum", "maxLength", "maxItems", "maxProperties"] as const;
/** Keywords of which nobody can tell in general whether a change is narrower. */
const EXACT = [
  "type",
  "format",
  "pattern",
  "default",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
] as const;

function schemaLosses(previous: Schema, next: Schema, path: string): string[] {
  const at = path === "" ? "the object" : path;
  return [
    ...LEAST.filter((key) => (next[key] ?? Number.NEGATIVE_INFINITY) > (previous[key] ?? Number.NEGATIVE_INFINITY)).map(
      (key) => `${at}: ${key} is ${next[key]}`,
    ),
    ...MOST.filter((key) => (next[key] ?? Number.POSITIVE_INFINITY) < (previous[key] ?? Number.POSITIVE_INFINITY)).map(
      (key) => `${at}: ${key} is ${next[key]}`,
    ),
    ...EXACT.filter(
      (key) => !isDeepStrictEqual(previous[key], next[key]) && !isWider(key, previous[key], next[key]),
    ).map((key) => `${at}: ${key} changed from ${shown(previous[key])} to ${shown(next[key])}`),
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

/** A default where there was none, a pattern that is gone, and a pattern that has the old one as an alternative lose nothing. */
function isWider(key: (typeof EXACT)[number], previous: unknown, next: unknown): boolean {
  if (key === "default") return previous === undefined;
  if (key !== "pattern" || typeof previous !== "string") return false;
  return next === undefined || String(next).startsWith(`^(${previous.slice(1, -1)}|`);
}

function shown(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}

function openLosses(previous: Schema, next: Schema, at: string): string[] {
  const open = "x-kubernetes-preserve-unknown-fields";
  const isClosed = (schema: Schema) => !schema[open] && !schema.additionalProperties;
  return (previous[open] || previous.additionalProperties) && isClosed(next)
    ? [`${at}: unknown fields are dropped`]
    : [];
}

function childLosses(previous: Schema, next: Schema, path: string): string[] {
  const properties = Object.entries(previous.properties ?? {}).flatMap(([name, schema]) => {
    const same = next.properties?.[name];
    if (same !== undefined) return schemaLosses(schema, same, join(path, name));
    return next["x-kubernetes-preserve-unknown-fields"] ? [] : [`${join(path, name)}: removed`];
  });
  const items = previous.items && next.items ? schemaLosses(previous.items, next.items, `${path}[]`) : [];
  const [was, is] = [previous.additionalProperties, next.additionalProperties];
  const values = typeof was === "object" && typeof is === "object" ? schemaLosses(was, is, `${path}.*`) : [];
  return [...properties, ...items, ...values];
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
