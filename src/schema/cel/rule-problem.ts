// SPDX-License-Identifier: Apache-2.0
import type { Place } from "../place.ts";
import { at, duplicate, forbidden, invalid, OMITTED, required } from "../problems.ts";
import type { Json, Problem, Schema, ValidationRule } from "../types.ts";
import { resolveFieldPath } from "./field-path.ts";
import { CostLimitError } from "./frame.ts";
import type { UsableRule } from "./rule.ts";
import type { Subject, Variables } from "./rule-subject.ts";
import type { RuleNode } from "./rule-tree.ts";
import { CelError, type CelValue } from "./values.ts";

/** A rule as messages name it: by its message, if it has one. */
export function ruleText(rule: ValidationRule): string {
  return (rule.message || rule.rule).trim();
}

/** What to report of a rule that does not hold. */
export interface BrokenRule {
  readonly problem: Problem;
  /** What its messageExpression cost. */
  readonly cost: number;
  /** Set when no rule may run any more, because the messageExpression cost too much. */
  readonly isLast?: boolean;
}

/** Words and place of a rule that does not hold: its messageExpression where that gives a usable text, else its message. */
export function brokenRule(
  { rule, message }: UsableRule,
  bound: Variables,
  { node, subject }: { node: RuleNode; subject: Subject },
): BrokenRule {
  const place = fieldPlace(rule, node.schema, subject.place);
  const isWhole = node.schema.type === "object" || node.schema.type === "array";
  const value = isWhole ? OMITTED : subject.value;
  const fallback = rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`;
  if (message === undefined) return { problem: problemFor(rule, { place, value, detail: fallback }), cost: 0 };
  try {
    const { value: text, cost } = message.program.run(bound());
    return { problem: problemFor(rule, { place, value, detail: usableMessage(text) ?? fallback }), cost };
  } catch (error) {
    if (error instanceof CelError) return { problem: problemFor(rule, { place, value, detail: fallback }), cost: 0 };
    if (!(error instanceof CostLimitError)) throw error;
    const words = "no further validation rules will be run due to call cost exceeds limit for messageExpression";
    const detail = `${words}: ${JSON.stringify(rule.messageExpression)}`;
    return { problem: invalid(at(place), node.schema.type ?? "", detail), cost: 0, isLast: true };
  }
}

function fieldPlace(rule: ValidationRule, schema: Schema, place: Place): Place {
  if (rule.fieldPath === undefined || rule.fieldPath === "") return place;
  return resolveFieldPath(rule.fieldPath, schema, place) ?? place;
}

const MAX_MESSAGE_BYTES = 5 * 1024;

/** The text of a messageExpression if the server would show it. */
function usableMessage(value: CelValue): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" || text.includes("\n") || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? undefined : text;
}

function problemFor(
  rule: ValidationRule,
  { place, value, detail }: { place: Place; value: Json | typeof OMITTED; detail: string },
): Problem {
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbidden(at(place), detail);
    case "FieldValueRequired":
      return required(at(place), detail);
    case "FieldValueDuplicate":
      return duplicate(at(place), value);
    default:
      return invalid(at(place), value, detail);
  }
}
