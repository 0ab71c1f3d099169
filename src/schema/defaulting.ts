// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "./go-text.ts";
import { copyJson, getOwn, type MutableJson, propertySchema, setOwn, valueSchema } from "./json.ts";
import type { Schema } from "./types.ts";

/**
 * Fills the defaults of a schema into a value, in place. A null counts as missing where the schema does not allow null
 * and has a default; the value of a default gets the defaults below it too.
 */
export function applyDefaults(value: MutableJson | undefined, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      if (item === null && isDefaultable(schema.items)) value[at] = copyJson(schema.items?.default);
      applyDefaults(value[at], schema.items);
    }
    return;
  }
  if (value === null || typeof value !== "object") return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || property.default === null) continue;
    const present = getOwn(value, name);
    if (present === undefined || (present === null && !property.nullable))
      setOwn(value, name, copyJson(property.default));
  }
  const values = valueSchema(schema);
  for (const name of Object.keys(value)) {
    const property = propertySchema(schema, name);
    if (property === undefined && value[name] === null && isDefaultable(values))
      setOwn(value, name, copyJson(values?.default));
    applyDefaults(getOwn(value, name), property ?? values);
  }
}

function isDefaultable(schema: Schema | undefined): boolean {
  return schema !== undefined && !schema.nullable && schema.default !== undefined;
}

/** Removes nulls where the schema neither allows null nor has a default, in place: they count as not given. */
export function dropNulls(value: MutableJson | undefined, schema: Schema | undefined): void {
  if (isList(value)) {
    for (const item of value) dropNulls(item, schema?.items);
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const schemaOfIt = propertySchema(schema, name) ?? valueSchema(schema);
    const hasDefault = schemaOfIt?.default !== undefined && schemaOfIt.default !== null;
    if (value[name] === null && schemaOfIt !== undefined && !schemaOfIt.nullable && !hasDefault) delete value[name];
    else dropNulls(getOwn(value, name), schemaOfIt);
  }
}
