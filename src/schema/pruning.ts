// SPDX-License-Identifier: Apache-2.0
import { compareText } from "./go-text.ts";
import { getOwn, type MutableJson, type MutableObject, propertySchema, valueSchema } from "./json.ts";
import { child, index, type Place, pathOf } from "./place.ts";
import type { Path, Schema } from "./types.ts";

/** A field that the schema does not know, and that was therefore removed. */
export interface UnknownField {
  path: Path;
  /** As the server prints it in `unknown field "spec.disks[0].sise"`. */
  field: string;
}

const META_FIELDS = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Removes from a resource, in place, what its schema does not know, and returns it sorted by field. `apiVersion`,
 * `kind` and `metadata` stay, at the root and in embedded resources; so does everything under
 * `x-kubernetes-preserve-unknown-fields`, except what is unknown inside its known properties.
 */
export function prune(value: MutableJson, schema: Schema): UnknownField[] {
  const unknown: UnknownField[] = [];
  pruneValue(value, { ...schema, "x-kubernetes-embedded-resource": true }, { place: undefined, unknown });
  return sortFields(unknown);
}

/** Removes, in place, what a schema does not know from a value that need not be a resource. */
export function pruneUnknown(value: MutableJson, schema: Schema): void {
  pruneValue(value, schema, { place: undefined, unknown: [] });
}

/** Sorts unknown fields as the server lists them. */
export function sortFields(fields: UnknownField[]): UnknownField[] {
  return fields.sort((left, right) => compareText(left.field, right.field));
}

interface Progress {
  readonly place: Place;
  readonly unknown: UnknownField[];
}

function pruneValue(value: MutableJson | undefined, schema: Schema | undefined, progress: Progress): void {
  const { place, unknown } = progress;
  const keepsUnknown = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      const below = { place: index(place, at), unknown };
      if (keepsUnknown) keepItem(item, schema?.items, below);
      else pruneValue(item, schema?.items, below);
    }
    return;
  }
  if (value !== null && typeof value === "object") pruneObject(value, schema, { ...progress, keepsUnknown });
}

/** Inside a list that keeps unknown fields, the items do so as well. */
function keepItem(value: MutableJson, schema: Schema | undefined, progress: Progress): void {
  if (schema !== undefined) pruneValue(value, { ...schema, "x-kubernetes-preserve-unknown-fields": true }, progress);
}

function pruneObject(
  object: MutableObject,
  schema: Schema | undefined,
  { place, unknown, keepsUnknown }: Progress & { keepsUnknown: boolean },
): void {
  const isResource = schema?.["x-kubernetes-embedded-resource"] === true;
  for (const name of Object.keys(object)) {
    if (isResource && META_FIELDS.has(name)) continue;
    const property = propertySchema(schema, name);
    const below = { place: child(place, name), unknown };
    if (property !== undefined) pruneValue(getOwn(object, name), property, below);
    else if (schema?.additionalProperties !== undefined) pruneValue(getOwn(object, name), valueSchema(schema), below);
    else if (!keepsUnknown) {
      unknown.push({ path: pathOf(below.place), field: unknownFieldText(pathOf(below.place)) });
      delete object[name];
    }
  }
}

/** Names joined by dots and indexes in brackets, whatever characters the names have. */
export function unknownFieldText(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}
