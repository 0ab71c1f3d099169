// SPDX-License-Identifier: Apache-2.0
import { resolveFieldPath } from "../cel/field-path.ts";
import { compileRule } from "../cel/rule.ts";
import { schemaType } from "../cel/schema-type.ts";
import { jsonText } from "../go-text.ts";
import { child, fieldOf, index, type Place } from "../place.ts";
import { at, internalError, invalid, invalidShown, notSupported, required } from "../problems.ts";
import type { Json, Problem, Schema, ValidationRule } from "../types.ts";

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
}

/** What is wrong with the expressions of a schema's rules. */
export function ruleProblems(schema: Schema, place: Place, { isRoot, uncorrelatable }: RuleStanding): Problem[] {
  const rulesPlace = child(place, "x-kubernetes-validations");
  const isResource = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const type = schemaType(schema, "selfType", isResource);
  if (type === undefined)
    return [
      internalError(
        at(rulesPlace),
        "internal error: failed to construct type information for x-kubernetes-validations rules: " +
          "unable to convert structural schema to CEL declarations",
      ),
    ];
  const problems: Problem[] = [];
  for (const [position, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    const where = (name: string) => at(child(index(rulesPlace, position), name));
    const compiled = compileRule(rule, type);
    if (compiled.kind === "broken") problems.push(invalidShown(where("rule"), ruleText(rule), compiled.words));
    if (compiled.kind === "usable" && compiled.messageWords !== undefined)
      problems.push(invalidShown(where("messageExpression"), ruleText(rule), compiled.messageWords));
    const usesOldSelf = compiled.kind === "usable" && compiled.expression.usesOldSelf;
    if (usesOldSelf && uncorrelatable !== undefined)
      problems.push(
        invalid(
          where("rule"),
          rule.rule,
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${fieldOf(uncorrelatable)}`,
        ),
      );
    if (!usesOldSelf && rule.optionalOldSelf !== undefined)
      problems.push(
        invalid(where("optionalOldSelf"), rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"),
      );
  }
  return problems;
}
