// SPDX-License-Identifier: Apache-2.0
import { declare, type FunctionDeclaration, global, type Implementation, method } from "../declare.ts";
import { compare, equals } from "../equality.ts";
import { insertInto } from "../map-value.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  optionalOf,
  param,
  STRING,
  TIMESTAMP,
  UINT,
} from "../types.ts";
import {
  CelError,
  type CelList,
  type CelValue,
  duration,
  isCelList,
  isCelMap,
  itemsOf,
  listValue,
  NO_OVERLOAD,
  NONE,
  optional,
  tagged,
  typeName,
  uint,
} from "../values.ts";
import { operators } from "./operators.ts";

const T = param("T");
const K = param("K");
const V = param("V");
const LIST = listOf(T);

const COMPARABLE = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
const SUMMABLE: readonly (readonly [CelType, CelValue])[] = [
  [INT, 0n],
  [UINT, uint(0n)],
  [DOUBLE, 0],
  [DURATION, duration(0n)],
];

/** Loops in a single function cannot be counted while they run, so what they make has a limit. */
const MAX_RANGE = 1_000_000n;

function asList(value: CelValue | undefined): CelList {
  if (value === undefined || !isCelList(value)) throw new CelError(NO_OVERLOAD);
  return value;
}

const onItems =
  (operation: (items: CelValue[], ...rest: CelValue[]) => CelValue): Implementation =>
  (list, ...rest) =>
    operation(itemsOf(asList(list)), ...rest);

const isSorted = onItems((items) => items.every((item, at) => at === 0 || compare(items[at - 1] ?? null, item) <= 0));

const extreme = (name: string, sign: 1 | -1): Implementation =>
  onItems((items) => {
    const [first, ...rest] = items;
    if (first === undefined) throw new CelError(`${name} called on empty list`);
    return rest.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best), first);
  });

const sumFrom = (zero: CelValue): Implementation => {
  const plus = operators.find(({ name }) => name === "_+_")?.whole?.call;
  return onItems((items) => items.reduce((total, item) => plus?.(total, item) ?? total, zero));
};

const position = (isLast: boolean): Implementation =>
  onItems((items, wanted = null) => {
    const matches = (item: CelValue) => equals(item, wanted);
    return BigInt(isLast ? items.findLastIndex(matches) : items.findIndex(matches));
  });

const slice = onItems((items, from, to) => {
  if (typeof from !== "bigint" || typeof to !== "bigint") throw new CelError(NO_OVERLOAD);
  const words = (problem: string) => new CelError(`cannot slice(${from}, ${to}), ${problem}`);
  if (from < 0n || to < 0n) throw words("negative indexes not supported");
  if (from > to) throw words("start index must be less than or equal to end index");
  if (BigInt(items.length) < to) throw words(`list is length ${items.length}`);
  return listValue(items.slice(Number(from), Number(to)));
});

function flatten(list: CelList, depth: bigint): CelValue[] {
  if (depth < 0n) throw new CelError("level must be non-negative");
  return itemsOf(list).flatMap((item) => (isCelList(item) && depth > 0n ? flatten(item, depth - 1n) : [item]));
}

const range: Implementation = (count) => {
  if (typeof count !== "bigint") throw new CelError(NO_OVERLOAD);
  if (count > MAX_RANGE) throw new CelError(`lists.range(${count}) is too long`);
  return listValue(Array.from({ length: Math.max(0, Number(count)) }, (_, at) => BigInt(at)));
};

const distinct = onItems((items) => {
  const kept: CelValue[] = [];
  for (const item of items) if (!kept.some((other) => equals(item, other))) kept.push(item);
  return listValue(kept);
});

const sortByKeys: Implementation = (list, keyList) => {
  const items = itemsOf(asList(list));
  const keys = itemsOf(asList(keyList));
  const [first] = keys;
  if (first === undefined) return asList(list);
  if (keys.some((key) => typeName(key) !== typeName(first)))
    throw new CelError("list elements must have the same type");
  const order = items.map((_, at) => at);
  order.sort((left, right) => compare(keys[left] ?? null, keys[right] ?? null));
  return listValue(order.map((at) => items[at] ?? null));
};

const contains = (list: CelList, item: CelValue): boolean => itemsOf(list).some((other) => equals(other, item));
const containsAll = (list: CelList, part: CelList): boolean => itemsOf(part).every((item) => contains(list, item));

const unwrap = onItems((items) => listValue(items.flatMap((item) => tagged(item, "optional")?.value ?? [])));

/** Functions on lists and sets: those of Kubernetes, and CEL's extensions that servers have. */
export const lists: readonly FunctionDeclaration[] = [
  declare(
    "isSorted",
    COMPARABLE.map((type) => method([listOf(type)], BOOL, isSorted)),
  ),
  declare(
    "sum",
    SUMMABLE.map(([type, zero]) => method([listOf(type)], type, sumFrom(zero))),
  ),
  declare(
    "max",
    COMPARABLE.map((type) => method([listOf(type)], type, extreme("max", 1))),
  ),
  declare(
    "min",
    COMPARABLE.map((type) => method([listOf(type)], type, extreme("min", -1))),
  ),
  declare("indexOf", [method([LIST, T], INT, position(false))]),
  declare("lastIndexOf", [method([LIST, T], INT, position(true))]),
  declare("slice", [method([LIST, INT, INT], LIST, slice)]),
  declare(
    "flatten",
    [
      method([listOf(LIST)], LIST, (list) => listValue(flatten(asList(list), 1n))),
      method([listOf(DYN), INT], listOf(DYN), (list, depth) =>
        listValue(flatten(asList(list), typeof depth === "bigint" ? depth : 0n)),
      ),
    ],
    { isUnguarded: true },
  ),
  declare(
    "sort",
    COMPARABLE.map((type) => method([listOf(type)], listOf(type))),
    {
      whole: { accepts: isCelList, call: (list) => sortByKeys(list ?? null, list ?? null) },
    },
  ),
  declare(
    "@sortByAssociatedKeys",
    COMPARABLE.map((type) => method([LIST, listOf(type)], LIST)),
    {
      whole: { accepts: isCelList, call: sortByKeys },
    },
  ),
  declare("lists.range", [global([INT], listOf(INT), range)]),
  declare("reverse", [
    method(
      [LIST],
      LIST,
      onItems((items) => listValue(items.reverse())),
    ),
  ]),
  declare("distinct", [method([LIST], LIST, distinct)]),
  declare("first", [
    method(
      [LIST],
      optionalOf(T),
      onItems((items) => (items.length === 0 ? NONE : optional(items[0]))),
    ),
  ]),
  declare("last", [
    method(
      [LIST],
      optionalOf(T),
      onItems((items) => (items.length === 0 ? NONE : optional(items.at(-1)))),
    ),
  ]),
  declare("sets.contains", [global([LIST, LIST], BOOL, (list, part) => containsAll(asList(list), asList(part)))]),
  declare("sets.equivalent", [
    global(
      [LIST, LIST],
      BOOL,
      (left, right) => containsAll(asList(left), asList(right)) && containsAll(asList(right), asList(left)),
    ),
  ]),
  declare("sets.intersects", [
    global([LIST, LIST], BOOL, (left, right) => itemsOf(asList(left)).some((item) => contains(asList(right), item))),
  ]),
  declare("cel.@mapInsert", [
    global([mapOf(K, V), K, V], mapOf(K, V), (map = null, key = null, value = null) => {
      if (!isCelMap(map)) throw new CelError(NO_OVERLOAD);
      return insertInto(map, key, value);
    }),
    global([mapOf(K, V), mapOf(K, V)], mapOf(K, V), (map = null, more = null) => {
      if (!isCelMap(map) || !isCelMap(more)) throw new CelError(NO_OVERLOAD);
      let target = map;
      for (const key of more.keys()) target = insertInto(target, key, more.find(key) ?? null);
      return target;
    }),
  ]),
  declare("optional.unwrap", [global([listOf(optionalOf(V))], listOf(V), unwrap)]),
  declare("unwrapOpt", [method([listOf(optionalOf(V))], listOf(V), unwrap)]),
];
