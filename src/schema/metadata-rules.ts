// SPDX-License-Identifier: Apache-2.0
import { append } from "./append.ts";
import { isList, isObject, jsonText, quote } from "./go-text.ts";
import { deepEqual, getOwn } from "./json.ts";
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
  withoutTrailingDash,
} from "./names.ts";
import { child, index, key, type Place, pathOf } from "./place.ts";
import { at, forbidden, invalid, invalidShown, type Location, required, tooLong } from "./problems.ts";
import type { Json, Problem } from "./types.ts";

/** Metadata as decoded by object-meta.ts. */
export type Metadata = { readonly [name: string]: Json | undefined };

/** How strict names are: resources are DNS subdomains, embedded resources only need to fit into a URL path. */
export type NameRule = (name: string, isPrefix: boolean) => string[];

/** Names of custom resources. */
export function subdomainName(name: string, isPrefix: boolean): string[] {
  return dns1123SubdomainProblems(isPrefix ? withoutTrailingDash(name) : name);
}

/** What the server refuses in the metadata of a new object. A missing namespace is no problem: the request gives it. */
export function metadataProblems(metadata: Metadata, place: Place, nameRule: NameRule): Problem[] {
  const problems: Problem[] = [];
  const generateName = textOf(metadata, "generateName");
  for (const words of generateName === "" ? [] : nameRule(generateName, true))
    problems.push(invalid(at(child(place, "generateName")), generateName, words));
  const name = textOf(metadata, "name");
  if (name === "" && generateName === "")
    problems.push(required(at(child(place, "name")), "name or generateName is required"));
  for (const words of name === "" ? [] : nameRule(name, false))
    problems.push(invalid(at(child(place, "name")), name, words));
  const namespace = textOf(metadata, "namespace");
  for (const words of namespace === "" ? [] : dns1123LabelProblems(namespace))
    problems.push(invalid(at(child(place, "namespace")), namespace, words));
  const generation = getOwn(metadata, "generation");
  if (typeof generation === "number" && generation < 0)
    problems.push(invalid(at(child(place, "generation")), generation, "must be greater than or equal to 0"));
  append(problems, commonProblems(metadata, place));
  append(problems, finalizerProblems(listOf(metadata, "finalizers"), child(place, "finalizers")));
  append(problems, managedFieldsProblems(metadata, place));
  return problems;
}

const IMMUTABLE = ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"];

/**
 * What the server refuses in metadata when an object is updated. Fields that the server itself carries over when a
 * client leaves them out (resourceVersion, uid, creationTimestamp, generation) may be missing in the new object.
 */
export function metadataUpdateProblems(metadata: Metadata, old: Metadata, place: Place): Problem[] {
  const problems: Problem[] = [];
  if (old.deletionTimestamp !== undefined) append(problems, newFinalizerProblems(metadata, old, place));
  const generation = getOwn(metadata, "generation");
  const oldGeneration = getOwn(old, "generation");
  if (typeof generation === "number" && typeof oldGeneration === "number" && generation < oldGeneration)
    problems.push(invalid(at(child(place, "generation")), generation, "must not be decremented"));
  for (const name of IMMUTABLE) {
    const now = getOwn(metadata, name);
    if (now !== undefined && !deepEqual(now, getOwn(old, name)))
      problems.push(invalid(at(child(place, name)), now, "field is immutable"));
  }
  append(problems, commonProblems(metadata, place));
  append(problems, managedFieldsProblems(metadata, place));
  return problems;
}

/** The server's warnings about finalizers that are new: such names easily clash. */
export function finalizerWarnings(metadata: Metadata, old: Metadata | undefined): string[] {
  const before = new Set(old === undefined ? [] : listOf(old, "finalizers"));
  const added = [...new Set(listOf(metadata, "finalizers"))].filter((name) => !before.has(name)).sort();
  return added.flatMap((finalizer) => {
    if (typeof finalizer !== "string") return [];
    const prefix = `metadata.finalizers: ${quote(finalizer)}: `;
    const warnings = labelKeyProblems(finalizer).map((words) => prefix + words);
    if (!finalizer.includes("/") && !STANDARD_FINALIZERS.has(finalizer)) {
      const path = finalizer.includes(".") ? "name including a path (/) to" : "name to";
      warnings.push(
        `${prefix}prefer a domain-qualified finalizer ${path} avoid accidental conflicts with other finalizer writers`,
      );
    }
    return warnings;
  });
}

const STANDARD_FINALIZERS = new Set<Json>(["orphan", "foregroundDeletion", "kubernetes"]);

function textOf(metadata: Metadata, name: string): string {
  const value = getOwn(metadata, name);
  return typeof value === "string" ? value : "";
}

function listOf(metadata: Metadata, name: string): readonly Json[] {
  const value = getOwn(metadata, name);
  return isList(value) ? value : [];
}

function mapOf(metadata: Metadata, name: string): readonly (readonly [string, string])[] {
  const value = getOwn(metadata, name);
  if (!isObject(value)) return [];
  return Object.entries(value).map(([entry, text]) => [entry, typeof text === "string" ? text : ""] as const);
}

/** Printed as the whole map or list, as the server does, but found at the entry. */
function within(field: Place, entry: Place): Location {
  return { path: pathOf(entry), field: at(field).field };
}

function commonProblems(metadata: Metadata, place: Place): Problem[] {
  const problems: Problem[] = [];
  const labels = child(place, "labels");
  for (const [name, value] of mapOf(metadata, "labels")) {
    const location = within(labels, key(labels, name));
    for (const words of labelKeyProblems(name)) problems.push(invalid(location, name, words));
    for (const words of labelValueProblems(value)) problems.push(invalid(location, value, words));
  }
  const annotations = child(place, "annotations");
  let size = 0;
  for (const [name, value] of mapOf(metadata, "annotations")) {
    const location = within(annotations, key(annotations, name));
    for (const words of labelKeyProblems(name.toLowerCase())) problems.push(invalid(location, name, words));
    size += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  if (size > 256 * 1024) problems.push(tooLong(at(annotations), 256 * 1024));
  append(problems, ownerProblems(listOf(metadata, "ownerReferences"), child(place, "ownerReferences")));
  return problems;
}

function ownerProblems(owners: readonly Json[], place: Place): Problem[] {
  const problems: Problem[] = [];
  let firstController: string | undefined;
  for (const [position, owner] of owners.entries()) {
    if (!isObject(owner)) continue;
    const entry = index(place, position);
    const expect = (name: string, words: string) =>
      problems.push(invalid(within(child(place, name), child(entry, name)), textOf(owner, name), words));
    if (versionOf(textOf(owner, "apiVersion")) === "") expect("apiVersion", "version must not be empty");
    for (const name of ["kind", "name", "uid"]) if (textOf(owner, name) === "") expect(name, "must not be empty");
    if (textOf(owner, "apiVersion") === "v1" && textOf(owner, "kind") === "Event")
      problems.push(
        invalidShown(within(place, entry), ownerText(owner), "/v1, Kind=Event is disallowed from being an owner"),
      );
    if (getOwn(owner, "controller") !== true) continue;
    const controller = `${textOf(owner, "kind")}/${textOf(owner, "name")}`;
    if (firstController === undefined) firstController = controller;
    else {
      const words = `Found "true" in references for ${firstController} and ${controller}`;
      problems.push(
        invalidShown(
          within(place, entry),
          `[${owners.map(ownerText).join(",")}]`,
          `Only one reference can have Controller set to true. ${words}`,
        ),
      );
    }
  }
  return problems;
}

const OWNER_FIELDS = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];

/** A reference as the server prints it: fields in its own order. */
function ownerText(owner: Json): string {
  if (!isObject(owner)) return jsonText(owner);
  const fields = OWNER_FIELDS.filter((name) => owner[name] !== undefined);
  return `{${fields.map((name) => `"${name}":${jsonText(owner[name])}`).join(",")}}`;
}

function versionOf(apiVersion: string): string {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return "";
  return parts.at(-1) ?? "";
}

function finalizerProblems(finalizers: readonly Json[], place: Place): Problem[] {
  const problems: Problem[] = [];
  for (const [position, finalizer] of finalizers.entries())
    if (typeof finalizer === "string")
      for (const words of labelKeyProblems(finalizer))
        problems.push(invalid(within(place, index(place, position)), finalizer, words));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion"))
    problems.push(invalid(at(place), finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  return problems;
}

function newFinalizerProblems(metadata: Metadata, old: Metadata, place: Place): Problem[] {
  const before = new Set(listOf(old, "finalizers"));
  const added = [...new Set(listOf(metadata, "finalizers"))].filter((name) => !before.has(name)).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map(jsonText).join(", ")}}`;
  const words = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [forbidden(at(child(place, "finalizers")), words)];
}

function managedFieldsProblems(metadata: Metadata, place: Place): Problem[] {
  const problems: Problem[] = [];
  for (const [position, entry] of listOf(metadata, "managedFields").entries()) {
    if (!isObject(entry)) continue;
    const where = index(child(place, "managedFields"), position);
    const operation = textOf(entry, "operation");
    if (operation !== "Apply" && operation !== "Update")
      problems.push(invalid(at(child(where, "operation")), operation, "must be `Apply` or `Update`"));
    const type = textOf(entry, "fieldsType");
    if (type !== "" && type !== "FieldsV1")
      problems.push(invalid(at(child(where, "fieldsType")), type, "must be `FieldsV1`"));
    const manager = textOf(entry, "manager");
    if (Buffer.byteLength(manager) > 128) problems.push(tooLong(at(child(where, "manager")), 128));
    if (Buffer.byteLength(textOf(entry, "subresource")) > 256)
      problems.push(tooLong(at(child(where, "subresource")), 256));
  }
  return problems;
}
