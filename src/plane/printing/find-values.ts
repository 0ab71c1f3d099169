// SPDX-License-Identifier: Apache-2.0
import { compareText, isInt64, isList, isObject } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { getOwn } from "../../schema/json.ts";
import type { JsonPath, Slice, Step } from "./json-path.ts";

/** A value found by a path. Numbers of the path itself that are integers are bigint: they differ from floats. */
export type Found = Json | bigint;

/** What the server answers with an empty cell: a filter on what is no list, an index out of bounds and the like. */
class EvaluationError extends Error {}

/**
 * The values a path leads to, in order; what is missing is left out. Undefined where the server's evaluation fails,
 * which is not the same: one failing part empties the whole result.
 */
export function findValues(object: Json, path: JsonPath): readonly Found[] | undefined {
  try {
    return walk([object], path);
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
    throw error;
  }
}

function walk(input: readonly Found[], path: JsonPath): readonly Found[] {
  let current = input;
  for (const step of path) current = take(current, step);
  return current;
}

function take(input: readonly Found[], step: Step): readonly Found[] {
  switch (step.is) {
    case "field":
      return input.flatMap((value) => {
        const found = isObject(value) ? getOwn(value, step.name) : undefined;
        return found === undefined ? [] : [found];
      });
    case "wildcard":
      return input.flatMap(contentsOf);
    case "descend":
      return input.flatMap(descend);
    case "slice":
      return input.flatMap((value) => (value === null ? [] : sliceOf(value, step.slice)));
    case "union":
      return step.paths.flatMap((path) => walk(input, path));
    case "filter":
      return input.flatMap((value) => filter(value, step));
    case "literal":
      // Text stands for itself once, numbers and booleans once per value, as in the original.
      return typeof step.value === "string" ? [step.value] : input.map(() => step.value);
    case "word":
      throw new EvaluationError(step.word);
  }
}

/** A map's values by key, a list's items, a text's bytes. */
function contentsOf(value: Found): readonly Found[] {
  if (isList(value)) return value;
  if (typeof value === "string") return [...Buffer.from(value)];
  if (!isObject(value)) return [];
  const keys = Object.keys(value).sort(compareText);
  return keys.flatMap((key) => value[key] ?? null);
}

function descend(value: Found): readonly Found[] {
  const contents = contentsOf(value);
  return contents.length === 0 ? [] : [value, ...contents.flatMap(descend)];
}

function sliceOf(value: Found, { start, end, step = 1, isIndex }: Slice): readonly Found[] {
  if (!isList(value)) throw new EvaluationError("no list");
  let first = start ?? 0;
  if (first < 0) first += value.length;
  let last = end ?? value.length;
  if (last < 0 || (last === 0 && isIndex)) last += value.length;
  if (first === last) return [];
  if (first < 0 || first >= value.length || last < 0 || last > value.length || first > last)
    throw new EvaluationError("out of bounds");
  if (step <= 0) throw new EvaluationError("steps must go forward");
  return value.slice(first, last).filter((_, index) => index % step === 0);
}

type Filter = Extract<Step, { is: "filter" }>;

function filter(value: Found, { left, operator, right }: Filter): readonly Found[] {
  if (!isList(value)) throw new EvaluationError("no list");
  return value.filter((item) => {
    if (operator === "exists") return exists(item, left);
    const one = single(walk([item], left));
    if (one === undefined) return false;
    const other = single(walk([item], right));
    return other !== undefined && compare(one, operator, other);
  });
}

function exists(item: Json, path: JsonPath): boolean {
  return (findValues(item, path) ?? [item]).length > 0;
}

function single(values: readonly Found[]): Found | undefined {
  if (values.length > 1) throw new EvaluationError("more than one value");
  return values[0];
}

function compare(left: Found, operator: string, right: Found): boolean {
  if (kindOf(left) !== kindOf(right)) throw new EvaluationError("values of different kinds");
  const isEqual = left === right || (isNumber(left) && isNumber(right) && Number(left) === Number(right));
  if (operator === "==") return isEqual;
  if (operator === "!=") return !isEqual;
  if (typeof left === "boolean") throw new EvaluationError("booleans have no order");
  const isLess =
    typeof left === "string" && typeof right === "string" ? compareText(left, right) < 0 : Number(left) < Number(right);
  switch (operator) {
    case "<":
      return isLess;
    case "<=":
      return isLess || isEqual;
    case ">":
      return !isLess && !isEqual;
    case ">=":
      return !isLess;
    default:
      throw new EvaluationError(operator);
  }
}

function isNumber(value: Found): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Only values of one kind can be compared, and integers are another kind than floats. */
function kindOf(value: Found): string {
  if (typeof value === "bigint" || (typeof value === "number" && isInt64(value))) return "integer";
  if (value === null || typeof value === "object") throw new EvaluationError("cannot be compared");
  return typeof value;
}
