// SPDX-License-Identifier: Apache-2.0
import { append } from "../append.ts";
import { deepEqual, propertySchema, valueSchema } from "../json.ts";
import { compilePattern } from "../patterns.ts";
import { child, fieldOf, index, key, type Place } from "../place.ts";
import { at, forbidden, invalid, required } from "../problems.ts";
import type { Json, Problem, Schema } from "../types.ts";

type Level = "root" | "item" | "field";

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

/**
 * What keeps a schema from being structural: every value must have a type on the schema's own spine, and junctors
 * (allOf, anyOf, oneOf, not) may only restrict what that spine declares.
 */
export function shapeProblems(schema: Schema, place: Place): Problem[] {
  return [
    ...invariantProblems(schema, "root", place),
    ...completenessProblems(schema, schema, { spine: place, place }),
  ];
}

function invariantProblems(schema: Schema, level: Level, place: Place): Problem[] {
  const problems: Problem[] = [];
  const { items, type } = schema;
  if (type === "array" && items === undefined) problems.push(required(at(child(place, "items")), "must be specified"));
  if (items !== undefined) append(problems, invariantProblems(items, "item", child(place, "items")));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    append(problems, invariantProblems(property, "field", key(child(place, "properties"), name)));
  const values = valueSchema(schema);
  if (schema.additionalProperties !== undefined && level === "root")
    problems.push(forbidden(at(child(place, "additionalProperties")), "must not be used at the root"));
  if (values !== undefined) append(problems, invariantProblems(values, "field", child(place, "additionalProperties")));
  append(problems, extensionProblems(schema, place));
  problems.push(
    ...junctorProblems(schema, place, isIntOrStringPair(schema.anyOf), isIntOrStringPair(schema.allOf?.[0]?.anyOf)),
  );
  append(problems, typeProblems(schema, level, place));
  append(problems, metaProblems(schema, level, place));
  return problems;
}

function extensionProblems(schema: Schema, place: Place): Problem[] {
  if (!schema["x-kubernetes-int-or-string"]) return [];
  const words = "must be false if x-kubernetes-int-or-string is true";
  return (["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const)
    .filter((name) => schema[name])
    .map((name) => invalid(at(child(place, name)), true, words));
}

/** The one place where types may stand in a junctor: the two types of an int-or-string. */
function isIntOrStringPair(alternatives: readonly Schema[] | undefined): boolean {
  const [first, second, ...more] = alternatives ?? [];
  return more.length === 0 && isOnlyType(first, "integer") && isOnlyType(second, "string");
}

function isOnlyType(schema: Schema | undefined, type: string): boolean {
  return schema !== undefined && schema.type === type && Object.keys(schema).length === 1;
}

function typeProblems(schema: Schema, level: Level, place: Place): Problem[] {
  const { type } = schema;
  const where = at(child(place, "type"));
  const problems: Problem[] = [];
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  if (isEmbedded && type !== "object") {
    const words = "must be object if x-kubernetes-embedded-resource is true";
    problems.push(type === undefined ? required(where, words) : invalid(where, type, words));
  } else if (
    type === undefined &&
    !schema["x-kubernetes-int-or-string"] &&
    !schema["x-kubernetes-preserve-unknown-fields"]
  )
    problems.push(required(where, EMPTY_TYPE[level]));
  if (isEmbedded && schema.additionalProperties !== undefined)
    problems.push(
      forbidden(at(child(place, "additionalProperties")), "must not be used if x-kubernetes-embedded-resource is set"),
    );
  if (level === "root" && type !== undefined && type !== "object")
    problems.push(invalid(where, type, "must be object at the root"));
  return problems;
}

function metaProblems(schema: Schema, level: Level, place: Place): Problem[] {
  const problems: Problem[] = [];
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const property = (name: string): Place => key(child(place, "properties"), name);
  if (level === "root" || isEmbedded) {
    for (const name of ["kind", "apiVersion"]) {
      const declared = propertySchema(schema, name);
      if (declared !== undefined && declared.type !== "string")
        problems.push(invalid(at(child(property(name), "type")), declared.type ?? "", "must be string"));
    }
    const metadata = propertySchema(schema, "metadata");
    if (metadata !== undefined && metadata.type !== "object")
      problems.push(invalid(at(child(property("metadata"), "type")), metadata.type ?? "", "must be object"));
    if (metadata !== undefined && level === "root" && !isPlainMetadata(metadata))
      problems.push(
        forbidden(
          at(property("metadata")),
          "must not specify anything other than name and generateName, but metadata is implicitly specified",
        ),
      );
  }
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0;
  if (isEmbedded && !schema["x-kubernetes-preserve-unknown-fields"] && isEmpty)
    problems.push(
      required(
        at(child(place, "properties")),
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  return problems;
}

function isPlainMetadata({ type: _type, default: _default, properties, ...rest }: Schema): boolean {
  const names = Object.keys(properties ?? {});
  const isNames = names.every((name) => name === "name" || name === "generateName");
  return isNames && deepEqual(restOf(rest), {});
}

/** What is left of a schema when keywords that say nothing are taken away. */
function restOf(schema: Omit<Schema, "type" | "default" | "properties">): { [name: string]: Json } {
  const rest: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(schema)) {
    const isNothing =
      value === undefined || value === false || value === "" || (Array.isArray(value) && value.length === 0);
    if (!isNothing) rest[name] = true;
  }
  return rest;
}

function junctorProblems(schema: Schema, place: Place, skipsAnyOf: boolean, skipsFirstAllOf: boolean): Problem[] {
  const problems: Problem[] = [];
  if (!skipsAnyOf)
    for (const [position, part] of (schema.anyOf ?? []).entries())
      append(problems, nestedProblems(part, index(child(place, "anyOf"), position)));
  for (const [position, part] of (schema.allOf ?? []).entries()) {
    const isPair = skipsFirstAllOf && position === 0;
    append(problems, nestedProblems(part, index(child(place, "allOf"), position), isPair));
  }
  for (const [position, part] of (schema.oneOf ?? []).entries())
    append(problems, nestedProblems(part, index(child(place, "oneOf"), position)));
  if (schema.not !== undefined) append(problems, nestedProblems(schema.not, child(place, "not")));
  const words = schema.pattern === undefined ? undefined : patternWords(schema.pattern);
  if (words !== undefined)
    problems.push(
      invalid(at(child(place, "pattern")), schema.pattern, `must be a valid regular expression, but isn't: ${words}`),
    );
  return problems;
}

function patternWords(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const NOT_NESTED = [
  ["type", "must be empty to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
] as const;

function nestedProblems(schema: Schema, place: Place, skipsAnyOf = false): Problem[] {
  const problems = junctorProblems(schema, place, skipsAnyOf, false);
  if (schema.items !== undefined) append(problems, nestedProblems(schema.items, child(place, "items")));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    append(problems, nestedProblems(property, key(child(place, "properties"), name)));
  for (const [name, words] of NOT_NESTED)
    if (isSet(schema[name])) problems.push(forbidden(at(child(place, name)), words));
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && additionalProperties !== false)
    problems.push(forbidden(at(child(place, "additionalProperties")), "must be undefined to be structural"));
  if (propertySchema(schema, "metadata") !== undefined)
    problems.push(
      forbidden(at(key(child(place, "properties"), "metadata")), "must not be specified in a nested context"),
    );
  return problems;
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== "";
}

/** Junctors may only speak of properties and items that the spine declares. */
function completenessProblems(
  part: Schema,
  spine: Schema,
  { spine: spinePlace, place }: { spine: Place; place: Place },
): Problem[] {
  const problems: Problem[] = [];
  const check = (nested: Schema | undefined, where: Place) => {
    if (nested !== undefined) append(problems, nestedCompleteness(nested, spine, { spine: spinePlace, place: where }));
  };
  check(part.not, child(place, "not"));
  for (const name of ["allOf", "anyOf", "oneOf"] as const)
    for (const [position, nested] of (part[name] ?? []).entries()) check(nested, index(child(place, name), position));
  return problems;
}

function nestedCompleteness(
  part: Schema,
  spine: Schema | undefined,
  { spine: spinePlace, place }: { spine: Place; place: Place },
): Problem[] {
  if (spine === undefined) return [required(at(spinePlace), `because it is defined in ${fieldOf(place)}`)];
  const problems = completenessProblems(part, spine, { spine: spinePlace, place });
  if (part.items !== undefined)
    problems.push(
      ...nestedCompleteness(part.items, spine.items, {
        spine: child(spinePlace, "items"),
        place: child(place, "items"),
      }),
    );
  for (const [name, property] of Object.entries(part.properties ?? {}))
    problems.push(
      ...nestedCompleteness(property, propertySchema(spine, name), {
        spine: key(child(spinePlace, "properties"), name),
        place: key(child(place, "properties"), name),
      }),
    );
  return problems;
}
