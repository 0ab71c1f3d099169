// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { getOwn } from "../../schema/json.ts";
import { goText, goType } from "./fields/go-values.ts";
import type { JsonObject } from "./json-object.ts";
import { PatchError } from "./patch-error.ts";
import { badArgument, badDirective, noMergeKey } from "./strategic-words.ts";

const DIRECTIVE = "$patch";

/** How two lists are merged. */
export interface ListMerge {
  /** The field that tells objects apart; empty for lists of scalars. */
  readonly mergeKey: string;
  readonly mergeItems: (current: JsonObject, patch: JsonObject) => JsonObject;
  /** Whether the patch lists what to delete. */
  readonly isDeletion: boolean;
}

/** Merges a patch's list into the current one. The patch's items stand in its order, the others where they were. */
export function mergeLists(current: readonly Json[], patch: readonly Json[], how: ListMerge): readonly Json[] {
  const kind = elementKind(current, patch);
  if (kind === undefined) return current;
  if (kind !== "object") {
    const given = new Set(patch);
    if (how.isDeletion) return current.filter((item) => !given.has(item));
    return arrange([...new Set([...current, ...patch])], { order: patch, current, mergeKey: "" });
  }
  if (how.mergeKey === "") throw new PatchError("internal", "cannot merge lists without merge key for struct");
  const { remaining, additions } = applyDirectives(objectsOf(current), objectsOf(patch), how.mergeKey);
  const merged = mergeByKey(remaining, additions, how);
  return arrange(merged, { order: additions, current: remaining, mergeKey: how.mergeKey });
}

/** What order to bring a list into. */
interface Arrangement {
  readonly order: readonly Json[];
  readonly current: readonly Json[];
  readonly mergeKey: string;
}

/** Brings a list that was merged from these two into the order a patch asks for. */
export function orderItems(
  list: readonly Json[],
  { given, current, ...arrangement }: Arrangement & { readonly given: readonly Json[] },
): readonly Json[] {
  if (elementKind(current, given) === undefined)
    throw new PatchError("internal", "no elements in any of the given slices");
  return arrange(list, { ...arrangement, current: reusedPlaces(current, given, arrangement.mergeKey) });
}

/**
 * The current list as the server orders by it: new items have taken the places at its end that deleted ones left free, since
 * the server merges in place. Where an item is deleted and another added at once, this decides where the new one stands.
 */
function reusedPlaces(current: readonly Json[], given: readonly Json[], mergeKey: string): readonly Json[] {
  if (mergeKey === "") return current;
  const isDeleted = (item: Json) => isObject(item) && item[DIRECTIVE] === "delete";
  const gone = new Set(given.filter(isDeleted).map((item) => keyOf(item, mergeKey)));
  const known = new Set(current.map((item) => keyOf(item, mergeKey)));
  const rest = current.filter((item) => !gone.has(keyOf(item, mergeKey)));
  const added = given.filter((item) => {
    if (hasDirective(item)) return false;
    const key = keyOf(item, mergeKey);
    return !known.has(key) || gone.has(key);
  });
  return [...rest, ...added.slice(0, current.length - rest.length)];
}

/** The items of a patch have to stand in the order that it asks for. */
export function validateOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const items = mergeKey === "" ? patch : objectsOf(patch).filter((item) => item[DIRECTIVE] !== "delete");
  let at = 0;
  for (const wanted of order) {
    while (at < items.length && hasDirective(items[at])) at += 1;
    const item = items[at];
    if (item === undefined) return;
    if (keyOf(item, mergeKey) === keyOf(wanted, mergeKey)) at += 1;
  }
  while (at < items.length && hasDirective(items[at])) at += 1;
  if (at < items.length)
    throw new PatchError(
      "internal",
      `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
    );
}

function hasDirective(item: Json | undefined): boolean {
  return isObject(item) && Object.hasOwn(item, DIRECTIVE);
}

/** What tells an item from others: itself, or its merge key's value. */
function keyOf(item: Json, mergeKey: string): Json {
  if (mergeKey === "") return item;
  if (!isObject(item)) throw badArgument("map[string]interface {}", item);
  const key = getOwn(item, mergeKey);
  if (key === undefined) throw noMergeKey(item, mergeKey);
  return key;
}

/** All items of both lists are of one kind. Undefined where there are no items at all. */
function elementKind(...lists: readonly (readonly Json[])[]): "object" | "scalar" | undefined {
  const types = new Set(lists.flat().map((item) => goType(item)));
  const [first] = types;
  if (first === undefined) return undefined;
  if (first === "[]interface {}")
    throw new PatchError("unprocessable", "the server rejected our request due to an error in our request");
  if (types.size > 1 || first === "<nil>")
    throw new PatchError("internal", `list element types are not identical: ${goText(lists)}`);
  return first === "map[string]interface {}" ? "object" : "scalar";
}

function objectsOf(list: readonly Json[]): JsonObject[] {
  return list.map((item) => {
    if (!isObject(item)) throw badArgument("map[string]interface {}", item);
    return item;
  });
}

interface Directed {
  readonly remaining: readonly JsonObject[];
  readonly additions: readonly JsonObject[];
}

/** Carries out the items that are directives: `delete` what has this key, `replace` the whole list. */
function applyDirectives(current: readonly JsonObject[], patch: readonly JsonObject[], mergeKey: string): Directed {
  const gone = new Set<Json>();
  let isReplaced = false;
  const additions: JsonObject[] = [];
  for (const item of patch) {
    const directive = getOwn(item, DIRECTIVE);
    if (directive === undefined) additions.push(item);
    else if (directive === "replace") isReplaced = true;
    else if (directive === "delete") gone.add(keyOf(item, mergeKey));
    else if (directive === "merge")
      throw new PatchError("internal", "merging lists cannot yet be specified in the patch");
    else throw badDirective(directive, item);
  }
  if (isReplaced) return { remaining: additions, additions: [] };
  const isKept = (item: JsonObject) => !gone.has(getOwn(item, mergeKey) ?? null);
  return { remaining: gone.size === 0 ? current : current.filter(isKept), additions };
}

function mergeByKey(current: readonly JsonObject[], patch: readonly JsonObject[], how: ListMerge): JsonObject[] {
  const merged = [...current];
  const places = new Map<Json, number>();
  for (const [index, item] of merged.entries()) {
    const key = getOwn(item, how.mergeKey);
    if (key !== undefined && !places.has(key)) places.set(key, index);
  }
  for (const item of patch) {
    const key = keyOf(item, how.mergeKey);
    const place = places.get(key);
    const known = place === undefined ? undefined : merged[place];
    if (place === undefined || known === undefined) {
      places.set(key, merged.length);
      merged.push(item);
    } else merged[place] = how.mergeItems(known, item);
  }
  return merged;
}

/** The items that `order` names in that order, the others as in the current list, the two woven together as they stood. */
function arrange(list: readonly Json[], { order, current, mergeKey }: Arrangement): readonly Json[] {
  const wanted = ranks(order, mergeKey);
  const known = ranks(current, mergeKey);
  const [ordered, others]: [Json[], Json[]] = [[], []];
  for (const item of list) (wanted.has(keyOf(item, mergeKey)) ? ordered : others).push(item);
  const rankIn = (rank: ReadonlyMap<Json, number>, item: Json) => rank.get(keyOf(item, mergeKey));
  ordered.sort((one, other) => (rankIn(wanted, one) ?? 0) - (rankIn(wanted, other) ?? 0));
  others.sort((one, other) => (rankIn(known, one) ?? 0) - (rankIn(known, other) ?? 0));

  const woven: Json[] = [];
  let [left, right] = [0, 0];
  while (left < others.length || right < ordered.length) {
    const [other, next] = [others[left], ordered[right]];
    const isOtherFirst =
      next === undefined || (other !== undefined && stoodBefore(rankIn(known, other), rankIn(known, next)));
    if (other !== undefined && isOtherFirst) {
      woven.push(other);
      left += 1;
    } else if (next !== undefined) {
      woven.push(next);
      right += 1;
    }
  }
  return woven;
}

function stoodBefore(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one < other;
}

function ranks(list: readonly Json[], mergeKey: string): Map<Json, number> {
  const found = new Map<Json, number>();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item, mergeKey);
    if (!found.has(key)) found.set(key, index);
  }
  return found;
}
