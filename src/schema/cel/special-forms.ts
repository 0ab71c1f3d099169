// SPDX-License-Identifier: Apache-2.0
import { callCost, LIST_COST, MAP_COST } from "./cost.ts";
import { equals } from "./equality.ts";
import { attempt, charge, type Step } from "./frame.ts";
import { findIn } from "./lookup.ts";
import { mapValue } from "./map-value.ts";
import { CelError, type CelValue, isTagged, listValue, NO_OVERLOAD } from "./values.ts";

/** A list literal. */
export function planList(items: readonly { step: Step; isOptional: boolean }[]): Step {
  return (frame) => {
    const values: CelValue[] = [];
    for (const { step, isOptional } of items) {
      const value = step(frame);
      if (!isOptional) values.push(value);
      else if (!isTagged(value, "optional"))
        throw new CelError(`cannot initialize optional list element from non-optional value`);
      else if (value.value !== undefined) values.push(value.value);
    }
    return charge(frame, LIST_COST, listValue(values));
  };
}

/** A map literal. */
export function planMap(entries: readonly { key: Step; value: Step; isOptional: boolean }[]): Step {
  return (frame) => {
    const pairs: (readonly [CelValue, CelValue])[] = [];
    for (const entry of entries) {
      const key = entry.key(frame);
      const value = entry.value(frame);
      if (!entry.isOptional) pairs.push([key, value]);
      else if (!isTagged(value, "optional"))
        throw new CelError("cannot initialize optional entry from non-optional value");
      else if (value.value !== undefined) pairs.push([key, value.value]);
    }
    return charge(frame, MAP_COST, mapValue(pairs));
  };
}

/** `&&` and `||`: the deciding value wins over errors, whichever comes first. */
function planLogical(deciding: boolean): (steps: readonly Step[]) => Step {
  return (steps) => (frame) => {
    let failure: CelError | undefined;
    for (const step of steps) {
      const value = attempt(step, frame);
      if (value === deciding) return deciding;
      if (value instanceof CelError) failure ??= value;
      else if (typeof value !== "boolean") failure ??= new CelError(NO_OVERLOAD);
    }
    if (failure !== undefined) throw failure;
    return !deciding;
  };
}

const missing: Step = () => null;

const planConditional =
  ([condition = missing, whenTrue = missing, whenFalse = missing]: readonly Step[]): Step =>
  (frame) => {
    const chosen = condition(frame);
    if (typeof chosen !== "boolean") throw new CelError(NO_OVERLOAD);
    return chosen ? whenTrue(frame) : whenFalse(frame);
  };

const planNotStrictlyFalse =
  ([step = missing]: readonly Step[]): Step =>
  (frame) =>
    charge(frame, 1, attempt(step, frame) !== false);

const planIndex =
  (isOptional: boolean) =>
  ([operand = missing, key = missing]: readonly Step[]): Step =>
  (frame) => {
    const value = operand(frame);
    return charge(frame, 1, findIn(value, key(frame), isOptional));
  };

const planEquals =
  (isEqual: boolean) =>
  ([left = missing, right = missing]: readonly Step[]): Step =>
  (frame) => {
    const first = left(frame);
    const second = right(frame);
    const name = isEqual ? "_==_" : "_!=_";
    return charge(frame, callCost(name, [first, second], true), equals(first, second) === isEqual);
  };

/** `or` and `orValue` look at their argument only when the optional is empty. */
const planOr =
  (unwraps: boolean) =>
  ([left = missing, right = missing]: readonly Step[]): Step =>
  (frame) => {
    const value = left(frame);
    if (!isTagged(value, "optional")) throw new CelError(NO_OVERLOAD);
    if (value.value === undefined) return right(frame);
    return unwraps ? value.value : value;
  };

/** What the evaluator does itself because not all arguments are always looked at, or every type is taken. */
export const SPECIAL_FORMS: ReadonlyMap<string, (steps: readonly Step[]) => Step> = new Map([
  ["_&&_", planLogical(false)],
  ["_||_", planLogical(true)],
  ["_?_:_", planConditional],
  ["@not_strictly_false", planNotStrictlyFalse],
  ["_[_]", planIndex(false)],
  ["_[?_]", planIndex(true)],
  ["_==_", planEquals(true)],
  ["_!=_", planEquals(false)],
  [".or", planOr(false)],
  [".orValue", planOr(true)],
]);
