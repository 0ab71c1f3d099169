// SPDX-License-Identifier: Apache-2.0
import { at, invalid } from "../problems.ts";
import type { Json, Problem, Schema, ValidationRule } from "../types.ts";
import { CostLimitError } from "./frame.ts";
import { lazily } from "./lazily.ts";
import type { UsableRule } from "./rule.ts";
import { brokenRule, ruleText } from "./rule-problem.ts";
import type { Subject, Variables } from "./rule-subject.ts";
import type { RuleNode } from "./rule-tree.ts";
import { schemaValue } from "./schema-value.ts";
import { CelError, type CelValue, NONE, optional } from "./values.ts";

/** What was found so far. */
export interface Run {
  readonly problems: Problem[];
  readonly warnings: string[];
  /** What is left of the costs allowed; below zero nothing runs any more. */
  budget: number;
}

/** Runs the rules of one node on its value. */
export function runRules(node: RuleNode, subject: Subject, run: Run): void {
  if (node.rules.length === 0) return;
  const { value, old, place } = subject;
  const fail = (words: string) => run.problems.push(invalid(at(place), node.schema.type ?? "", words));
  if (run.budget === 0) {
    fail(EXHAUSTED);
    run.budget = -1;
  }
  const variables = variablesOf(value, old, node.schema);
  for (const getRule of node.rules) {
    if (run.budget < 0) return;
    const compiled = getRule();
    if (compiled.kind === "broken") fail(`rule compile error: ${compiled.words}`);
    if (compiled.kind !== "usable") continue;
    const { rule, expression } = compiled;
    const isTransition = expression.usesOldSelf && !rule.optionalOldSelf;
    if (isTransition && (old === undefined || old === null)) continue;
    const bound = rule.optionalOldSelf ? variables.withOptionalOld : variables.plain;
    const words = runRule(compiled, bound, { node, subject, run });
    if (words !== undefined) fail(words);
  }
}

const EXHAUSTED = "validation failed due to running out of cost budget, no further validation rules will be run";

interface Context {
  readonly node: RuleNode;
  readonly subject: Subject;
  readonly run: Run;
}

/** Runs one rule; gives the words for a rule that failed to run, and reports one that does not hold. */
function runRule(compiled: UsableRule, bound: Variables, { node, subject, run }: Context): string | undefined {
  const { rule, expression } = compiled;
  try {
    const { value: holds, cost } = expression.program.run(bound());
    run.budget -= cost;
    if (run.budget < 0) return EXHAUSTED;
    if (holds === true) return undefined;
  } catch (error) {
    if (error instanceof CelError) return failureWords(error, rule);
    if (!(error instanceof CostLimitError)) throw error;
    run.budget = -1;
    return `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`;
  }
  const { problem, cost, isLast } = brokenRule(compiled, bound, { node, subject });
  run.budget = isLast ? -1 : run.budget - cost;
  const { current, parent } = subject.ratchet;
  const isUnchanged = (current ?? parent)?.isUnchanged() ?? false;
  if (isUnchanged && !expression.usesOldSelf) run.warnings.push(`${problem.field}: ${problem.message}`);
  else run.problems.push(problem);
  return undefined;
}

function failureWords(error: CelError, rule: ValidationRule): string {
  if (!error.message.startsWith("no such overload")) return `${error.message} evaluating rule: ${ruleText(rule)}`;
  const words = "call arguments did not match a supported operator, function or macro signature for rule";
  return `'${error.message}': ${words}: ${ruleText(rule)}`;
}

/** Values are made once for all rules of a node, and not before a rule runs. */
function variablesOf(
  value: Json,
  old: Json | undefined,
  schema: Schema,
): { plain: Variables; withOptionalOld: Variables } {
  const self = lazily(() => schemaValue(value, schema));
  const before = lazily(() => (old === undefined || old === null ? undefined : schemaValue(old, schema)));
  const make = (oldSelf: CelValue | undefined): ReadonlyMap<string, CelValue> => {
    const variables = new Map<string, CelValue>([["self", self()]]);
    if (oldSelf !== undefined) variables.set("oldSelf", oldSelf);
    return variables;
  };
  return {
    plain: lazily(() => make(before())),
    withOptionalOld: lazily(() => {
      const oldSelf = before();
      return make(oldSelf === undefined ? NONE : optional(oldSelf));
    }),
  };
}
