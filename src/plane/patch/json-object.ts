// SPDX-License-Identifier: Apache-2.0
import { isObject, jsonText } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { isDeeperThan, MAX_DEPTH } from "../../schema/json.ts";
import type { KubeObject } from "../types.ts";
import { invalidOutcome, PatchError } from "./patch-error.ts";

/** A JSON object that nobody changes. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** The kind of a value, in the words of Go's JSON decoder. */
export function jsonKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Refuses what is nested so deep that walking it would exhaust the stack. */
export function expectShallow(value: unknown): void {
  if (isDeeperThan(value, MAX_DEPTH)) throw new PatchError("badRequest", `exceeded max depth ${MAX_DEPTH}`);
}

/** The outcome of a patch as an object. Whether it is a good one is for validation to say. */
export function outcomeOf(value: Json): KubeObject {
  if (isKubeObject(value)) return value;
  const go = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const words = `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${go}`;
  throw invalidOutcome(jsonText(value), `couldn't get version/kind; json parse error: ${words}`);
}

function isKubeObject(value: Json): value is Json & KubeObject {
  return isObject(value);
}

/** A Kubernetes object as plain JSON. */
export function jsonOf(object: KubeObject): JsonObject {
  return isObject(object) ? object : {};
}

/** The metadata of an object, whatever stands there. */
export function metadataOf(object: JsonObject): JsonObject {
  return isObject(object.metadata) ? object.metadata : {};
}

/** The object with these entries as its managedFields, without any where there are none. */
export function withManagedFields(object: JsonObject, entries: readonly JsonObject[]): JsonObject {
  const { managedFields: _, ...metadata } = metadataOf(object);
  return { ...object, metadata: entries.length === 0 ? metadata : { ...metadata, managedFields: entries } };
}
