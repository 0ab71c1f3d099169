// SPDX-License-Identifier: Apache-2.0
import { append } from "./append.ts";
import { isList, isObject } from "./go-text.ts";
import { getOwn, type MutableJson, type MutableObject, propertySchema, setOwn, valueSchema } from "./json.ts";
import { metadataProblems } from "./metadata-rules.ts";
import { dns1035LabelProblems, pathSegmentProblems } from "./names.ts";
import { decodeMetadata, type Malformed } from "./object-meta.ts";
import { child, index, key, type Place } from "./place.ts";
import { at, invalid, required, valueText } from "./problems.ts";
import type { UnknownField } from "./pruning.ts";
import type { Json, Problem, Schema } from "./types.ts";

type Visit<T> = (object: T, place: Place) => void;

/** Calls `visit` for every object under a schema with `x-kubernetes-embedded-resource`. */
function visitEmbedded<T extends { readonly [name: string]: Json | undefined }>(
  value: Json | undefined,
  schema: Schema | undefined,
  { place, visit }: { place: Place; visit: Visit<T> },
): void {
  if (schema === undefined || !mayEmbed(schema)) return;
  if (isList(value)) {
    for (const [position, item] of value.entries())
      visitEmbedded(item, schema.items, { place: index(place, position), visit });
    return;
  }
  if (!isObject(value)) return;
  // The caller knows whether its objects may be changed.
  if (schema["x-kubernetes-embedded-resource"]) visit(value as T, place);
  for (const name of Object.keys(value)) {
    const property = propertySchema(schema, name);
    const below = property === undefined ? key(place, name) : child(place, name);
    visitEmbedded(getOwn(value, name), property ?? valueSchema(schema), { place: below, visit });
  }
}

const embedding = new WeakMap<Schema, boolean>();

/** Whether a schema has embedded resources at all: most have none and need no walk. */
function mayEmbed(schema: Schema): boolean {
  const known = embedding.get(schema);
  if (known !== undefined) return known;
  const below = [schema.items, valueSchema(schema), ...Object.values(schema.properties ?? {})];
  const answer =
    schema["x-kubernetes-embedded-resource"] === true || below.some((part) => part !== undefined && mayEmbed(part));
  embedding.set(schema, answer);
  return answer;
}

/** Reads the metadata of embedded resources, in place, as that of a resource is read. */
export function coerceEmbedded(
  value: MutableJson,
  schema: Schema,
): { unknown: UnknownField[]; malformed: Malformed[] } {
  const unknown: UnknownField[] = [];
  const malformed: Malformed[] = [];
  const visit = (object: MutableObject, place: Place) => {
    for (const name of ["apiVersion", "kind"]) {
      const text = getOwn(object, name);
      if (text === undefined || typeof text === "string") continue;
      const problem = invalid(at(child(place, name)), text, "must be a string");
      malformed.push({ problem, words: `${problem.field}: ${problem.message}` });
    }
    const metadata = getOwn(object, "metadata");
    if (metadata === undefined) return;
    const decoded = decodeMetadata(metadata, child(place, "metadata"));
    append(unknown, decoded.unknown);
    const prefix = `${at(child(place, "metadata")).field}: Invalid value: ${valueText(metadata)}: `;
    for (const { problem, words } of decoded.malformed) malformed.push({ problem, words: prefix + words });
    setOwn(object, "metadata", decoded.metadata);
  };
  visitEmbedded<MutableObject>(value, schema, { place: undefined, visit });
  return { unknown, malformed };
}

/** What the server refuses in apiVersion, kind and metadata of embedded resources. */
export function embeddedProblems(value: Json, schema: Schema, place: Place): Problem[] {
  const problems: Problem[] = [];
  const visit = (object: { readonly [name: string]: Json | undefined }, where: Place) => {
    const apiVersion = getOwn(object, "apiVersion");
    const kind = getOwn(object, "kind");
    const metadata = getOwn(object, "metadata");
    if (apiVersion === undefined) problems.push(required(at(child(where, "apiVersion"))));
    if (kind === undefined) problems.push(required(at(child(where, "kind"))));
    if (typeof apiVersion === "string") append(problems, apiVersionProblems(apiVersion, child(where, "apiVersion")));
    if (typeof kind === "string") append(problems, kindProblems(kind, child(where, "kind")));
    if (!isObject(metadata)) return;
    const named = getOwn(metadata, "name") ? metadata : { ...metadata, name: "name-not-needed" };
    append(problems, metadataProblems(named, child(where, "metadata"), pathSegmentProblems));
  };
  visitEmbedded(value, schema, { place, visit });
  return problems;
}

function apiVersionProblems(apiVersion: string, place: Place): Problem[] {
  if (apiVersion === "") return [invalid(at(place), apiVersion, "must not be empty")];
  if (apiVersion.split("/").length <= 2) return [];
  return [invalid(at(place), apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
}

function kindProblems(kind: string, place: Place): Problem[] {
  if (kind === "") return [invalid(at(place), kind, "must not be empty")];
  const words = dns1035LabelProblems(kind.toLowerCase());
  if (words.length === 0) return [];
  return [invalid(at(place), kind, `may have mixed case, but should otherwise match: ${words.join(",")}`)];
}
