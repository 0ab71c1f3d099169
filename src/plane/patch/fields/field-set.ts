// SPDX-License-Identifier: Apache-2.0
import { compareSortKeys, fieldElement, type PathElement, sortKey } from "./path-element.ts";

/**
 * A set of paths, as a trie. A path is in the set when its last step's node is `owned`; nodes that only lead to others are
 * not. Sets are never changed: operations return new ones, and share, or return whole, what stays the same.
 */
export type FieldSet = ReadonlyMap<PathElement, FieldNode>;

export interface FieldNode {
  readonly owned: boolean;
  readonly below: FieldSet;
}

/** A set under construction. */
export type MutableFieldSet = Map<PathElement, FieldNode>;

export const NO_FIELDS: FieldSet = new Map();

/** The node of a path that nothing is below of. */
export const LEAF: FieldNode = { owned: true, below: NO_FIELDS };

/** The set of these paths of field names. */
export function fieldSet(paths: readonly (readonly string[])[]): FieldSet {
  const set: MutableFieldSet = new Map();
  for (const path of paths) {
    const [last = "", ...before] = path.map(fieldElement).reverse();
    let node: MutableFieldSet = new Map([[last, LEAF]]);
    for (const element of before) node = new Map([[element, { owned: false, below: node }]]);
    for (const [element, added] of node) set.set(element, joinNodes(set.get(element), added));
  }
  return set;
}

/** Adds a node below a step of a set under construction, joined with what is there. */
export function addNode(set: MutableFieldSet, element: PathElement, node: FieldNode): void {
  set.set(element, joinNodes(set.get(element), node));
}

function joinNodes(left: FieldNode | undefined, right: FieldNode): FieldNode {
  if (left === undefined || left === right) return right;
  const below = union(left.below, right.below);
  const owned = left.owned || right.owned;
  return owned === left.owned && below === left.below ? left : { owned, below };
}

/** Whether no path is in the set. */
export function isEmpty(set: FieldSet): boolean {
  for (const { owned, below } of set.values()) if (owned || !isEmpty(below)) return false;
  return true;
}

/** Whether two sets have the same paths. Needs no sorting. */
export function isSame(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  if (left.size !== right.size) return false;
  for (const [element, node] of left) {
    const other = right.get(element);
    if (other === undefined || node.owned !== other.owned || !isSame(node.below, other.below)) return false;
  }
  return true;
}

/** The paths of either. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || right.size === 0) return left;
  if (left.size === 0) return right;
  let joined: MutableFieldSet | undefined;
  for (const [element, node] of right) {
    const known = left.get(element);
    const both = joinNodes(known, node);
    if (both === known) continue;
    joined ??= new Map(left);
    joined.set(element, both);
  }
  return joined ?? left;
}

/** The paths of any. Joins pairs, then pairs of pairs: many small sets take hardly longer than one that is as large. */
export function unionOfAll(sets: readonly FieldSet[]): FieldSet {
  let round = sets;
  while (round.length > 1) {
    const before = round;
    round = before.flatMap((set, at) => (at % 2 === 0 ? [union(set, before[at + 1] ?? NO_FIELDS)] : []));
  }
  return round[0] ?? NO_FIELDS;
}

/** The paths of both. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  const common: MutableFieldSet = new Map();
  const [fewer, more] = left.size <= right.size ? [left, right] : [right, left];
  for (const [element, node] of fewer) {
    const other = more.get(element);
    if (other === undefined) continue;
    const owned = node.owned && other.owned;
    const below = intersection(node.below, other.below);
    if (owned || below.size > 0) common.set(element, { owned, below });
  }
  return common.size === 0 ? NO_FIELDS : common;
}

/** The paths of the left that are not in the right; paths below those of the right stay. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return subtract(left, right, false);
}

/** The paths of the left that neither are in the right nor lie below a path of it. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  return subtract(left, right, true);
}

function subtract(left: FieldSet, right: FieldSet, withAllBelow: boolean): FieldSet {
  let rest: MutableFieldSet | undefined;
  const [fewer] = left.size <= right.size ? [left] : [right];
  for (const element of fewer.keys()) {
    const node = left.get(element);
    const other = right.get(element);
    if (node === undefined || other === undefined) continue;
    const owned = node.owned && !other.owned;
    const below = withAllBelow && other.owned ? NO_FIELDS : subtract(node.below, other.below, withAllBelow);
    if (owned === node.owned && below === node.below) continue;
    rest ??= new Map(left);
    if (owned || below.size > 0) rest.set(element, { owned, below });
    else rest.delete(element);
  }
  return rest ?? left;
}

/** The steps of a set in the server's order. */
export function sortedEntries(set: FieldSet): [PathElement, FieldNode][] {
  if (set.size < 2) return [...set];
  const keyed = [...set].map((entry) => ({ entry, key: sortKey(entry[0]) }));
  return keyed.sort((left, right) => compareSortKeys(left.key, right.key)).map(({ entry }) => entry);
}

/** The paths of a set as the server goes through them: those that end here first, then what is below. */
export function* pathsOf(set: FieldSet, parent: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  const entries = sortedEntries(set);
  for (const [element, { owned }] of entries) if (owned) yield [...parent, element];
  for (const [element, { below }] of entries) yield* pathsOf(below, [...parent, element]);
}

/** Whether a path is in the set. */
export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let below: FieldSet | undefined = set;
  let owned = false;
  for (const element of path) {
    const node: FieldNode | undefined = below?.get(element);
    owned = node?.owned ?? false;
    below = node?.below;
  }
  return owned;
}
