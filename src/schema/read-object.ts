// SPDX-License-Identifier: Apache-2.0
import { applyDefaults, dropNulls } from "./defaulting.ts";
import { coerceEmbedded } from "./embedded.ts";
import { isObject } from "./go-text.ts";
import { copyJson, getOwn, type MutableObject } from "./json.ts";
import { decodeMetadata, type Malformed } from "./object-meta.ts";
import { child } from "./place.ts";
import { typeInvalid } from "./problems.ts";
import { prune, sortFields, type UnknownField } from "./pruning.ts";
import type { Json, Schema } from "./types.ts";

/** A resource as JSON carries it. */
export type ResourceObject = { readonly [name: string]: Json | undefined };

/** How a kind is served. */
export interface ResourceOptions {
  readonly scope: "Namespaced" | "Cluster";
}

/** An object as the server's decoder leaves it, before defaults. */
export interface ReadObject {
  readonly object: MutableObject;
  readonly unknownFields: UnknownField[];
  readonly malformed: Malformed[];
}

/** A copy that may be changed. */
export function copyObject(object: ResourceObject): MutableObject {
  const copy = copyJson(object);
  return isObject(copy) ? copy : {};
}

/** Does what the server's decoder does: metadata is read into its known fields, the rest is pruned by the schema. */
export function readObject(given: ResourceObject, schema: Schema, { scope }: ResourceOptions): ReadObject {
  const object = copyObject(given);
  const metadata = getOwn(object, "metadata");
  const decoded = decodeMetadata(metadata ?? null, child(undefined, "metadata"));
  const pruned = prune(object, schema);
  dropNulls(object, schema);
  const embedded = coerceEmbedded(object, schema);
  if (metadata !== undefined) object.metadata = decoded.metadata;
  // The server clears the namespace of a cluster-scoped object without a word.
  if (scope === "Cluster") delete decoded.metadata.namespace;
  return {
    object,
    unknownFields: [...sortFields(decoded.unknown), ...pruned, ...sortFields(embedded.unknown)],
    malformed: [...typeMetaFaults(given), ...decoded.malformed, ...embedded.malformed],
  };
}

function typeMetaFaults(object: ResourceObject): Malformed[] {
  return ["kind", "apiVersion"].flatMap((name) => {
    const value = getOwn(object, name);
    if (value === undefined || typeof value === "string") return [];
    const found = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
    const detail = `${name} in body must be of type string: "${found}"`;
    const problem = typeInvalid({ path: [name], field: name }, found, detail);
    return [{ problem, words: `.${name} accessor error: ${found} is not a string` }];
  });
}

/** A stored object as the server reads it back from its store: defaults are filled in. */
export function readStored(stored: ResourceObject, schema: Schema, options: ResourceOptions): MutableObject {
  const { object } = readObject(stored, schema, options);
  applyDefaults(object, schema);
  return object;
}
