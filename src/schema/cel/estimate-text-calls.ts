// SPDX-License-Identifier: Apache-2.0
import { type Estimate, itemOf, kindOf, known, patternCost, sizeOf, traversal } from "./estimate-operand.ts";
import { addSizes, exactly, multiplySizes, plus, times, wrap } from "./estimate-size.ts";

const part: Estimate = ({ args: [text] }) => ({ cost: traversal(known(text)) });

const rewrites: Estimate = (call) => {
  const size = sizeOf(call.target, call);
  return { cost: traversal(size), size };
};

/** The longest result has the shortest texts replaced with the longest ones, as often as they fit. */
const replace: Estimate = (call) => {
  const [found, put] = call.args.map((argument) => sizeOf(argument, call));
  const text = sizeOf(call.target, call);
  if (found === undefined || put === undefined) return undefined;
  const ratio = (whole: bigint, part: bigint): bigint => BigInt(Math.ceil(Number(whole) / Number(part)));
  let most = { count: ratio(text.max, found.min || 1n), kept: 0n };
  if (found.min === 0n) most = { count: plus(text.max, 1n), kept: text.max };
  else if (put.max <= found.min) most = { count: 0n, kept: text.max };
  let least = { count: ratio(text.min, found.max || 1n), kept: 0n };
  if (found.max === 0n) least = { count: plus(text.min, 1n), kept: text.min };
  else if (found.max <= put.min) least = { count: 0n, kept: text.min };
  const size = {
    min: plus(times(least.count, put.min), least.kept),
    max: plus(times(most.count, put.max), most.kept),
  };
  return { cost: traversal(text, 2), size };
};

const split: Estimate = (call) => {
  const text = sizeOf(call.target, call);
  const limit = call.args[1]?.expr;
  const max = limit?.kind === "literal" && typeof limit.value === "bigint" ? wrap(limit.value) : text.max;
  return { cost: traversal(text, 2), size: { min: 0n, max } };
};

const join: Estimate = (call) => {
  const list = sizeOf(call.target, call);
  const item = itemOf(call.target);
  let size = item === undefined ? exactly(0n) : multiplySizes(list, sizeOf(item, call));
  const [separator] = call.args;
  const between = (count: bigint): bigint => (count > 0n ? count - 1n : 0n);
  if (separator !== undefined) {
    const separators = multiplySizes(sizeOf(separator, call), { min: between(list.min), max: between(list.max) });
    size = addSizes(size, separators);
  }
  return { cost: traversal(size), size };
};

const find: Estimate = (call) => {
  const text = sizeOf(call.target, call);
  return { cost: patternCost(text, sizeOf(call.args[0], call)), size: { min: 0n, max: text.max } };
};

const quote: Estimate = ({ args: [text] }) => {
  const size = known(text);
  return { cost: traversal(size), size: { min: wrap(size.min + 2n), max: wrap(size.max * 2n + 2n) } };
};

const toBytes: Estimate = (call) => {
  const size = known(call.args[0]);
  if (kindOf(call, 0) !== "string") return undefined;
  return { cost: traversal(size), size: { min: size.min, max: wrap(size.max * 4n) } };
};

const toText: Estimate = (call) => {
  const size = known(call.args[0]);
  if (kindOf(call, 0) !== "bytes") return undefined;
  return { cost: traversal(size), size: { min: size.min / 4n, max: size.max } };
};

/** What functions on texts can cost, by name. */
export const textEstimates: readonly (readonly [string, Estimate])[] = [
  ["startsWith", part],
  ["endsWith", part],
  ["contains", ({ target, args: [text] }) => ({ cost: times(traversal(known(target)), traversal(known(text))) })],
  // Called as a function and not as a method, a match costs no more than any call.
  ["matches", ({ target, args: [pattern] }) => target && { cost: patternCost(known(target), known(pattern)) }],
  ["format", ({ target }) => ({ cost: traversal(known(target)) })],
  ["strings.quote", quote],
  ["bytes", toBytes],
  ["string", toText],
  ["lowerAscii", rewrites],
  ["upperAscii", rewrites],
  ["substring", rewrites],
  ["trim", rewrites],
  ["replace", replace],
  ["split", split],
  ["join", join],
  ["find", find],
  ["findAll", find],
];
