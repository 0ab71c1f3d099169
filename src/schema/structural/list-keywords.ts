// SPDX-License-Identifier: Apache-2.0
import { append } from "../append.ts";
import { propertySchema } from "../json.ts";
import { child, key, type Place } from "../place.ts";
import { at, forbidden, invalid, notSupported, required } from "../problems.ts";
import type { Problem, Schema } from "../types.ts";

/** What is wrong with a schema's list and map types, map keys, and preserve-unknown-fields. */
export function extensionProblems(schema: Schema, place: Place): Problem[] {
  return [...typeProblems(schema, place), ...listMapProblems(schema, place), ...mapKeyProblems(schema, place)];
}

function typeProblems(schema: Schema, place: Place): Problem[] {
  const problems: Problem[] = [];
  const preserve = "x-kubernetes-preserve-unknown-fields";
  if (schema[preserve] === false)
    problems.push(invalid(at(child(place, preserve)), false, "must be true or undefined"));
  for (const [name, type, supported] of [
    ["x-kubernetes-map-type", "object", ["atomic", "granular"]],
    ["x-kubernetes-list-type", "array", ["atomic", "set", "map"]],
  ] as const) {
    const value: string | undefined = schema[name];
    if (value === undefined) continue;
    const where = at(child(place, "type"));
    const words = `must be ${type} if ${name} is specified`;
    if (schema.type === undefined) problems.push(required(where, words));
    else if (schema.type !== type) problems.push(invalid(where, schema.type, words));
    const known: readonly string[] = supported;
    if (!known.includes(value)) problems.push(notSupported(at(child(place, name)), value, known));
  }
  if (schema.type === "array" && schema["x-kubernetes-list-type"] === "set")
    append(problems, setItemProblems(schema, place));
  return problems;
}

function setItemProblems({ items }: Schema, place: Place): Problem[] {
  const words = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  const where = child(place, "items");
  if (items?.type === "array" && listType !== undefined && listType !== "atomic")
    return [invalid(at(child(where, "x-kubernetes-list-type")), listType, words)];
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic")
    return [invalid(at(child(where, "x-kubernetes-map-type")), listType ?? null, words)];
  return [];
}

function listMapProblems(schema: Schema, place: Place): Problem[] {
  const problems: Problem[] = [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const type = schema["x-kubernetes-list-type"];
  const keysPlace = child(place, "x-kubernetes-list-map-keys");
  const typePlace = child(place, "x-kubernetes-list-type");
  const mustBeMap = "must be map if x-kubernetes-list-map-keys is non-empty";
  if (keys.length > 0 && type === undefined) problems.push(required(at(typePlace), mustBeMap));
  else if (keys.length > 0 && type !== "map") problems.push(invalid(at(typePlace), type, mustBeMap));
  if (type !== "map") return problems;
  if (keys.length === 0) problems.push(required(at(keysPlace), "must not be empty if x-kubernetes-list-type is map"));
  const { items } = schema;
  if (items === undefined) {
    problems.push(required(at(child(place, "items")), "must have a schema if x-kubernetes-list-type is map"));
    return problems;
  }
  if (items.type !== "object") {
    const where = child(child(place, "items"), "type");
    problems.push(
      invalid(at(where), items.type ?? "", "must be object if parent array's x-kubernetes-list-type is map"),
    );
    return problems;
  }
  for (const [position, name] of keys.entries()) {
    const property = propertySchema(items, name);
    const where = key(child(child(place, "items"), "properties"), name);
    if (property === undefined)
      problems.push(invalid(at(keysPlace), keys, "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object")
      problems.push(
        invalid(
          at(child(where, "type")),
          items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (keys.indexOf(name) < position)
      problems.push(invalid(at(keysPlace), keys, "must not contain duplicate entries"));
  }
  return problems;
}

/** Keys of a list-type map must always be there, and items of sets and maps may not be null. */
function mapKeyProblems(schema: Schema, place: Place): Problem[] {
  const type = schema["x-kubernetes-list-type"];
  const { items } = schema;
  if (items === undefined || (type !== "set" && type !== "map")) return [];
  const problems: Problem[] = [];
  const itemsPlace = child(place, "items");
  if (items.nullable)
    problems.push(
      forbidden(at(child(itemsPlace, "nullable")), `cannot be nullable when x-kubernetes-list-type is ${type}`),
    );
  for (const name of type === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : []) {
    const property = propertySchema(items, name);
    const where = key(child(itemsPlace, "properties"), name);
    const words = "this property is in x-kubernetes-list-map-keys, so it";
    if (property === undefined) continue;
    if (!items.required?.includes(name) && property.default === undefined)
      problems.push(required(at(child(where, "default")), `${words} must have a default or be a required property`));
    if (property.nullable) problems.push(forbidden(at(child(where, "nullable")), `${words} cannot be nullable`));
  }
  return problems;
}
