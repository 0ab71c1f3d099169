// SPDX-License-Identifier: Apache-2.0
import { type Correlation, oldItemsByKey } from "../correlation.ts";
import { isList, isObject } from "../go-text.ts";
import { getOwn, valueSchema } from "../json.ts";
import { child, index, key, type Place } from "../place.ts";
import { at, duplicate, forbidden, invalid, OMITTED, required } from "../problems.ts";
import type { Json, Problem, Schema, ValidationRule } from "../types.ts";
import { OBJECT_COST_LIMIT } from "./cost.ts";
import { CostLimitError } from "./evaluate.ts";
import { resolveFieldPath } from "./field-path.ts";
import { type CompiledRule, compileRule } from "./rule.ts";
import { schemaType, withTypeMeta } from "./schema-type.ts";
import { schemaValue } from "./schema-value.ts";
import { CelError, type CelValue, NONE, optional } from "./values.ts";

/** The CEL rules of a schema and everything below it. */
export interface Rules {
  /**
   * The rules an object breaks. With an old object, transition rules run too, and rules broken by values that did not
   * change are warnings.
   */
  check(value: Json, context: RulesContext): RulesResult;
}

export interface RulesContext {
  readonly old?: Json | undefined;
  readonly correlation?: Correlation | undefined;
  /** Where the value stands. */
  readonly base?: Place;
}

export interface RulesResult {
  problems: Problem[];
  warnings: string[];
}

/** A schema with the rules on it and below it. Programs are compiled when first needed. */
interface RuleNode {
  readonly schema: Schema;
  readonly rules: readonly (() => CompiledRule)[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/** Collects the rules of a schema; undefined when it has none. `isResource`: the schema is of a whole resource. */
export function compileRules(schema: Schema, isResource = true): Rules | undefined {
  if (!hasRules(schema)) return undefined;
  const root = makeNode(schema, isResource);
  if (root === undefined) return undefined;
  return {
    check(value, { old, correlation, base }) {
      const run = { problems: [], warnings: [], budget: OBJECT_COST_LIMIT };
      visit(root, { value, old, place: base, ratchet: { current: correlation, parent: undefined } }, run);
      return { problems: run.problems, warnings: run.warnings };
    },
  };
}

const ruled = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema): boolean {
  const known = ruled.get(schema);
  if (known !== undefined) return known;
  const below = [schema.items, valueSchema(schema), ...Object.values(schema.properties ?? {})];
  const answer =
    (schema["x-kubernetes-validations"]?.length ?? 0) > 0 || below.some((part) => part !== undefined && hasRules(part));
  ruled.set(schema, answer);
  return answer;
}

function makeNode(schema: Schema, isResource: boolean): RuleNode | undefined {
  if (!hasRules(schema)) return undefined;
  const seen = isResource ? withTypeMeta(schema) : schema;
  const type = lazily(() => schemaType(schema, "selfType", isResource));
  const rules = (schema["x-kubernetes-validations"] ?? []).map((rule) => lazily(() => compileRule(rule, type())));
  const below = (part: Schema | undefined): RuleNode | undefined =>
    part === undefined ? undefined : makeNode(part, part["x-kubernetes-embedded-resource"] === true);
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    // Rules on and below something that rules cannot see are not run.
    const isVisible = hasRules(property) && schemaType(property, name, false) !== undefined;
    const node = isVisible ? below(property) : undefined;
    if (node !== undefined) properties.set(name, node);
  }
  return { schema: seen, rules, properties, values: below(valueSchema(schema)), items: below(schema.items) };
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** What the value is compared with, and the nearest value above it that has an old one. */
interface Ratchet {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

interface Subject {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly place: Place;
  readonly ratchet: Ratchet;
}

interface Run extends RulesResult {
  /** What is left of the costs allowed; below zero nothing runs any more. */
  budget: number;
}

function visit(node: RuleNode, subject: Subject, run: Run): void {
  const { value, old, place, ratchet } = subject;
  if (value === null || run.budget < 0) return;
  runRules(node, subject, run);
  if (isList(value)) {
    if (node.items === undefined) return;
    const before = oldItemsByKey(node.schema, isList(old) ? old : []);
    for (const [position, item] of value.entries()) {
      const below = { value: item, old: before.find(item), place: index(place, position), ratchet: atItem(ratchet, position) };
      visit(node.items, below, run);
    }
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const before = isObject(old) ? getOwn(old, name) : undefined;
      const below = { value: item, old: before, ratchet: atProperty(ratchet, name) };
      if (node.values !== undefined) visit(node.values, { ...below, place: key(place, name) }, run);
      const property = node.properties.get(name);
      if (property !== undefined) visit(property, { ...below, place: child(place, name) }, run);
    }
  }
}

function atProperty({ current, parent }: Ratchet, name: string): Ratchet {
  if (current === undefined) return { current, parent };
  if (parent === undefined && (name === "apiVersion" || name === "kind")) return { current: undefined, parent: undefined };
  return { current: current.property(name), parent: current };
}

function atItem({ current, parent }: Ratchet, position: number): Ratchet {
  if (current === undefined) return { current, parent };
  return { current: current.item(position), parent: current };
}

function isUnchanged({ current, parent }: Ratchet): boolean {
  return (current ?? parent)?.isUnchanged() ?? false;
}

function runRules(node: RuleNode, subject: Subject, run: Run): void {
  if (node.rules.length === 0) return;
  const { value, old, place } = subject;
  const typeText = node.schema.type ?? "";
  const fail = (words: string) => run.problems.push(invalid(at(place), typeText, words));
  if (run.budget <= 0) return void exhaust(run, place, typeText);
  const variables = variablesOf(value, old, node.schema);
  for (const getRule of node.rules) {
    const compiled = getRule();
    if (compiled.kind === "empty") continue;
    if (compiled.kind === "broken") {
      fail(`rule compile error: ${compiled.words}`);
      continue;
    }
    const { rule, expression } = compiled;
    if (expression.usesOldSelf && old === undefined && !rule.optionalOldSelf) continue;
    const bound = rule.optionalOldSelf ? variables.withOptionalOld : variables.plain;
    try {
      const { value: holds, cost } = expression.program.run(bound());
      run.budget -= cost;
      if (run.budget < 0) return void exhaust(run, place, typeText);
      if (holds !== true) reportBroken(compiled, { node, subject, bound, run });
    } catch (error) {
      if (error instanceof CostLimitError) {
        fail(`'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`);
        run.budget = -1;
        return;
      }
      if (!(error instanceof CelError)) throw error;
      fail(failureWords(error, rule));
    }
    if (run.budget < 0) return;
  }
}

function exhaust(run: Run, place: Place, typeText: string): void {
  const words = "validation failed due to running out of cost budget, no further validation rules will be run";
  run.problems.push(invalid(at(place), typeText, words));
  run.budget = -1;
}

function failureWords(error: CelError, rule: ValidationRule): string {
  if (!error.message.startsWith("no such overload")) return `${error.message} evaluating rule: ${ruleText(rule)}`;
  return `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`;
}

type Variables = () => ReadonlyMap<string, CelValue>;

/** Values are made once for all rules of a node, and not before a rule runs: making them may fail. */
function variablesOf(value: Json, old: Json | undefined, schema: Schema): { plain: Variables; withOptionalOld: Variables } {
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

type UsableRule = Extract<CompiledRule, { kind: "usable" }>;

function reportBroken(
  compiled: UsableRule,
  { node, subject, bound, run }: { node: RuleNode; subject: Subject; bound: Variables; run: Run },
): void {
  const { rule, expression, message } = compiled;
  const place = fieldPlace(rule, node.schema, subject.place);
  const add = (problem: Problem) => {
    if (!expression.usesOldSelf && isUnchanged(subject.ratchet)) run.warnings.push(`${problem.field}: ${problem.message}`);
    else run.problems.push(problem);
  };
  let detail: string | undefined;
  if (message !== undefined) {
    try {
      const { value, cost } = message.program.run(bound());
      run.budget -= cost;
      if (run.budget >= 0) detail = usableMessage(value);
    } catch (error) {
      if (!(error instanceof CelError) && !(error instanceof CostLimitError)) throw error;
      if (error instanceof CostLimitError) {
        run.budget = -1;
        const words = `no further validation rules will be run due to call cost exceeds limit for messageExpression: "${rule.messageExpression}"`;
        return add(invalid(at(place), node.schema.type ?? "", words));
      }
    }
    if (run.budget < 0) {
      const words = "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
      return add(invalid(at(place), node.schema.type ?? "", words));
    }
  }
  const isWhole = node.schema.type === "object" || node.schema.type === "array";
  add(problemFor(rule, { place, value: isWhole ? OMITTED : subject.value, detail: detail ?? defaultMessage(rule) }));
}

function fieldPlace(rule: ValidationRule, schema: Schema, place: Place): Place {
  if (rule.fieldPath === undefined || rule.fieldPath === "") return place;
  return resolveFieldPath(rule.fieldPath, schema, place) ?? place;
}

const MAX_MESSAGE_BYTES = 5 * 1024;

/** The text of a messageExpression if the server would show it; otherwise the rule's own message is shown. */
function usableMessage(value: CelValue): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" || text.includes("\n") || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? undefined : text;
}

function ruleText(rule: ValidationRule): string {
  return (rule.message || rule.rule).trim();
}

function defaultMessage(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`;
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
