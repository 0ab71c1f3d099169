// SPDX-License-Identifier: Apache-2.0
import { valueSchema } from "../json.ts";
import type { Schema } from "../types.ts";
import { escapeName } from "./escape.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from "./types.ts";

const META: Schema = {
  type: "object",
  properties: { name: { type: "string" }, generateName: { type: "string" } },
};

/**
 * A resource's schema with what rules may always use: apiVersion, kind, and name and generateName of the metadata,
 * whatever the schema says of them.
 */
export function withTypeMeta(schema: Schema): Schema {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const isComplete =
    kind?.type === "string" &&
    apiVersion?.type === "string" &&
    metadata?.type === "object" &&
    metadata.properties?.name?.type === "string" &&
    metadata.properties.generateName?.type === "string";
  if (isComplete) return schema;
  return {
    ...schema,
    properties: { ...schema.properties, kind: { type: "string" }, apiVersion: { type: "string" }, metadata: META },
  };
}

/**
 * The type that rules see for a schema; undefined for what they cannot see: values without a type, lists and maps of
 * such, and properties whose names cannot be written. `name` names the structs in it.
 */
export function schemaType(schema: Schema, name: string, isResource: boolean): CelType | undefined {
  if (schema["x-kubernetes-int-or-string"]) return DYN;
  switch (schema.type) {
    case "array": {
      const { items } = schema;
      const element = items === undefined ? undefined : below(items, `${name}.@idx`);
      return element === undefined ? undefined : listOf(element);
    }
    case "object":
      return objectType(isResource ? withTypeMeta(schema) : schema, name);
    case "string":
      return stringType(schema.format);
    case "boolean":
      return BOOL;
    case "number":
      return DOUBLE;
    case "integer":
      return INT;
    default:
      return undefined;
  }
}

function below(schema: Schema, name: string): CelType | undefined {
  return schemaType(schema, name, schema["x-kubernetes-embedded-resource"] === true);
}

function objectType(schema: Schema, name: string): CelType | undefined {
  const values = valueSchema(schema);
  if (values !== undefined) {
    const value = below(values, `${name}.@elem`);
    return value === undefined ? undefined : mapOf(STRING, value);
  }
  const fields = new Map<string, CelType>();
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(property);
    const type = escaped === undefined ? undefined : below(propertySchema, `${name}.${escaped}`);
    if (escaped !== undefined && type !== undefined) fields.set(escaped, type);
  }
  return struct(name, fields);
}

function stringType(format: string | undefined): CelType {
  if (format === "byte") return BYTES;
  if (format === "duration") return DURATION;
  return format === "date" || format === "date-time" ? TIMESTAMP : STRING;
}
