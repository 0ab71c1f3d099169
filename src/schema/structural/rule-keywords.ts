// SPDX-License-Identifier: Apache-2.0
import { type Bounds, schemaBounds } from "../cel/estimate-bounds.ts";
import { resolveFieldPath } from "../cel/field-path.ts";
import { type CompiledRule, compileRule } from "../cel/rule.ts";
import { schemaType } from "../cel/schema-type.ts";
import { jsonText } from "../go-text.ts";
import { child, fieldOf, index, type Place } from "../place.ts";
import { at, internalError, invalid, invalidShown, notSupported, required } from "../problems.ts";
import type { Json, Problem, Schema, ValidationRule } from "../types.ts";
import { type Cardinality, type RuleCosts, ruleCost } from "./rule-costs.ts";

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const hasLineBreaks = (text: string): boolean => /[\n\r]/.test(text);

/** What is wrong with the parts of a rule, apart from its expressions. */
export function ruleShapeProblems(rule: ValidationRule, schema: Schema, place: Place): Problem[] {
  const problems: Problem[] = [];
  const { message = "", messageExpression = "", fieldPath = "" } = rule;
  const where = (name: string) => at(child(place, name));
  if (rule.rule.trim() === "") problems.push(required(where("rule"), "rule is not specified"));
  else if (message !== "" && message.trim() === "")
    problems.push(invalid(where("message"), message, "must be non-empty if specified"));
  else if (hasLineBreaks(message.trim()))
    problems.push(invalid(where("message"), message, "must not contain line breaks"));
  else if (hasLineBreaks(rule.rule.trim()) && message.trim() === "")
    problems.push(required(where("message"), "message must be specified if rule contains line breaks"));
  if (messageExpression !== "" && messageExpression.trim() === "")
    problems.push(required(where("messageExpression"), "messageExpression must be non-empty if specified"));
  if (rule.reason !== undefined && !REASONS.includes(rule.reason))
    problems.push(notSupported(where("reason"), rule.reason, REASONS));
  if (fieldPath !== "" && fieldPath.trim() === "")
    problems.push(invalid(where("fieldPath"), fieldPath, "must be non-empty if specified"));
  if (hasLineBreaks(fieldPath)) problems.push(invalid(where("fieldPath"), fieldPath, "must not contain line breaks"));
  if (fieldPath !== "" && resolveFieldPath(fieldPath, schema, undefined) === undefined)
    problems.push(invalid(where("fieldPath"), fieldPath, "must be a valid path"));
  return problems;
}

/** A rule as the server prints it: its own structure, with Go's names. */
function ruleText(rule: ValidationRule): string {
  const text = (value: Json | undefined): string => jsonText(value ?? "");
  const parts = [
    `"Rule":${text(rule.rule)}`,
    `"Message":${text(rule.message)}`,
    `"MessageExpression":${text(rule.messageExpression)}`,
    `"Reason":${jsonText(rule.reason)}`,
    `"FieldPath":${text(rule.fieldPath)}`,
    `"OptionalOldSelf":${jsonText(rule.optionalOldSelf)}`,
  ];
  return `{${parts.join(",")}}`;
}

/** Where a schema with rules stands. */
export interface RuleStanding {
  readonly isRoot: boolean;
  /** The list or map above whose values have no old counterpart, so that rules cannot use `oldSelf`. */
  readonly uncorrelatable: Place;
  /** How often its values can be there. */
  readonly cardinality: Cardinality;
  readonly costs: RuleCosts;
}

/** What is wrong with the expressions of a schema's rules, what they would cost included. */
export function ruleProblems(schema: Schema, place: Place, standing: RuleStanding): Problem[] {
  const rulesPlace = child(place, "x-kubernetes-validations");
  const isResource = standing.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const type = schemaType(schema, "selfType", isResource);
  const bounds = schemaBounds(schema, isResource);
  if (type === undefined || bounds === undefined)
    return [
      internalError(
        at(rulesPlace),
        "internal error: failed to construct type information for x-kubernetes-validations rules: " +
          "unable to convert structural schema to CEL declarations",
      ),
    ];
  return (schema["x-kubernetes-validations"] ?? []).flatMap((rule, position) => {
    const rulePlace = index(rulesPlace, position);
    const compiled = compileRule(rule, type);
    return [
      ...expressionProblems(compiled, rule, { rulePlace, bounds, standing }),
      ...oldSelfProblems(compiled, rule, { rulePlace, standing }),
    ];
  });
}

interface RuleSpot {
  readonly rulePlace: Place;
  readonly standing: RuleStanding;
}

function expressionProblems(
  compiled: CompiledRule,
  rule: ValidationRule,
  { rulePlace, bounds, standing }: RuleSpot & { readonly bounds: Bounds },
): Problem[] {
  const place = child(rulePlace, "rule");
  const messagePlace = child(rulePlace, "messageExpression");
  if (compiled.kind === "broken") return [invalidShown(at(place), ruleText(rule), compiled.words)];
  if (compiled.kind === "empty") return [];
  const { expression, message, messageWords } = compiled;
  const { costs, cardinality } = standing;
  const cost = ruleCost(expression.estimate(bounds), cardinality, bounds);
  const problems = costs.observe("estimated rule cost", place, cost);
  if (messageWords !== undefined) problems.push(invalidShown(at(messagePlace), ruleText(rule), messageWords));
  // A message is made once, however many values break the rule.
  if (message !== undefined)
    problems.push(...costs.observe("estimated messageExpression cost", messagePlace, message.estimate(bounds)));
  return problems;
}

function oldSelfProblems(
  compiled: CompiledRule,
  rule: ValidationRule,
  { rulePlace, standing: { uncorrelatable } }: RuleSpot,
): Problem[] {
  const usesOldSelf = compiled.kind === "usable" && compiled.expression.usesOldSelf;
  const problems: Problem[] = [];
  if (usesOldSelf && uncorrelatable !== undefined)
    problems.push(
      invalid(
        at(child(rulePlace, "rule")),
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${fieldOf(uncorrelatable)}`,
      ),
    );
  if (!usesOldSelf && rule.optionalOldSelf !== undefined)
    problems.push(
      invalid(
        at(child(rulePlace, "optionalOldSelf")),
        rule.optionalOldSelf,
        "may not be set if oldSelf is not used in rule",
      ),
    );
  return problems;
}
