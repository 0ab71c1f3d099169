// SPDX-License-Identifier: Apache-2.0
import { compileRules } from "../cel/rules.ts";
import { coerceEmbedded, embeddedProblems } from "../embedded.ts";
import { copyJson, deepEqual, type MutableJson } from "../json.ts";
import { child, key, type Place } from "../place.ts";
import { at, invalid, rebase } from "../problems.ts";
import { pruneUnknown } from "../pruning.ts";
import type { Json, Problem, Schema } from "../types.ts";
import { schemaProblems } from "../validate.ts";

/** Where a schema stands, as far as its default is concerned. */
interface Spot {
  readonly place: Place;
  /** The resource it belongs to: the root, or the nearest embedded one. */
  readonly resource: Schema;
  /** Set inside apiVersion, kind and metadata: puts a default into the resource around it. */
  readonly surround: (value: MutableJson) => MutableJson;
  readonly isInMeta: boolean;
}

/** Defaults that are not valid values themselves, or have fields that would be pruned. */
export function defaultProblems(schema: Schema, place: Place): Problem[] {
  const root = { ...schema, "x-kubernetes-embedded-resource": true };
  return visit(root, { place, resource: root, surround: asResource, isInMeta: false });
}

/** The least a resource must have, so that only the default can be at fault. */
function asResource(value: MutableJson): MutableJson {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? { kind: "Validation", apiVersion: "validation/v1", ...value }
    : value;
}

function visit(schema: Schema, spot: Spot): Problem[] {
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const here = isResource ? { ...spot, resource: schema, surround: asResource, isInMeta: false } : spot;
  const problems = hasDefault(schema) ? valueProblems(schema, here) : [];
  const { place, surround } = here;
  if (schema.items !== undefined)
    problems.push(
      ...visit(schema.items, { ...here, place: child(place, "items"), surround: (value) => surround([value]) }),
    );
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = isResource && ["metadata", "apiVersion", "kind"].includes(name);
    problems.push(
      ...visit(property, {
        ...here,
        place: key(child(place, "properties"), name),
        surround: (value) => surround({ [name]: value }),
        isInMeta: here.isInMeta || isMeta,
      }),
    );
  }
  return problems;
}

function hasDefault(schema: Schema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

function valueProblems(schema: Schema, spot: Spot): Problem[] {
  const place = child(spot.place, "default");
  const value: Json = schema.default ?? null;
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const problems: Problem[] = [];
  if (!spot.isInMeta) {
    const pruned = copyJson(value);
    pruneUnknown(pruned, schema);
    if (!deepEqual(pruned, value)) problems.push(invalid(at(place), value, "must not have unknown fields"));
  }
  const own = spot.isInMeta ? metaProblems(value, spot) : embeddedOf(value, schema, place);
  if (own.length > 0) return [...problems, ...own];
  const invalids = rebase(schemaProblems(schema, value), place);
  if (invalids.length > 0) return [...problems, ...invalids];
  const rules = compileRules(schema, isResource);
  const asUpdate = rules?.check(value, { old: value, base: place }).problems ?? [];
  const found = asUpdate.length > 0 ? asUpdate : (rules?.check(value, { base: place }).problems ?? []);
  return [...problems, ...found];
}

function embeddedOf(value: Json, schema: Schema, place: Place): Problem[] {
  const { malformed } = coerceEmbedded(copyJson(value), schema);
  if (malformed.length > 0) return malformed.slice(0, 1).map(({ problem }) => problem);
  return embeddedProblems(value, schema, place);
}

function metaProblems(value: Json, { place, resource, surround }: Spot): Problem[] {
  const object = surround(copyJson(value));
  const { malformed } = coerceEmbedded(object, resource);
  const found =
    malformed.length > 0 ? malformed.map(({ words }) => words) : texts(embeddedProblems(object, resource, undefined));
  if (found.length === 0) return [];
  const words = found.length === 1 ? found[0] : `[${found.join(", ")}]`;
  return [invalid(at(child(place, "default")), value, `must result in valid metadata: ${words}`)];
}

function texts(problems: readonly Problem[]): string[] {
  return problems.map(({ field, message }) => `${field}: ${message}`);
}
