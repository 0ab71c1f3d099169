// SPDX-License-Identifier: Apache-2.0
import { floatText, isInt64, numberText } from "./go-text.ts";
import { dottedOf, type Place, pathOf } from "./place.ts";
import { invalid, invalidShown, type Location } from "./problems.ts";
import type { Problem, Schema } from "./types.ts";

/**
 * What a schema's bounds, factor and number format say about a number. Follows the server where it treats integers in
 * its own way: it cuts a fractional bound or factor off before it compares an integer with it.
 */
export function numberProblems(schema: Schema, value: number, place: Place): Problem[] {
  const name = dottedOf(place);
  const location: Location = { path: pathOf(place), field: place === undefined ? "<nil>" : name };
  const problems: Problem[] = [];
  const isInRange = (number: number, what: string): boolean => {
    const words = rangeProblem(schema, number);
    if (words !== undefined)
      problems.push(invalid({ path: location.path, field: "<nil>" }, "", `${what} value ${words} in ${name}`));
    return words === undefined;
  };
  /** A bound that does not fit the type is compared, and shown, as a float. */
  const limit = (bound: number, what: string): Limit =>
    isInRange(bound, what) && isInt64(value)
      ? { bound: Math.trunc(bound), text: numberText }
      : { bound, text: floatText };
  const refuse = ({ bound, text }: Limit, words: string) =>
    problems.push(invalidShown(location, text(value), `${name} in body should be ${words} ${text(bound)}`));

  isInRange(value, "Checked");
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined) {
    const factor = limit(multipleOf, "MultipleOf");
    const shown = factor.text(factor.bound);
    if (factor.bound <= 0)
      problems.push(invalidShown(location, shown, `factor MultipleOf declared for ${name} must be positive: ${shown}`));
    else if (!isMultiple(value, factor.bound)) refuse(factor, "a multiple of");
  }
  if (minimum !== undefined) {
    const lowest = limit(minimum, "Minimum boundary");
    const isExclusive = schema.exclusiveMinimum === true;
    if (value < lowest.bound || (isExclusive && value === lowest.bound))
      refuse(lowest, isExclusive ? "greater than" : "greater than or equal to");
  }
  if (maximum !== undefined) {
    const highest = limit(maximum, "Maximum boundary");
    const isExclusive = schema.exclusiveMaximum === true;
    if (value > highest.bound || (isExclusive && value === highest.bound))
      refuse(highest, isExclusive ? "less than" : "less than or equal to");
  }
  return problems;
}

interface Limit {
  readonly bound: number;
  readonly text: (number: number) => string;
}

function isMultiple(value: number, factor: number): boolean {
  if (isInt64(value) && Number.isInteger(factor)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return isNearlyInteger(quotient);
}

/** Whether a float counts as an integer for the server, which allows for rounding errors. */
export function isNearlyInteger(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  return whole > 0 && Math.abs(value - whole) / (Math.abs(value) + whole) < 1e-9;
}

function rangeProblem(schema: Schema, value: number): string | undefined {
  if (schema["x-kubernetes-int-or-string"]) return undefined;
  const { type, format } = schema;
  if (type === "integer") {
    const fits = format === "int32" ? value === (value | 0) : isInt64(value);
    if (fits) return undefined;
    const isKnown = format === "int32" || format === "int64";
    return isKnown ? `must be of type integer with format ${format}` : "must be of type integer (default format)";
  }
  const isTooLarge = type === "number" && format === "float" && !Number.isFinite(Math.fround(value));
  return isTooLarge ? "must be of type number with format float" : undefined;
}
