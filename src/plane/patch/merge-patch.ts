// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { getOwn, setOwn } from "../../schema/json.ts";
import type { KubeObject } from "../types.ts";
import { expectShallow, type JsonObject, jsonKind, jsonOf, outcomeOf } from "./json-object.ts";
import { PatchError } from "./patch-error.ts";

/**
 * Applies a JSON Merge Patch (RFC 7386) as the server does: unlike in the RFC, nulls are also taken out of objects inside
 * new lists. What the patch does not touch is shared with the object, which stays as it is.
 */
export function mergePatch(object: KubeObject, patch: unknown): KubeObject {
  if (patch === null) throw new PatchError("badRequest", "Invalid JSON Patch");
  if (!isObject(patch)) {
    const words = `json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`;
    throw new PatchError("badRequest", `error decoding patch: ${words}`);
  }
  expectShallow(patch);
  return outcomeOf(mergeObjects(jsonOf(object), patch));
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  const merged: { [key: string]: Json | undefined } = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete merged[key];
    else setOwn(merged, key, mergeValues(getOwn(current, key), value));
  }
  return merged;
}

function mergeValues(current: Json | undefined, value: Json): Json {
  if (!isObject(current)) return withoutNulls(value);
  return isObject(value) ? mergeObjects(current, value) : value;
}

function withoutNulls(value: Json): Json {
  if (isList(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: { [key: string]: Json | undefined } = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== null && item !== undefined) setOwn(kept, key, withoutNulls(item));
  }
  return kept;
}
