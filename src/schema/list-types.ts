// SPDX-License-Identifier: Apache-2.0
import { append } from "./append.ts";
import { isList, isObject, jsonText } from "./go-text.ts";
import { getOwn, propertySchema, setOwn, valueSchema } from "./json.ts";
import { child, index, key, type Place } from "./place.ts";
import { at, duplicate, invalid } from "./problems.ts";
import type { Json, Problem, Schema } from "./types.ts";

/** The duplicates in lists of type `set` and `map`, anywhere in a value. Each one is reported where it appears again. */
export function listTypeProblems(schema: Schema, value: Json, place: Place): Problem[] {
  if (isList(value)) return listProblems(schema, value, place);
  if (!isObject(value)) return [];
  const problems: Problem[] = [];
  const values = valueSchema(schema);
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    if (values !== undefined) append(problems, listTypeProblems(values, item, key(place, name)));
    const property = propertySchema(schema, name);
    if (property !== undefined) append(problems, listTypeProblems(property, item, child(place, name)));
  }
  return problems;
}

function listProblems(schema: Schema, items: readonly Json[], place: Place): Problem[] {
  const type = schema["x-kubernetes-list-type"];
  const problems: Problem[] = [];
  if (type === "set")
    for (const repeated of repeatedAt(items)) problems.push(duplicate(at(index(place, repeated)), items[repeated]));
  else if (type === "map") append(problems, mapProblems(schema, items, place));
  if (schema.items !== undefined)
    for (const [position, item] of items.entries())
      append(problems, listTypeProblems(schema.items, item, index(place, position)));
  return problems;
}

function mapProblems(schema: Schema, items: readonly Json[], place: Place): Problem[] {
  const wrong = items.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0)
    return [invalid(at(index(place, wrong)), items[wrong], "must be an object for an array of list-type map")];
  const names = schema["x-kubernetes-list-map-keys"] ?? [];
  const keys = items.map((item) => keysOf(item, names));
  return repeatedAt(keys).map((repeated) => duplicate(at(index(place, repeated)), keys[repeated]));
}

function keysOf(item: Json, names: readonly string[]): Json {
  const keys: { [name: string]: Json } = {};
  if (!isObject(item)) return keys;
  for (const name of names) {
    const value = getOwn(item, name);
    if (value !== undefined) setOwn(keys, name, value);
  }
  return keys;
}

/** Where a value appears for the second time; later appearances are not reported again. */
function repeatedAt(items: readonly Json[]): number[] {
  const seen = new Map<string, number>();
  const repeated: number[] = [];
  for (const [position, item] of items.entries()) {
    const text = jsonText(item);
    const times = seen.get(text) ?? 0;
    if (times === 1) repeated.push(position);
    seen.set(text, times + 1);
  }
  return repeated;
}
