// SPDX-License-Identifier: Apache-2.0
import { isInt64, isList, isObject, jsonText } from "../go-text.ts";
import { getOwn, propertySchema, valueSchema } from "../json.ts";
import { parseDate, parseDateTime, parseLooseDuration } from "../time.ts";
import type { Json, Schema } from "../types.ts";
import { equals } from "./equality.ts";
import { escapeName, unescapeName } from "./escape.ts";
import { withTypeMeta } from "./schema-type.ts";
import {
  CelError,
  type CelList,
  type CelMap,
  type CelValue,
  concat,
  duration,
  itemsOf,
  type ListBehaviour,
  NO_OVERLOAD,
  timestamp,
} from "./values.ts";

/** JSON as rules see it by its schema. Made only as deep as it is looked at. Throws a CelError for values that do not fit. */
export function schemaValue(json: Json, schema: Schema): CelValue {
  if (json === null) {
    if (schema.nullable) return null;
    throw new CelError("invalid data, got null for schema with nullable=false");
  }
  if (schema["x-kubernetes-int-or-string"]) {
    if (typeof json === "string") return json;
    if (typeof json === "number" && isInt64(json)) return BigInt(json);
    throw new CelError("invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case "object":
      return objectValue(json, schema["x-kubernetes-embedded-resource"] ? withTypeMeta(schema) : schema);
    case "array":
      return arrayValue(json, schema);
    case "string":
      return stringValue(json, schema.format);
    case "number":
      if (typeof json === "number") return json;
      break;
    case "integer":
      if (typeof json === "number" && isInt64(json)) return BigInt(json);
      break;
    case "boolean":
      if (typeof json === "boolean") return json;
      break;
    default:
      return { kind: "preserved", raw: json };
  }
  const expected = { number: "float", integer: "int", boolean: "bool" }[schema.type];
  throw new CelError(`invalid data, expected ${expected}, got ${goType(json)}`);
}

function goType(json: Json): string {
  if (typeof json === "string") return "string";
  if (typeof json === "boolean") return "bool";
  if (typeof json === "number") return isInt64(json) ? "int64" : "float64";
  return isList(json) ? "[]interface {}" : "map[string]interface {}";
}

function stringValue(json: Json, format: string | undefined): CelValue {
  if (typeof json !== "string") throw new CelError(`invalid data, expected string, got ${goType(json)}`);
  const parsed = (value: CelValue | undefined, words: string): CelValue => {
    if (value === undefined) throw new CelError(`Invalid ${words} ${json}: cannot parse`);
    return value;
  };
  switch (format) {
    case "duration":
      return parsed(mapDefined(parseLooseDuration(json), duration), "duration");
    case "date":
      return parsed(mapDefined(parseDate(json), timestamp), "date formatted string");
    case "date-time":
      return parsed(mapDefined(parseDateTime(json), timestamp), "date-time formatted string");
    case "byte":
      return parsed(decodeUrlBase64(json), "byte formatted string");
    default:
      return json;
  }
}

function mapDefined<T, R>(value: T | undefined, map: (value: T) => R): R | undefined {
  return value === undefined ? undefined : map(value);
}

/** Rules read bytes with the URL alphabet of base64, although the format check wants the standard one. */
function decodeUrlBase64(text: string): Uint8Array | undefined {
  return /^[A-Za-z0-9_-]*={0,2}$/.test(text) ? Buffer.from(text, "base64url") : undefined;
}

function objectValue(json: Json, schema: Schema): CelMap {
  if (!isObject(json)) throw new CelError("invalid data, expected a map for the provided schema with type=object");
  const isStruct = schema.properties !== undefined;
  const values = isStruct ? undefined : valueSchema(schema);
  const schemaOf = (name: string): Schema | undefined => (isStruct ? propertySchema(schema, name) : values);
  return {
    kind: "map",
    raw: json,
    get size() {
      return Object.keys(json).length;
    },
    find(key) {
      if (typeof key !== "string") throw new CelError(NO_OVERLOAD);
      const name = isStruct ? unescapeName(key) : key;
      const value = name === undefined ? undefined : getOwn(json, name);
      // In a struct a null counts as absent; a map's null is a value.
      if (name === undefined || value === undefined || (isStruct && value === null)) return undefined;
      const schemaOfIt = schemaOf(name);
      return schemaOfIt === undefined ? undefined : schemaValue(value, schemaOfIt);
    },
    keys() {
      const known = Object.keys(json).filter((name) => schemaOf(name) !== undefined);
      return isStruct ? known.map((name) => escapeName(name) ?? name) : known;
    },
  };
}

function arrayValue(json: Json, schema: Schema): CelList {
  if (!isList(json)) throw new CelError("invalid data, expected an array for the provided schema with type=array");
  const { items } = schema;
  if (items === undefined) throw new CelError("invalid array type, expected Items with a non-empty Schema");
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") return setList(json, items);
  if (type === "map") return mapList(json, items, schema["x-kubernetes-list-map-keys"] ?? []);
  return rawList(json, items);
}

function rawList(json: readonly Json[], items: Schema): CelList {
  return { kind: "list", size: json.length, raw: json, at: (index) => schemaValue(json[index] ?? null, items) };
}

/** The JSON of a list's items; undefined when it has items that stem from no object. */
function rawItems(list: CelList): Json[] | undefined {
  if (list.raw !== undefined) return [...list.raw];
  const raw: Json[] = [];
  for (const item of itemsOf(list)) {
    if (typeof item === "bigint") raw.push(Number(item));
    else if (item === null || typeof item !== "object") raw.push(item);
    else if ("raw" in item && item.raw !== undefined) raw.push(item.raw);
    else return undefined;
  }
  return raw;
}

function setList(json: readonly Json[], items: Schema): CelList {
  let own: Set<string> | undefined;
  const texts = (): Set<string> => {
    own ??= new Set(json.map(jsonText));
    return own;
  };
  const special: ListBehaviour = {
    equals: (other) => rawItems(other)?.every((item) => texts().has(jsonText(item))) ?? false,
    add: (other) => {
      const added = rawItems(other);
      if (added === undefined) return concat(rawList(json, items), other);
      const seen = new Set(texts());
      const fresh = added.filter((item) => !seen.has(jsonText(item)) && seen.add(jsonText(item)));
      return setList([...json, ...fresh], items);
    },
  };
  return { ...rawList(json, items), special };
}

function mapList(json: readonly Json[], items: Schema, keys: readonly string[]): CelList {
  // The server looks its keys up by their escaped names, so keys such as `my-key` never tell items apart.
  const names = keys.map((name) => escapeName(name) ?? name);
  const keyOf = (item: Json): string =>
    jsonText(names.map((name) => (isObject(item) ? (getOwn(item, name) ?? null) : null)));
  const special: ListBehaviour = {
    equals: (other) => {
      const mine = new Map(json.map((item) => [keyOf(item), item]));
      const theirs = rawItems(other);
      return itemsOf(other).every((item, at) => {
        const match = mine.get(keyOf(theirs?.[at] ?? null));
        return match !== undefined && equals(schemaValue(match, items), item);
      });
    },
    add: (other) => {
      const added = rawItems(other);
      if (added === undefined) return concat(rawList(json, items), other);
      const merged = [...json];
      const positions = new Map(json.map((item, at) => [keyOf(item), at]));
      for (const item of added) {
        const position = positions.get(keyOf(item));
        if (position === undefined) merged.push(item);
        else merged[position] = item;
      }
      return mapList(merged, items, keys);
    },
  };
  return { ...rawList(json, items), special };
}
