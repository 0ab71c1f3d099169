// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import type { KubeObject } from "../types.ts";
import { type JsonObject, jsonOf, metadataOf } from "./json-object.ts";

/**
 * Whether a write would change nothing but times in managedFields and the resourceVersion: then the server does not write at
 * all. To be asked of the object as it would be stored.
 */
export function isUnchanged(before: KubeObject, after: KubeObject): boolean {
  if (before === after) return true;
  const [one, other] = [jsonOf(before), jsonOf(after)];
  const { managedFields, resourceVersion: _, ...metadata } = metadataOf(one);
  const { managedFields: otherManagedFields, resourceVersion: __, ...otherMetadata } = metadataOf(other);
  return (
    areSameEntries(managedFields, otherManagedFields) &&
    deepEqual(metadata, otherMetadata) &&
    deepEqual({ ...one, metadata: null }, { ...other, metadata: null })
  );
}

function areSameEntries(left: Json | undefined, right: Json | undefined): boolean {
  if (!isList(left) || !isList(right)) return (isList(left) ? left.length : 0) === (isList(right) ? right.length : 0);
  return left.length === right.length && left.every((entry, index) => isSameEntry(entry, right[index]));
}

function isSameEntry(left: Json, right: Json | undefined): boolean {
  if (left === right) return true;
  return isObject(left) && isObject(right) && deepEqual(withoutTime(left), withoutTime(right));
}

function withoutTime({ time: _, ...entry }: JsonObject): JsonObject {
  return entry;
}
