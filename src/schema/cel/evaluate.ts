// SPDX-License-Identifier: Apache-2.0
import type { CallExpr, Expr, FoldExpr, Literal, SelectExpr } from "./ast.ts";
import type { Checked } from "./check.ts";
import { callCost } from "./cost.ts";
import { callFunction } from "./declare.ts";
import { attempt, charge, type Frame, type Step } from "./frame.ts";
import { findIn, isPresent } from "./lookup.ts";
import { planList, planMap, SPECIAL_FORMS } from "./special-forms.ts";
import { CelError, type CelValue, isCelList, isCelMap, NO_OVERLOAD, uint } from "./values.ts";

/** An expression ready to run on values for its variables. */
export interface Program {
  /** Throws a CelError when the expression fails, a CostLimitError when it costs too much. */
  run(variables: ReadonlyMap<string, CelValue>): { value: CelValue; cost: number };
}

type Scope = ReadonlyMap<string, number>;

/** Turns a checked expression into a program. */
export function plan(expr: Expr, checked: Checked, variables: readonly string[]): Program {
  let slotCount = variables.length;
  const newSlot = (): number => slotCount++;
  const planned = new Map<Scope, Map<CallExpr, Step>>();

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
        return planOnce(node, scope);
      case "list":
        return planList(node.items.map(({ value, isOptional }) => ({ step: planNode(value, scope), isOptional })));
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

  /** Calls that a macro has put into two places, below each other very many, are planned once and run twice. */
  const planOnce = (node: CallExpr, scope: Scope): Step => {
    const known = planned.get(scope) ?? new Map<CallExpr, Step>();
    planned.set(scope, known);
    const step = known.get(node) ?? planCall(node, scope);
    known.set(node, step);
    return step;
  };
  const planCall = (node: CallExpr, scope: Scope): Step => {
    const { name } = node;
    const called = checked.functions.get(node);
    const isMember = called?.isMember ?? false;
    const nodes = isMember && node.target !== undefined ? [node.target, ...node.args] : node.args;
    const steps = nodes.map((argument) => planNode(argument, scope));
    const special = SPECIAL_FORMS.get(isMember ? `.${name}` : name);
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
      try {
        return { value: program(frame), cost: frame.cost };
      } catch (error) {
        // Text or a list beyond what the engine can hold, made by a rule that is out for that.
        if (error instanceof RangeError) throw new CelError("value is too large");
        throw error;
      }
    },
  };
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
