// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../schema/go-text.ts";
import type { Json, Schema } from "../../schema/index.ts";
import { getOwn, setOwn } from "../../schema/json.ts";
import type { KubeObject } from "../types.ts";
import { expectShallow, type JsonObject, jsonKind, jsonOf, outcomeOf } from "./json-object.ts";
import { PatchError } from "./patch-error.ts";
import { mergeLists, orderItems, validateOrder } from "./strategic-lists.ts";
import { itemsStructure, listStructure, rootStructure, type Structure, structureOf } from "./strategic-structure.ts";
import { badArgument, badDirective } from "./strategic-words.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_LIST = "$deleteFromPrimitiveList";
const SET_ORDER = "$setElementOrder";

/**
 * Applies a strategic merge patch: like a merge patch, but lists whose schema names a strategy are merged item by item, and
 * directives delete, replace, retain and order. For built-in kinds; the server refuses it for custom ones.
 */
export function strategicMergePatch(object: KubeObject, patch: unknown, schema: Schema): KubeObject {
  if (patch !== null && !isObject(patch)) {
    const words = `json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`;
    throw new PatchError("badRequest", words);
  }
  expectShallow(patch);
  return outcomeOf(mergeObjects(jsonOf(object), patch ?? {}, rootStructure(schema, object.kind)));
}

type Mutable = { [key: string]: Json | undefined };

function mergeObjects(current: JsonObject, given: JsonObject, structure: Structure): JsonObject {
  const directive = getOwn(given, DIRECTIVE);
  if (directive !== undefined) return applyDirective(directive, given);
  const merged: Mutable = { ...current };
  const patch: Mutable = { ...given };
  retainKeys(merged, patch);
  orderLists(merged, patch, structure);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_LIST))
      mergeField(merged, nameAfter(key, DELETE_LIST), { value, structure, isDeletion: true });
    else mergeField(merged, key, { value, structure, isDeletion: false });
  }
  return merged;
}

function applyDirective(directive: Json, patch: JsonObject): JsonObject {
  if (directive === "delete") return {};
  if (directive !== "replace") throw badDirective(directive, patch);
  const { [DIRECTIVE]: _, ...rest } = patch;
  return rest;
}

interface FieldPatch {
  readonly value: Json | undefined;
  readonly structure: Structure;
  /** Whether the value lists what to delete. */
  readonly isDeletion: boolean;
}

function mergeField(merged: Mutable, key: string, { value, structure, isDeletion }: FieldPatch): void {
  if (value === null || value === undefined) {
    delete merged[key];
    return;
  }
  const current = getOwn(merged, key);
  if (isObject(current) && isObject(value) && !isDeletion) {
    const { strategy, below } = structureOf(structure, key);
    setOwn(merged, key, strategy === "replace" ? value : mergeObjects(current, value, below));
  } else if (isList(current) && isList(value)) {
    const { strategy, mergeKey, below } = listStructure(structure, key);
    const mergeItems = (one: JsonObject, other: JsonObject) => mergeObjects(one, other, itemsStructure(below));
    const isMerged = strategy === "merge" || isDeletion;
    setOwn(merged, key, isMerged ? mergeLists(current, value, { mergeKey, mergeItems, isDeletion }) : value);
  } else if (!isDeletion) {
    const plain = withoutDirectives(withoutNulls(value));
    if (plain === undefined) delete merged[key];
    else setOwn(merged, key, plain);
  }
}

/** Removes what `$retainKeys` does not list. Everything the patch sets has to be on that list. */
function retainKeys(merged: Mutable, patch: Mutable): void {
  const keys = getOwn(patch, RETAIN_KEYS);
  if (keys === undefined) return;
  delete patch[RETAIN_KEYS];
  if (!isList(keys)) throw new PatchError("badRequest", "invalid patch format of retainKeys");
  const retained = new Set(keys);
  for (const [key, value] of Object.entries(patch)) {
    const isFree = value === null || key.startsWith(DELETE_LIST) || key.startsWith(SET_ORDER);
    if (!isFree && !retained.has(key)) throw new PatchError("badRequest", "invalid patch format of retainKeys");
  }
  for (const key of Object.keys(merged)) if (!retained.has(key)) delete merged[key];
}

/** Merges the lists that come with `$setElementOrder` and brings their items into that order. */
function orderLists(merged: Mutable, patch: Mutable, structure: Structure): void {
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(SET_ORDER) || order === undefined) continue;
    delete patch[key];
    if (!isList(order)) throw badArgument("[]interface {}", order);
    const name = nameAfter(key, SET_ORDER);
    const current = expectList(getOwn(merged, name));
    const given = expectList(getOwn(patch, name));
    const { strategy, mergeKey, below } = listStructure(structure, name);
    validateOrder(given ?? [], order, mergeKey);
    if (current === undefined && given === undefined) continue;
    const mergeItems = (one: JsonObject, other: JsonObject) => mergeObjects(one, other, itemsStructure(below));
    const list = combine(current, given, (one, other) =>
      strategy === "merge" ? mergeLists(one, other, { mergeKey, mergeItems, isDeletion: false }) : other,
    );
    setOwn(merged, name, orderItems(list, { order, mergeKey, current: current ?? [], given: given ?? [] }));
    delete patch[name];
  }
}

function combine(
  current: readonly Json[] | undefined,
  given: readonly Json[] | undefined,
  merge: (one: readonly Json[], other: readonly Json[]) => readonly Json[],
): readonly Json[] {
  if (given === undefined) return current ?? [];
  if (current !== undefined) return merge(current, given);
  return given.map(withoutDirectives).filter((item) => item !== undefined);
}

function expectList(value: Json | undefined): readonly Json[] | undefined {
  if (value === undefined || isList(value)) return value;
  throw badArgument("[]interface {}", value);
}

function nameAfter(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  const list = prefix === DELETE_LIST ? "primitive list" : "setElementOrder list";
  throw new PatchError("badRequest", `invalid patch format of ${list}`);
}

/** A new value without its nulls, also inside lists' objects. */
function withoutNulls(value: Json): Json {
  if (isList(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: Mutable = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== null && item !== undefined) setOwn(kept, key, withoutNulls(item));
  }
  return kept;
}

/** A new value without the objects that carry a directive: there is nothing they could be applied to. */
function withoutDirectives(value: Json): Json | undefined {
  if (isList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const kept: Mutable = {};
  for (const [key, item] of Object.entries(value)) {
    const plain = item === undefined ? undefined : withoutDirectives(item);
    if (plain !== undefined) setOwn(kept, key, plain);
  }
  return kept;
}
