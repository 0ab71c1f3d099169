// SPDX-License-Identifier: Apache-2.0
import { RULE_COST_LIMIT } from "./cost.ts";
import { CelError, type CelValue } from "./values.ts";

/** Thrown when an expression costs too much; nothing absorbs it. */
export class CostLimitError extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
    this.name = "CostLimitError";
  }
}

/** The values of variables while a program runs; a variable of a loop may hold an error. */
export interface Frame {
  readonly slots: (CelValue | CelError | undefined)[];
  cost: number;
}

/** A piece of a program. */
export type Step = (frame: Frame) => CelValue;

/** Counts a cost and passes a value on. */
export function charge(frame: Frame, cost: number, value: CelValue): CelValue {
  frame.cost += cost;
  if (frame.cost > RULE_COST_LIMIT) throw new CostLimitError();
  return value;
}

/** Runs a step and gives its error as a value. */
export function attempt(step: Step, frame: Frame): CelValue | CelError {
  try {
    return step(frame);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}
