// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import { setOwn } from "../../../schema/json.ts";
import type { JsonObject } from "../json-object.ts";
import { type FieldSet, isEmpty, NO_FIELDS } from "./field-set.ts";
import { type FieldType, fieldTypeIn, kindOf, type ListType, type MapType } from "./field-type.ts";
import { validItemElement } from "./list-items.ts";
import { fieldElement } from "./path-element.ts";

/** A value without the fields and items of a set. A list or map of which nothing is left, but which stays, becomes null. */
export function removeFields(type: FieldType, value: Json, set: FieldSet): Json {
  if (isEmpty(set)) return value;
  switch (kindOf(type, value)) {
    case "map":
      return type.map === undefined || type.map.isAtomic || !isObject(value) ? null : removeInMap(type.map, value, set);
    case "list":
      return type.list === undefined || type.list.isAtomic || !isList(value)
        ? null
        : removeInList(type.list, value, set);
    default:
      return value;
  }
}

function removeInMap(map: MapType, value: JsonObject, set: FieldSet): Json {
  const kept: { [key: string]: Json | undefined } = {};
  let count = 0;
  for (const [name, item] of Object.entries(value)) {
    const node = set.get(fieldElement(name));
    if (item === undefined || node?.owned === true) continue;
    const fieldType = fieldTypeIn(map, name);
    setOwn(kept, name, fieldType === undefined ? item : removeFields(fieldType, item, node?.below ?? NO_FIELDS));
    count += 1;
  }
  return count === 0 ? null : kept;
}

function removeInList(list: ListType, items: readonly Json[], set: FieldSet): Json {
  const kept: Json[] = [];
  for (const item of items) {
    const node = set.get(validItemElement(list, item));
    if (node?.owned !== true) kept.push(removeFields(list.items, item, node?.below ?? NO_FIELDS));
  }
  return kept.length === 0 ? null : kept;
}
