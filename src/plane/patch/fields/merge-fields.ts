// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import { deepEqual, getOwn, setOwn } from "../../../schema/json.ts";
import type { JsonObject } from "../json-object.ts";
import { type FieldType, fieldTypeIn, kindOf, type ListType, type MapType } from "./field-type.ts";
import { validItemElement } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";

/**
 * A live value with a configuration laid over it. Nothing is removed; items of keyed lists and sets are matched up and stand
 * in the configuration's order. Returns the live value itself where the configuration changes nothing.
 */
export function mergeFields(type: FieldType, live: Json, config: Json): Json {
  switch (kindOf(type, config)) {
    case "map":
      if (type.map === undefined || type.map.isAtomic) break;
      if (hasFields(live) || hasFields(config)) return mergeMaps(type.map, fieldsOf(live), fieldsOf(config), live);
      break;
    case "list":
      if (type.list === undefined || type.list.isAtomic) break;
      if (itemsOf(live).length > 0 || itemsOf(config).length > 0)
        return mergeLists(type.list, itemsOf(live), itemsOf(config), live);
  }
  return deepEqual(live, config) ? live : config;
}

function hasFields(value: Json): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function fieldsOf(value: Json): JsonObject {
  return isObject(value) ? value : {};
}

function itemsOf(value: Json): readonly Json[] {
  return isList(value) ? value : [];
}

function mergeMaps(map: MapType, live: JsonObject, config: JsonObject, whole: Json): Json {
  const merged: { [key: string]: Json | undefined } = { ...live };
  let isChanged = false;
  for (const [name, value] of Object.entries(config)) {
    const fieldType = fieldTypeIn(map, name);
    if (value === undefined || fieldType === undefined) continue;
    const current = getOwn(live, name);
    const next = current === undefined ? value : mergeFields(fieldType, current, value);
    if (next === current) continue;
    isChanged = true;
    setOwn(merged, name, next);
  }
  return isChanged ? merged : whole;
}

/**
 * Walks both lists at once. Items of the configuration keep their order; items that only the live list has stay behind
 * the neighbour they stood behind, as far as that is still to be said.
 */
function mergeLists(list: ListType, live: readonly Json[], config: readonly Json[], whole: Json): Json {
  const liveElements = live.map((item) => validItemElement(list, item));
  const configElements = config.map((item) => validItemElement(list, item));
  const current = indexLive(live, liveElements);
  const wanted = new Map(configElements.map((element, index) => [element, config[index] ?? null]));
  const shared = configElements.filter((element) => current.has(element));
  const taken = new Set<PathElement>();
  const merged: Json[] = [];
  let nextShared = 0;

  function take(element: PathElement): void {
    taken.add(element);
    const value = wanted.get(element) ?? null;
    const known = current.get(element);
    merged.push(known === undefined ? value : mergeFields(list.items, known, value));
    if (shared[nextShared] === element) nextShared += 1;
  }

  let left = 0;
  let right = 0;
  while (left < live.length || right < config.length) {
    const liveElement = liveElements[left];
    const configElement = configElements[right];
    if (liveElement !== undefined && liveElement === configElement) {
      take(liveElement);
      left += 1;
      right += 1;
      continue;
    }
    if (liveElement !== undefined) {
      if (!wanted.has(liveElement)) {
        merged.push(live[left] ?? null);
        left += 1;
        continue;
      }
      const isOutOfTurn = configElement !== undefined && shared[nextShared] !== undefined;
      if (isOutOfTurn && shared[nextShared] !== liveElement) {
        left += 1;
        continue;
      }
      if (taken.has(liveElement)) left += 1;
    }
    if (configElement !== undefined) {
      take(configElement);
      right += 1;
    }
  }
  const isSame = merged.length === live.length && merged.every((item, index) => item === live[index]);
  return isSame ? whole : merged;
}

/** The items by element; of those that are there twice there is nothing to merge with, so they count as null. */
function indexLive(items: readonly Json[], elements: readonly PathElement[]): Map<PathElement, Json> {
  const found = new Map<PathElement, Json>();
  for (const [index, element] of elements.entries())
    found.set(element, found.has(element) ? null : (items[index] ?? null));
  return found;
}
