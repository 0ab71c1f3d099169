// SPDX-License-Identifier: Apache-2.0
import { check } from "./check.ts";
import { estimateCost } from "./estimate.ts";
import type { Bounds } from "./estimate-bounds.ts";
import { type Program, plan } from "./evaluate.ts";
import { CompileError } from "./issues.ts";
import { FUNCTIONS } from "./library/index.ts";
import { literalIssues, programProblem } from "./literal-checks.ts";
import { parse } from "./parser.ts";
import type { CelType } from "./types.ts";

/** An expression that compiled. */
export interface CompiledExpression {
  readonly type: CelType;
  readonly usesOldSelf: boolean;
  readonly program: Program;
  /** What it can cost at most, for values with these bounds. */
  readonly estimate: (bounds: Bounds) => bigint;
}

/** Thrown when an expression is sound but cannot become a program. */
export class ProgramError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProgramError";
  }
}

/** Compiles an expression for variables of known types. Throws a CompileError or a ProgramError. */
export function compileExpression(source: string, variables: ReadonlyMap<string, CelType>): CompiledExpression {
  const expr = parse(source);
  const checked = check(expr, { variables, functions: FUNCTIONS });
  const issues = checked.issues.length > 0 ? checked.issues : literalIssues(expr, checked);
  if (issues.length > 0) throw new CompileError(source, issues);
  const problem = programProblem(expr);
  if (problem !== undefined) throw new ProgramError(problem);
  const { type, usesOldSelf } = checked;
  const program = plan(expr, checked, [...variables.keys()]);
  return { type, usesOldSelf, program, estimate: (bounds) => estimateCost(expr, checked, bounds) };
}
