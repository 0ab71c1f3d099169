// SPDX-License-Identifier: Apache-2.0
import { isList, isObject, quote } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import { getOwn } from "../../../schema/json.ts";
import type { JsonObject } from "../json-object.ts";
import type { ListType } from "./field-type.ts";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";

/** Which item of a list this is, or in words why it is none. Keys that are left out have their defaults. */
export function itemElement(list: ListType, item: Json): PathElement | { readonly problem: string } {
  return list.keys.length === 0 ? setElement(item) : keyedElement(list, item);
}

/** The same for a list that has been validated. */
export function validItemElement(list: ListType, item: Json): PathElement {
  const element = itemElement(list, item);
  return typeof element === "string" ? element : "";
}

function setElement(item: Json): PathElement | { readonly problem: string } {
  if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
  if (isList(item)) return { problem: "not supported: associative list with lists as elements" };
  if (isObject(item)) return { problem: "associative list without keys has an element that's a map type" };
  return valueElement(item);
}

function keyedElement({ keys, items }: ListType, item: Json): PathElement | { readonly problem: string } {
  if (item === null) return { problem: "associative list with keys may not have a null element" };
  if (!isObject(item)) return { problem: "associative list with keys may not have non-map elements" };
  const found: { [key: string]: Json } = {};
  for (const key of keys) {
    const value = getOwn(item, key) ?? items.map?.fields.get(key)?.default;
    if (value !== undefined) found[key] = value;
  }
  if (Object.keys(found).length > 0) return keyElement(found satisfies JsonObject);
  const names = keys.map(quote).join(" ");
  return {
    problem: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}
