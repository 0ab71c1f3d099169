// SPDX-License-Identifier: Apache-2.0
import { isList, isObject, quote } from "../../schema/go-text.ts";
import type { Json, Problem } from "../../schema/index.ts";
import { deepEqual, getOwn, type MutableObject } from "../../schema/json.ts";
import { type Metadata, metadataProblems, metadataUpdateProblems, type NameRule } from "../../schema/metadata-rules.ts";
import { dns1123LabelProblems, labelKeyProblems, labelValueProblems, withoutTrailingDash } from "../../schema/names.ts";
import { child, index, key, type Place } from "../../schema/place.ts";
import { at, forbidden, invalid, required } from "../../schema/problems.ts";

/** The words of the server for a field that may not change. */
export const IMMUTABLE = "field is immutable";

/** The place of a field by its names from the root. */
export function field(...names: readonly string[]): Place {
  return names.reduce<Place>(child, undefined);
}

/** The value at a path of names; undefined where there is none. */
export function valueAt(value: unknown, ...names: readonly string[]): Json | undefined {
  let found: unknown = value;
  for (const name of names) found = isObject(found) ? getOwn(found, name) : undefined;
  // What is looked into is JSON, so what is found is too.
  return found as Json | undefined;
}

/** The text at a path; empty where there is none. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = valueAt(value, ...names);
  return typeof found === "string" ? found : "";
}

/** The list at a path; empty where there is none. */
export function listAt(value: unknown, ...names: readonly string[]): readonly Json[] {
  const found = valueAt(value, ...names);
  return isList(found) ? found : [];
}

/** The texts of the list at a path. */
export function textsAt(value: unknown, ...names: readonly string[]): readonly string[] {
  return listAt(value, ...names).filter((item) => typeof item === "string");
}

/** The map at a path; empty where there is none. */
export function mapAt(value: unknown, ...names: readonly string[]): { readonly [name: string]: Json | undefined } {
  const found = valueAt(value, ...names);
  return isObject(found) ? found : {};
}

/** The object below a name of one that is under construction; made where it is missing. */
export function within(object: MutableObject, name: string): MutableObject {
  const found = object[name];
  if (isObject(found)) return found;
  const made: MutableObject = {};
  object[name] = made;
  return made;
}

/** The entries of the map at a path, by key: the server goes through maps in no order, we in this one. */
export function entriesAt(value: unknown, ...names: readonly string[]): (readonly [string, Json | undefined])[] {
  return Object.entries(mapAt(value, ...names)).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The metadata of an object. */
export function metadataOf(object: unknown): Metadata {
  return mapAt(object, "metadata");
}

/** What is wrong with an object's metadata by itself, whatever the kind. */
export function anyMetadata(object: unknown, nameRule: NameRule): Problem[] {
  return metadataProblems(metadataOf(object), field("metadata"), nameRule);
}

/** What is wrong with a change of an object's metadata, whatever the kind. */
export function anyMetadataChange(object: unknown, old: unknown): Problem[] {
  return metadataUpdateProblems(metadataOf(object), metadataOf(old), field("metadata"));
}

/** The same for most built-in kinds: their finalizers have domains. */
export function createdMetadata(object: unknown, nameRule: NameRule): Problem[] {
  return [...anyMetadata(object, nameRule), ...finalizerProblems(object)];
}

/** The same for most built-in kinds: their finalizers have domains. */
export function updatedMetadata(object: unknown, old: unknown): Problem[] {
  return [...anyMetadataChange(object, old), ...finalizerProblems(object)];
}

const STANDARD_FINALIZERS = ["kubernetes", "orphan", "foregroundDeletion"];

function finalizerProblems(object: unknown): Problem[] {
  return textsAt(object, "metadata", "finalizers").flatMap((finalizer, position) =>
    invalidFor(index(field("metadata", "finalizers"), position), finalizer, unqualifiedWords(finalizer)),
  );
}

/** The words for a finalizer that has no domain and is none of Kubernetes' own. */
export function unqualifiedWords(finalizer: string): string[] {
  if (finalizer.includes("/") || STANDARD_FINALIZERS.includes(finalizer)) return [];
  return ["name is neither a standard finalizer name nor is it fully qualified"];
}

/** A problem with a value that is printed as it is given, for values whose parts the server prints in another order. */
export function invalidText(place: Place, value: unknown, detail: string): Problem {
  return { ...invalid(at(place), null, ""), message: `Invalid value: ${JSON.stringify(value)}: ${detail}` };
}

/** Names that must be DNS labels. */
export function labelName(name: string, isPrefix: boolean): string[] {
  return dns1123LabelProblems(isPrefix ? withoutTrailingDash(name) : name);
}

/** A problem where a field changed that may not. */
export function immutable(object: unknown, old: unknown, ...names: readonly string[]): Problem[] {
  const now = valueAt(object, ...names);
  return deepEqual(now ?? null, valueAt(old, ...names) ?? null) ? [] : [invalid(at(field(...names)), now, IMMUTABLE)];
}

/** The words, each as a problem of one value. */
export function invalidFor(place: Place, value: Json | undefined, words: readonly string[]): Problem[] {
  return words.map((detail) => invalid(at(place), value, detail));
}

/** What is wrong with the selectors that some kinds contain. */
export function labelSelectorProblems(selector: Json | undefined, place: Place): Problem[] {
  if (selector === undefined || selector === null) return [];
  const labels = child(place, "matchLabels");
  const problems = entriesAt(selector, "matchLabels").flatMap(([name, value]) => [
    ...invalidFor(labels, name, labelKeyProblems(name)),
    ...invalidFor(labels, value, labelValueProblems(typeof value === "string" ? value : "")),
  ]);
  for (const [position, requirement] of listAt(selector, "matchExpressions").entries())
    problems.push(...requirementProblems(requirement, index(child(place, "matchExpressions"), position)));
  return problems;
}

/** What is wrong with one condition of a selector. Reviews take operators that nobody knows yet. */
export function requirementProblems(
  requirement: Json,
  place: Place,
  { allowsUnknownOperator = false }: { allowsUnknownOperator?: boolean } = {},
): Problem[] {
  const values = textsAt(requirement, "values");
  const operator = textAt(requirement, "operator");
  const name = textAt(requirement, "key");
  const problems: Problem[] = [];
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      problems.push(required(at(child(place, "values")), "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) problems.push(forbidden(at(child(place, "values")), words));
  } else if (!allowsUnknownOperator)
    problems.push(invalid(at(child(place, "operator")), operator, "not a valid selector operator"));
  problems.push(...invalidFor(child(place, "key"), name, labelKeyProblems(name)));
  for (const [position, value] of values.entries())
    problems.push(...invalidFor(index(child(place, "values"), position), value, labelValueProblems(value)));
  return problems;
}

const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;

/** What is wrong with a key of a ConfigMap or Secret. */
export function configKeyProblems(name: string, place: Place): Problem[] {
  const words: string[] = [];
  if (Buffer.byteLength(name) > 253) words.push("must be no more than 253 characters");
  if (!CONFIG_KEY.test(name))
    words.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
        "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  if (name === "." || name === "..") words.push(`must not be '${name}'`);
  else if (name.startsWith("..")) words.push("must not start with '..'");
  return invalidFor(key(place, name), name, words);
}

/** The number of bytes that base64 text stands for. */
export function decodedLength(base64: Json | undefined): number {
  return typeof base64 === "string" ? Buffer.byteLength(base64, "base64") : 0;
}

/** A value in quotes, as in the server's messages. */
export const quoted = quote;
