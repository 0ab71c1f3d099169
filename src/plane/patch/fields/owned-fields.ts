// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import {
  addNode,
  type FieldNode,
  type FieldSet,
  fieldSet,
  LEAF,
  type MutableFieldSet,
  NO_FIELDS,
} from "./field-set.ts";
import { type FieldType, fieldTypeIn, isDeducedMap, kindOf, type ListType, type MapType } from "./field-type.ts";
import { validItemElement } from "./list-items.ts";
import { fieldElement, fieldNameOf, type PathElement } from "./path-element.ts";

/**
 * The fields that a configuration lays claim to: its leaves, its list items, the keys of its maps, and what it says is empty
 * or null. Objects with named fields are not claimed themselves.
 */
export function claimedFields(type: FieldType, value: Json): FieldSet {
  return claimedBelow(type, value).below;
}

function claimedBelow(type: FieldType, value: Json): FieldNode {
  switch (kindOf(type, value)) {
    case "map":
      if (type.map === undefined || type.map.isAtomic) return LEAF;
      return { owned: false, below: isObject(value) ? claimedInMap(type.map, value) : NO_FIELDS };
    case "list":
      if (type.list === undefined || type.list.isAtomic) return LEAF;
      return { owned: false, below: isList(value) ? claimedInList(type.list, value) : NO_FIELDS };
    default:
      return LEAF;
  }
}

function claimedInMap(map: MapType, value: { readonly [key: string]: Json | undefined }): FieldSet {
  const set: MutableFieldSet = new Map();
  for (const [name, item] of Object.entries(value)) {
    const fieldType = fieldTypeIn(map, name);
    if (item === undefined || fieldType === undefined) continue;
    const { owned, below } = claimedBelow(fieldType, item);
    const isBare = item === null || (isObject(item) && Object.keys(item).length === 0);
    const isOwned = owned || isBare || !map.fields.has(name);
    if (isOwned || below.size > 0) set.set(fieldElement(name), { owned: isOwned, below });
  }
  return set;
}

function claimedInList(list: ListType, items: readonly Json[]): FieldSet {
  const set: MutableFieldSet = new Map();
  const elements = items.map((item) => validItemElement(list, item));
  const seen = new Set<PathElement>();
  const repeated = new Set<PathElement>();
  for (const element of elements) (seen.has(element) ? repeated : seen).add(element);
  for (const [index, element] of elements.entries()) {
    // Of items that are there twice nobody can own a part.
    const below = repeated.has(element) ? NO_FIELDS : claimedBelow(list.items, items[index] ?? null).below;
    addNode(set, element, { owned: true, below });
  }
  return set;
}

/** The set with the named fields that lead to its paths as members too: removing those then leaves no empty shells. */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  if (set.size === 0) return set;
  const named: MutableFieldSet = new Map();
  for (const [element, { owned, below }] of set) {
    const name = fieldNameOf(element);
    const isNamed = name !== undefined && below.size > 0 && type?.map?.fields.has(name) === true;
    named.set(element, { owned: owned || isNamed, below: withNamedFields(below, typeBelow(type, element)) });
  }
  return named;
}

function typeBelow(type: FieldType | undefined, element: PathElement): FieldType | undefined {
  const name = fieldNameOf(element);
  if (name !== undefined) return type?.map === undefined ? undefined : fieldTypeIn(type.map, name);
  return element.startsWith("k:") ? type?.list?.items : undefined;
}

/** The set as the type has it today: what has become atomic since is owned as a whole. */
export function reconciled(set: FieldSet, type: FieldType): FieldSet {
  let changed: MutableFieldSet | undefined;
  for (const [element, node] of set) {
    const below = type.map === undefined ? listItemsOf(type) : fieldTypeOf(type.map, element);
    const now = below === undefined ? node : reconciledNode(node, below);
    if (now === node) continue;
    changed ??= new Map(set);
    changed.set(element, now);
  }
  return changed ?? set;
}

function fieldTypeOf(map: MapType, element: PathElement): FieldType | undefined {
  const name = fieldNameOf(element);
  return name === undefined ? map.element : fieldTypeIn(map, name);
}

function listItemsOf({ scalar, list }: FieldType): FieldType | undefined {
  return scalar === undefined ? list?.items : undefined;
}

function reconciledNode(node: FieldNode, type: FieldType): FieldNode {
  const hasBelow = node.below.size > 0;
  if (type.map !== undefined) {
    if (isDeducedMap(type.map)) return node;
    if (type.map.isAtomic) return hasBelow ? LEAF : node;
  } else if (type.scalar === undefined && type.list?.isAtomic === true) {
    return node.owned && !hasBelow ? node : LEAF;
  }
  const below = reconciled(node.below, type);
  return below === node.below ? node : { owned: node.owned, below };
}

/** What is never part of anybody's set: who an object is, and what the server alone writes. */
export const NEVER_OWNED: FieldSet = fieldSet([
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["metadata", name]),
]);
