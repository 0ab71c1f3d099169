// SPDX-License-Identifier: Apache-2.0
import type { Schema } from "../../src/schema/types.ts";

/** A schema with one rule fewer than the one it was made from. */
export interface Mutant {
  /** The rule that is gone, for example `spec.cpu: minimum`. */
  rule: string;
  schema: Schema;
}

/** Every mutant of a schema, one per rule. Types and int64 are not rules: no schema is valid without the one, no JSON breaks the other. */
export function* mutants(schema: Schema): Generator<Mutant> {
  for (const { rule, edit } of edits(schema, "")) {
    const copy = structuredClone(schema);
    edit(copy);
    yield { rule, schema: copy };
  }
}

interface Edit {
  rule: string;
  /** Removes the rule, given the root of a copy. */
  edit(root: Schema): void;
}

const REMOVABLE = ["enum", "minimum", "maximum", "minLength", "pattern", "minItems"] as const;
/** Raised, not removed: without a limit the API server finds the CEL rules on the value too costly. */
const RAISABLE = ["maxLength", "maxItems"] as const;

function* edits(schema: Schema, path: string): Generator<Edit> {
  yield* own(schema, path || "the object");
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    yield* below(edits(child, path === "" ? name : `${path}.${name}`), (parent) => parent.properties?.[name]);
  }
  if (schema.items) yield* itemEdits(schema, schema.items, path);
  if (typeof schema.additionalProperties === "object") {
    yield* below(edits(schema.additionalProperties, `${path}.*`), ({ additionalProperties: values }) =>
      typeof values === "object" ? values : undefined,
    );
  }
}

/** A list map's key must be required: a mutant whose key is not is one whose list is no map either. */
function* itemEdits(list: Schema, items: Schema, path: string): Generator<Edit> {
  const keys = (list["x-kubernetes-list-map-keys"] ?? []).map((key) => `${path}[].${key}: required`);
  for (const { rule, edit } of below(edits(items, `${path}[]`), (parent) => parent.items)) {
    yield {
      rule,
      edit(root) {
        if (keys.includes(rule)) dropListMap(root);
        edit(root);
      },
    };
  }
}

function* below(children: Iterable<Edit>, step: (parent: Schema) => Schema | undefined): Generator<Edit> {
  for (const { rule, edit } of children) {
    yield {
      rule,
      edit(root) {
        const child = step(root);
        if (child !== undefined) edit(child);
      },
    };
  }
}

function own(schema: Schema, at: string): Edit[] {
  const has = (key: keyof Schema) => schema[key] !== undefined;
  return [
    ...REMOVABLE.filter(has).map((key) => ({ rule: `${at}: ${key}`, edit: (mine: Schema) => void delete mine[key] })),
    ...RAISABLE.filter(has).map((key) => ({
      rule: `${at}: ${key}`,
      edit: (mine: Schema) => void Object.assign(mine, { [key]: 2 * (mine[key] ?? 0) }),
    })),
    ...(schema.format === "int32" || schema.format === "date-time"
      ? [{ rule: `${at}: format`, edit: (mine: Schema) => void delete mine.format }]
      : []),
    ...(has("x-kubernetes-list-map-keys") ? [{ rule: `${at}: list map`, edit: dropListMap }] : []),
    ...(schema.required ?? []).map((name) => ({
      rule: `${at === "the object" ? "" : `${at}.`}${name}: required`,
      edit: (mine: Schema) => dropRequired(mine, name),
    })),
    ...(schema["x-kubernetes-validations"] ?? []).map(({ message }, index) => ({
      rule: `${at}: rule ${index} (${message})`,
      edit: (mine: Schema) => dropRule(mine, index),
    })),
  ];
}

function dropRequired(schema: Schema, name: string): void {
  const rest = schema.required?.filter((other) => other !== name) ?? [];
  if (rest.length > 0) schema.required = rest;
  else delete schema.required;
}

function dropRule(schema: Schema, index: number): void {
  const rest = schema["x-kubernetes-validations"]?.filter((_, other) => other !== index) ?? [];
  if (rest.length > 0) schema["x-kubernetes-validations"] = rest;
  else delete schema["x-kubernetes-validations"];
}

function dropListMap(schema: Schema): void {
  delete schema["x-kubernetes-list-type"];
  delete schema["x-kubernetes-list-map-keys"];
}
