// SPDX-License-Identifier: Apache-2.0
import type { CallExpr, Expr, FoldExpr, Literal, SelectExpr } from "./ast.ts";
import type { Checked } from "./check.ts";
import { callCost, LIST_COST, MAP_COST, RULE_COST_LIMIT } from "./cost.ts";
import { callFunction } from "./declare.ts";
import { equals } from "./equality.ts";
import { findIn, isPresent } from "./lookup.ts";
import { mapValue } from "./map-value.ts";
import { CelError, type CelValue, isCelList, isCelMap, isTagged, listValue, NO_OVERLOAD, uint } from "./values.ts";

/** Thrown when an expression costs too much; nothing absorbs it. */
export class CostLimitError extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
    this.name = "CostLimitError";
  }
}

/** An expression ready to run on values for its variables. */
export interface Program {
  /** Throws a CelError when the expression fails, a CostLimitError when it costs too much. */
  run(variables: ReadonlyMap<string, CelValue>): { value: CelValue; cost: number };
}

/** The values of variables while a program runs; a variable of a loop may hold an error. */
interface Frame {
  readonly slots: (CelValue | CelError | undefined)[];
  cost: number;
}

type Step = (frame: Frame) => CelValue;
type Scope = ReadonlyMap<string, number>;

/** Turns a checked expression into a program. */
export function plan(expr: Expr, checked: Checked, variables: readonly string[]): Program {
  let slotCount = variables.length;
  const newSlot = (): number => slotCount++;

  const planNode = (node: Expr, scope: Scope): Step => {
    const named = checked.namedTypes.get(node);
    if (named !== undefined) {
      const value: CelValue = { kind: "type", name: named };
      return (frame) => charge(frame, 1, value);
    }
    switch (node.kind) {
      case "literal": {
        const value = literalValue(node.value);
        return () => value;
      }
      case "ident":
        return planVariable(node.name.replace(/^\./, ""), scope);
      case "select":
        return planSelect(node, scope);
      case "call":
        return planCall(node, scope);
      case "list":
        return planList(
          node.items.map(({ value, isOptional }) => ({ step: planNode(value, scope), isOptional })),
        );
      case "map":
        return planMap(
          node.entries.map(({ key, value, isOptional }) => ({
            key: planNode(key, scope),
            value: planNode(value, scope),
            isOptional,
          })),
        );
      case "fold":
        return planFold(node, scope);
      case "struct":
        throw new Error(`expression with a struct was not refused: ${node.name}`);
    }
  };

  const planVariable = (name: string, scope: Scope): Step => {
    const slot = scope.get(name) ?? -1;
    return (frame) => {
      const value = frame.slots[slot];
      if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
      if (value instanceof CelError) throw value;
      return charge(frame, 1, value);
    };
  };

  const planSelect = ({ operand, field, mode }: SelectExpr, scope: Scope): Step => {
    const step = planNode(operand, scope);
    if (mode === "test") return (frame) => isPresent(step(frame), field);
    return (frame) => charge(frame, 1, findIn(step(frame), field, mode === "optional"));
  };

  const planCall = (node: CallExpr, scope: Scope): Step => {
    const { name } = node;
    const called = checked.functions.get(node);
    const isMember = called?.isMember ?? false;
    const nodes = isMember && node.target !== undefined ? [node.target, ...node.args] : node.args;
    const steps = nodes.map((argument) => planNode(argument, scope));
    const special = SPECIAL.get(isMember ? `.${name}` : name);
    if (special !== undefined) return special(steps);
    if (called === undefined) throw new Error(`function was not resolved: ${name}`);
    const { declaration } = called;
    return (frame) => {
      const args = steps.map((step) => step(frame));
      const result = callFunction(declaration, args, isMember);
      return charge(frame, callCost(declaration.name, args, result), result);
    };
  };

  const planFold = (node: FoldExpr, scope: Scope): Step => {
    const first = newSlot();
    const second = newSlot();
    const gathered = newSlot();
    const range = planNode(node.range, scope);
    const init = planNode(node.init, scope);
    const outer = new Map(scope).set(node.accumulator, gathered);
    const inner = new Map(outer).set(node.variable, first);
    if (node.variable2 !== undefined) inner.set(node.variable2, second);
    const condition = planNode(node.condition, inner);
    const step = planNode(node.step, inner);
    const result = planNode(node.result, outer);
    // Loops without an early end gain nothing from going on after an error.
    const endsOnError = node.condition.kind === "literal";
    return (frame) => {
      const over = range(frame);
      const { length, pair } = iterate(over, node.variable2 !== undefined);
      frame.slots[gathered] = attempt(init, frame);
      for (let at = 0; at < length; at++) {
        [frame.slots[first], frame.slots[second]] = pair(at);
        const goesOn = attempt(condition, frame);
        if (goesOn === false) break;
        const next = attempt(step, frame);
        frame.slots[gathered] = next;
        if (endsOnError && next instanceof CelError) break;
      }
      return result(frame);
    };
  };

  const program = planNode(expr, new Map(variables.map((name, slot) => [name, slot])));
  return {
    run(values) {
      const frame: Frame = { slots: variables.map((name) => values.get(name)), cost: 0 };
      return { value: program(frame), cost: frame.cost };
    },
  };
}

function charge(frame: Frame, cost: number, value: CelValue): CelValue {
  frame.cost += cost;
  if (frame.cost > RULE_COST_LIMIT) throw new CostLimitError();
  return value;
}

/** Runs a step and gives its error as a value. */
function attempt(step: Step, frame: Frame): CelValue | CelError {
  try {
    return step(frame);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

/** A literal as a value. */
export function literalValue(value: Literal): CelValue {
  if (typeof value === "object" && value !== null && "uint" in value) return uint(value.uint);
  return value;
}

interface Iteration {
  readonly length: number;
  readonly pair: (at: number) => [CelValue, CelValue];
}

function iterate(over: CelValue, hasTwo: boolean): Iteration {
  if (isCelList(over))
    return { length: over.size, pair: (at) => (hasTwo ? [BigInt(at), over.at(at)] : [over.at(at), null]) };
  if (isCelMap(over)) {
    const keys = over.keys();
    const pair = (at: number): [CelValue, CelValue] => {
      const key = keys[at] ?? null;
      return [key, hasTwo ? (over.find(key) ?? null) : null];
    };
    return { length: keys.length, pair };
  }
  throw new CelError(NO_OVERLOAD);
}

function planList(items: readonly { step: Step; isOptional: boolean }[]): Step {
  return (frame) => {
    const values: CelValue[] = [];
    for (const { step, isOptional } of items) {
      const value = step(frame);
      if (!isOptional) values.push(value);
      else if (!isTagged(value, "optional")) throw new CelError(`cannot initialize optional list element from non-optional value`);
      else if (value.value !== undefined) values.push(value.value);
    }
    return charge(frame, LIST_COST, listValue(values));
  };
}

function planMap(entries: readonly { key: Step; value: Step; isOptional: boolean }[]): Step {
  return (frame) => {
    const pairs: (readonly [CelValue, CelValue])[] = [];
    for (const entry of entries) {
      const key = entry.key(frame);
      const value = entry.value(frame);
      if (!entry.isOptional) pairs.push([key, value]);
      else if (!isTagged(value, "optional")) throw new CelError("cannot initialize optional entry from non-optional value");
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

const planConditional = ([condition = missing, whenTrue = missing, whenFalse = missing]: readonly Step[]): Step =>
  (frame) => {
    const chosen = condition(frame);
    if (typeof chosen !== "boolean") throw new CelError(NO_OVERLOAD);
    return chosen ? whenTrue(frame) : whenFalse(frame);
  };

const planNotStrictlyFalse = ([step = missing]: readonly Step[]): Step =>
  (frame) => charge(frame, 1, attempt(step, frame) !== false);

const planIndex = (isOptional: boolean) => ([operand = missing, key = missing]: readonly Step[]): Step =>
  (frame) => {
    const value = operand(frame);
    return charge(frame, 1, findIn(value, key(frame), isOptional));
  };

const planEquals = (isEqual: boolean) => ([left = missing, right = missing]: readonly Step[]): Step =>
  (frame) => {
    const first = left(frame);
    const second = right(frame);
    const name = isEqual ? "_==_" : "_!=_";
    return charge(frame, callCost(name, [first, second], true), equals(first, second) === isEqual);
  };

/** `or` and `orValue` look at their argument only when the optional is empty. */
const planOr = (unwraps: boolean) => ([left = missing, right = missing]: readonly Step[]): Step =>
  (frame) => {
    const value = left(frame);
    if (!isTagged(value, "optional")) throw new CelError(NO_OVERLOAD);
    if (value.value === undefined) return right(frame);
    return unwraps ? value.value : value;
  };

/** What the evaluator does itself because not all arguments are always looked at, or every type is taken. */
const SPECIAL: ReadonlyMap<string, (steps: readonly Step[]) => Step> = new Map([
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

