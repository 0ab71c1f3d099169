// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import { deepEqual, getOwn } from "../../../schema/json.ts";
import type { JsonObject } from "../json-object.ts";
import { addNode, type FieldSet, LEAF, type MutableFieldSet, NO_FIELDS, recursiveDifference } from "./field-set.ts";
import { type FieldType, fieldTypeIn, kindOf, type ListType, type MapType } from "./field-type.ts";
import { validItemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/** How one object differs from another, field by field. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two objects of a type. What is added or removed is so with all that is in it. */
export function compareFields(type: FieldType, left: Json, right: Json): Comparison {
  const { below } = compareValues(type, left, right);
  return {
    added: below.added ?? NO_FIELDS,
    modified: below.modified ?? NO_FIELDS,
    removed: below.removed ?? NO_FIELDS,
  };
}

/** The comparison without these fields and what is below them. */
export function withoutFields({ added, modified, removed }: Comparison, fields: FieldSet): Comparison {
  return {
    added: recursiveDifference(added, fields),
    modified: recursiveDifference(modified, fields),
    removed: recursiveDifference(removed, fields),
  };
}

type Sign = "added" | "modified" | "removed";
const SIGNS: readonly Sign[] = ["added", "modified", "removed"];

/** Sets are made only once something is in them: most of what is compared is equal. */
type Below = { [sign in Sign]?: MutableFieldSet };

interface Difference {
  /** What became of the value itself. */
  readonly self: Sign | undefined;
  readonly below: Below;
}

const SAME: Difference = { self: undefined, below: {} };

/** Compares what stands at one place; undefined where nothing does. */
function compareValues(type: FieldType, left: Json | undefined, right: Json | undefined): Difference {
  if (left === right) return SAME;
  const below: Below = {};
  let isChangedLeaf = false;
  // A value that changed its kind is compared as both: as a leaf that changed, and by the parts that came or went.
  for (const kind of kindsOf(type, left, right)) {
    if (!compareAs(kind, type, { left, right, below })) isChangedLeaf ||= !deepEqual(left, right);
  }
  if (left === undefined) return { self: "added", below };
  if (right === undefined) return { self: "removed", below };
  return isChangedLeaf ? { self: "modified", below } : { self: undefined, below };
}

function kindsOf(type: FieldType, left: Json | undefined, right: Json | undefined): Set<string | undefined> {
  const kinds = new Set<string | undefined>();
  if (left !== undefined) kinds.add(kindOf(type, left));
  if (right !== undefined) kinds.add(kindOf(type, right));
  return kinds;
}

interface Sides {
  readonly left: Json | undefined;
  readonly right: Json | undefined;
  readonly below: Below;
}

/** Compares part by part. False where the value is a leaf: a scalar, atomic, or empty on both sides. */
function compareAs(kind: string | undefined, { map, list }: FieldType, { left, right, below }: Sides): boolean {
  if (kind === "map" && map !== undefined && !map.isAtomic) {
    const [one, other] = [fieldsOf(left), fieldsOf(right)];
    if (one === undefined && other === undefined) return false;
    compareMaps(map, one ?? {}, other ?? {}, below);
    return true;
  }
  if (kind === "list" && list !== undefined && !list.isAtomic) {
    const [one, other] = [itemsOf(left), itemsOf(right)];
    if (one.length === 0 && other.length === 0) return false;
    compareLists(list, one, other, below);
    return true;
  }
  return false;
}

function fieldsOf(value: Json | undefined): JsonObject | undefined {
  return isObject(value) && Object.keys(value).length > 0 ? value : undefined;
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function compareMaps(map: MapType, left: JsonObject, right: JsonObject, below: Below): void {
  for (const name of Object.keys(left)) {
    const fieldType = fieldTypeIn(map, name);
    if (fieldType !== undefined)
      note(below, fieldElement(name), compareValues(fieldType, left[name], getOwn(right, name)));
  }
  for (const name of Object.keys(right)) {
    if (Object.hasOwn(left, name)) continue;
    const fieldType = fieldTypeIn(map, name);
    if (fieldType !== undefined) note(below, fieldElement(name), compareValues(fieldType, undefined, right[name]));
  }
}

function compareLists(list: ListType, left: readonly Json[], right: readonly Json[], below: Below): void {
  const [before, after] = [byElement(list, left), byElement(list, right)];
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    const [ones, others] = [before.get(element) ?? [], after.get(element) ?? []];
    if (ones.length <= 1 && others.length <= 1) {
      note(below, element, compareValues(list.items, ones[0], others[0]));
    } else if (ones.length > 1 && others.length > 1) {
      if (!deepEqual(ones, others)) put(below, "modified", element);
    } else if (ones.length > 1) {
      // Items that are there twice are owned as one; what remains of them counts as new.
      if (others.length > 0) note(below, element, compareValues(list.items, undefined, others[0]));
      put(below, "removed", element);
    } else {
      if (ones.length > 0) note(below, element, compareValues(list.items, ones[0], undefined));
      put(below, "added", element);
    }
  }
}

function byElement(list: ListType, items: readonly Json[]): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = validItemElement(list, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}

function note(into: Below, element: PathElement, { self, below }: Difference): void {
  for (const sign of SIGNS) {
    const set = below[sign];
    if (set === undefined && self !== sign) continue;
    into[sign] ??= new Map();
    addNode(into[sign], element, { owned: self === sign, below: set ?? NO_FIELDS });
  }
}

function put(into: Below, sign: Sign, element: PathElement): void {
  into[sign] ??= new Map();
  addNode(into[sign], element, LEAF);
}
