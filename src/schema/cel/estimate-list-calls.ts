// SPDX-License-Identifier: Apache-2.0
import { LIST_COST } from "./cost.ts";
import {
  type CallEstimate,
  type Estimate,
  isText,
  itemOf,
  kindOf,
  known,
  type Operand,
  PER_CHARACTER,
  sizeOf,
  traversal,
} from "./estimate-operand.ts";
import { exactly, MOST, multiplySizes, plus, type Size, scale, times, wrap } from "./estimate-size.ts";
import type { CelType } from "./types.ts";

/** Going through a list, or through a text. */
const walksList: Estimate = (call) => {
  const item = itemOf(call.target);
  const size = sizeOf(call.target, call);
  if (item === undefined) return { cost: traversal(size) };
  const each = isText(item.type) ? plus(1n, traversal(sizeOf(item, call))) : 1n;
  return { cost: times(size.max, each) };
};

/** A call that makes a list of a size. */
const makesList = (size: Size, factor: number): CallEstimate => ({
  cost: plus(scale(size.max, factor), 1n + BigInt(LIST_COST)),
  size,
});

function literalInteger(operand: Operand | undefined, otherwise: bigint): bigint {
  const { expr } = operand ?? {};
  if (expr?.kind !== "literal" || typeof expr.value !== "bigint") return otherwise;
  return expr.value < 0n ? 0n : expr.value;
}

const slice: Estimate = (call) => {
  const [from, to] = call.args;
  const end = literalInteger(to, sizeOf(call.target, call).max);
  return makesList(exactly(wrap(end - literalInteger(from, 0n))), 1);
};

const flatten: Estimate = (call) => {
  const depth = call.args.length === 0 ? 1n : literalInteger(call.args[0], MOST);
  return makesList(sizeOf(call.target, call), Number(depth));
};

/** Comparing every item with every other one. */
const squared = (size: Size, item: CelType | undefined): CallEstimate =>
  makesList(multiplySizes(size, size), isText(item) ? 2 + PER_CHARACTER : 2);

const sets =
  (factor: number): Estimate =>
  (call) => {
    const [first, second] = call.args.map((argument) => sizeOf(argument, call));
    if (first === undefined || second === undefined) return undefined;
    return { cost: plus(scale(times(first.max, second.max), factor), 1n) };
  };

/** What functions on lists can cost, by name. */
export const listEstimates: readonly (readonly [string, Estimate])[] = [
  ["@in", (call) => (kindOf(call, 1) === "list" ? { cost: known(call.args[1]).max } : undefined)],
  ["isSorted", walksList],
  ["sum", walksList],
  ["max", walksList],
  ["min", walksList],
  ["indexOf", walksList],
  ["lastIndexOf", walksList],
  ["sets.contains", sets(1)],
  ["sets.intersects", sets(1)],
  ["sets.equivalent", sets(2)],
  ["slice", slice],
  ["flatten", flatten],
  ["lists.range", ({ args: [count] }) => makesList(exactly(literalInteger(count, MOST)), 1)],
  ["reverse", (call) => makesList(sizeOf(call.target, call), 1)],
  ["distinct", (call) => squared(sizeOf(call.target, call), undefined)],
  ["sort", (call) => squared(sizeOf(call.target, call), call.overload.params[0]?.params[0])],
  ["@sortByAssociatedKeys", (call) => squared(sizeOf(call.args[0], call), call.overload.params[1]?.params[0])],
];
