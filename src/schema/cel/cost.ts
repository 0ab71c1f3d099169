// SPDX-License-Identifier: Apache-2.0
import { addressBits } from "../../lib/ip.ts";
import { codePointCount } from "../go-text.ts";
import { type CelValue, isCelList, isCelMap, kindOf, tagged } from "./values.ts";

/** What a rule may cost at most: a bad rule or a huge object must not stop the process. The server has the same limit. */
export const RULE_COST_LIMIT = 1_000_000;

/** What all rules of one object may cost together. */
export const OBJECT_COST_LIMIT = 10_000_000;

export const LIST_COST = 10;
export const MAP_COST = 30;

const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;

function sizeOf(value: CelValue): number {
  if (typeof value === "string") return codePointCount(value);
  if (value instanceof Uint8Array) return value.length;
  if (isCelList(value) || isCelMap(value)) return value.size;
  const ip = tagged(value, "ip")?.ip;
  if (ip !== undefined) return addressBits(ip.family) / 8;
  const cidr = tagged(value, "cidr")?.cidr;
  if (cidr !== undefined) return Math.ceil(cidr.prefixLength / 8);
  const held = tagged(value, "optional")?.value;
  return held === undefined ? 1 : sizeOf(held);
}

const traversal = (value: CelValue, times = 1): number => Math.ceil(sizeOf(value) * times * PER_CHARACTER);

const patternCost = (text: CelValue, pattern: CelValue): number =>
  Math.ceil((1 + sizeOf(text)) * PER_CHARACTER) * Math.ceil(sizeOf(pattern) * PER_PATTERN_CHARACTER);

/** Going through a list once, its strings included. */
function listTraversal(value: CelValue): number {
  if (!isCelList(value)) return traversal(value);
  let cost = 0;
  for (let at = 0; at < value.size; at++) {
    const item = value.at(at);
    cost += typeof item === "string" || item instanceof Uint8Array ? traversal(item) : 1;
  }
  return cost;
}

type CostOf = (first: CelValue, second: CelValue, result: CelValue) => number;

const smaller: CostOf = (first, second) => Math.ceil(Math.min(sizeOf(first), sizeOf(second)) * PER_CHARACTER);
const isText = (value: CelValue): boolean => typeof value === "string" || value instanceof Uint8Array;
const order: CostOf = (first, second) => (isText(first) ? smaller(first, second, null) : 1);
const once: CostOf = (first) => traversal(first);
const twice: CostOf = (first) => traversal(first, 2);
const list: CostOf = (first) => listTraversal(first);
const squared: CostOf = (first) => 11 + 2 * sizeOf(first) ** 2;
const produced: CostOf = (_first, _second, result) => 11 + sizeOf(result);
const pairs: CostOf = (first, second) => 1 + sizeOf(first) * sizeOf(second);

const COSTS: ReadonlyMap<string, CostOf> = new Map<string, CostOf>([
  [
    "_==_",
    (first, second) =>
      kindOf(first) === undefined || isCelList(first) || isCelMap(first) ? smaller(first, second, null) : 1,
  ],
  ["_!=_", smaller],
  ["_<_", order],
  ["_<=_", order],
  ["_>_", order],
  ["_>=_", order],
  ["_+_", (first, second) => (isText(first) ? Math.ceil((sizeOf(first) + sizeOf(second)) * PER_CHARACTER) : 1)],
  ["@in", (_, second) => (isCelList(second) ? second.size : 1)],
  ["startsWith", once],
  ["endsWith", once],
  ["bytes", once],
  ["strings.quote", once],
  ["format", once],
  ["contains", (first, second) => traversal(first) * traversal(second)],
  ["matches", patternCost],
  ["find", patternCost],
  ["findAll", patternCost],
  ["isSorted", list],
  ["sum", list],
  ["max", list],
  ["min", list],
  ["indexOf", list],
  ["lastIndexOf", list],
  ["url", once],
  ["lowerAscii", once],
  ["upperAscii", once],
  ["substring", once],
  ["trim", once],
  ["replace", twice],
  ["split", twice],
  ["join", (_first, _second, result) => traversal(result, 2)],
  ["cidr", once],
  ["isIP", once],
  ["isCIDR", once],
  ["ip", (first) => (kindOf(first) === "cidr" ? 1 : traversal(first))],
  ["ip.isCanonical", twice],
  ["containsIP", (first, second) => traversal(first, 2) + (isText(second) ? traversal(second) : 0)],
  [
    "containsCIDR",
    (first, second) => traversal(first, 2) + traversal(first) + 1 + (isText(second) ? traversal(second) : 0),
  ],
  ["quantity", once],
  ["isQuantity", once],
  ["semver", once],
  ["isSemver", once],
  ["validate", (_, second) => Math.ceil((1 + sizeOf(second)) * PER_CHARACTER) * 15],
  ["sets.contains", pairs],
  ["sets.intersects", pairs],
  ["sets.equivalent", (first, second) => 1 + 2 * sizeOf(first) * sizeOf(second)],
  ["slice", produced],
  ["flatten", produced],
  ["lists.range", produced],
  ["reverse", produced],
  ["distinct", squared],
  ["sort", squared],
  ["@sortByAssociatedKeys", squared],
]);

/** What a call costs, about as the server counts; most calls cost 1. */
export function callCost(name: string, args: readonly CelValue[], result: CelValue): number {
  const [first = null, second = null] = args;
  return COSTS.get(name)?.(first, second, result) ?? 1;
}
