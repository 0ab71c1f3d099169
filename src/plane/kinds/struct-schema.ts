// SPDX-License-Identifier: Apache-2.0
import type { Schema } from "../../schema/index.ts";
import type { Field, Merging, Struct, ValueType } from "./fields.ts";

/** A schema with what strategic merge patches go by. */
export interface PatchSchema extends Schema {
  "x-kubernetes-patch-strategy"?: string;
  "x-kubernetes-patch-merge-key"?: string;
}

/** How often a struct may contain itself before its schema just takes anything: JSON schemas do. */
const MAX_NESTING = 10;

const names = new WeakMap<Schema, string>();
const made = new WeakMap<Struct, PatchSchema>();

/**
 * The name under which OpenAPI documents define this schema, such as `io.k8s.api.core.v1.NamespaceSpec`. Undefined for
 * schemas that have no definition of their own. Schemas of one name describe the same struct.
 */
export function definitionName(schema: Schema): string | undefined {
  return names.get(schema);
}

/** The schema of a struct, made once. */
export function schemaOf(struct: Struct): PatchSchema {
  const known = made.get(struct);
  if (known !== undefined) return known;
  const schema = structSchema(struct, 0);
  made.set(struct, schema);
  return schema;
}

function structSchema(struct: Struct, depth: number): PatchSchema {
  const properties: Record<string, Schema> = {};
  for (const [name, field] of Object.entries(struct.fields)) properties[name] = fieldSchema(field, { struct, depth });
  const required = Object.keys(struct.fields).filter((name) => struct.fields[name]?.isRequired);
  const schema: PatchSchema = {
    type: "object",
    description: struct.about,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(struct.isAtomic ? { "x-kubernetes-map-type": "atomic" as const } : {}),
  };
  names.set(schema, struct.name);
  return schema;
}

/** The struct that a schema is for, and how often it is inside itself already. */
interface Outer {
  readonly struct: Struct;
  readonly depth: number;
}

/** The field's own description wins; the definition stays the same one. */
function fieldSchema({ type, about }: Field, outer: Outer): PatchSchema {
  const schema = valueSchema(type, outer);
  const described: PatchSchema = { ...schema, description: about };
  const name = names.get(schema);
  if (name !== undefined) names.set(described, name);
  return described;
}

function valueSchema(type: ValueType, outer: Outer): PatchSchema {
  switch (type.is) {
    case "text":
      return { type: "string", ...(type.choices === undefined ? {} : { enum: type.choices }) };
    case "boolean":
      return { type: "boolean" };
    case "integer":
      return { type: "integer", format: `int${type.bits}` };
    case "number":
      return { type: "number", format: "double" };
    case "bytes":
      return { type: "string", format: "byte" };
    case "time":
      return withName({ type: "string", format: "date-time" }, type.isMicro ? "MicroTime" : "Time");
    case "quantity":
      return quantitySchema();
    case "anything":
    case "struct or":
      return { "x-kubernetes-preserve-unknown-fields": true };
    case "list":
      return { type: "array", items: valueSchema(type.of, outer), ...mergingSchema(type.merging) };
    case "map":
      return {
        type: "object",
        additionalProperties: valueSchema(type.of, outer),
        ...(type.isGranular ? { "x-kubernetes-map-type": "granular" as const } : {}),
      };
    case "struct":
      return innerSchema(type, outer);
  }
}

function innerSchema(type: Extract<ValueType, { is: "struct" }>, { struct, depth }: Outer): PatchSchema {
  const inner = type.struct();
  if (inner !== struct) return schemaOf(inner);
  if (type.isOpaque !== true && depth < MAX_NESTING) return structSchema(inner, depth + 1);
  const schema: PatchSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  names.set(schema, inner.name);
  return schema;
}

function withName(schema: PatchSchema, name: string): PatchSchema {
  names.set(schema, `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`);
  return schema;
}

function quantitySchema(): PatchSchema {
  const schema: PatchSchema = { "x-kubernetes-int-or-string": true };
  names.set(schema, "io.k8s.apimachinery.pkg.api.resource.Quantity");
  return schema;
}

function mergingSchema(merging: Merging): PatchSchema {
  if (merging.type === "atomic") return { "x-kubernetes-list-type": "atomic" };
  const patch: PatchSchema = merging.patch ? { "x-kubernetes-patch-strategy": "merge" } : {};
  if (merging.type === "set") return { "x-kubernetes-list-type": "set", ...patch };
  const [mergeKey] = merging.keys;
  return {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": merging.keys,
    ...patch,
    ...(merging.patch && mergeKey !== undefined ? { "x-kubernetes-patch-merge-key": mergeKey } : {}),
  };
}
