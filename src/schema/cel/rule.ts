// SPDX-License-Identifier: Apache-2.0
import type { ValidationRule } from "../types.ts";
import { CompileError } from "./issues.ts";
import { type CompiledExpression, compileExpression, ProgramError } from "./program.ts";
import { type CelType, optionalOf } from "./types.ts";

/** A rule as far as it can be used. */
export type CompiledRule =
  | { readonly kind: "empty" }
  | { readonly kind: "broken"; readonly words: string }
  | UsableRule;

/** A rule that compiled. */
export interface UsableRule {
  readonly kind: "usable";
  readonly rule: ValidationRule;
  readonly expression: CompiledExpression;
  readonly message: CompiledExpression | undefined;
  /** Why the messageExpression cannot be used. */
  readonly messageWords: string | undefined;
}

/** Compiles a rule for values of a type. Never throws for what is wrong with the rule. */
export function compileRule(rule: ValidationRule, type: CelType | undefined): CompiledRule {
  if (rule.rule.trim() === "") return { kind: "empty" };
  if (type === undefined) return { kind: "broken", words: "failed to convert to declType for CEL validation rules" };
  const variables = new Map([
    ["self", type],
    ["oldSelf", rule.optionalOldSelf ? optionalOf(type) : type],
  ]);
  const expression = tryCompile(rule.rule, variables);
  if (typeof expression === "string") return { kind: "broken", words: expression };
  if (expression.type.kind !== "bool") return { kind: "broken", words: "cel expression must evaluate to a bool" };
  const usable = { kind: "usable", rule, expression } as const;
  const { messageExpression = "" } = rule;
  if (messageExpression === "") return { ...usable, message: undefined, messageWords: undefined };
  const message = tryCompile(messageExpression, variables);
  if (typeof message !== "string" && message.type.kind === "string")
    return { ...usable, message, messageWords: undefined };
  const words = typeof message === "string" ? message.replace(/^program /, "") : "must evaluate to a string";
  return { ...usable, message: undefined, messageWords: `messageExpression ${words}` };
}

function tryCompile(source: string, variables: ReadonlyMap<string, CelType>): CompiledExpression | string {
  try {
    return compileExpression(source, variables);
  } catch (error) {
    if (error instanceof CompileError) return `compilation failed: ${error.message}`;
    if (error instanceof ProgramError) return `program instantiation failed: ${error.message}`;
    throw error;
  }
}
