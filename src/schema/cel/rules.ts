// SPDX-License-Identifier: Apache-2.0
import { type Correlation, oldItemsByKey } from "../correlation.ts";
import { isList, isObject } from "../go-text.ts";
import { getOwn } from "../json.ts";
import { child, index, key, type Place } from "../place.ts";
import type { Json, Problem, Schema } from "../types.ts";
import { OBJECT_COST_LIMIT } from "./cost.ts";
import type { Ratchet, Subject } from "./rule-subject.ts";
import { type RuleNode, ruleTree } from "./rule-tree.ts";
import { type Run, runRules } from "./run-rules.ts";

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
  readonly problems: Problem[];
  readonly warnings: string[];
}

/** Collects the rules of a schema; undefined when it has none. `isResource`: the schema is of a whole resource. */
export function compileRules(schema: Schema, isResource = true): Rules | undefined {
  const root = ruleTree(schema, isResource);
  if (root === undefined) return undefined;
  return {
    check(value, { old, correlation, base }) {
      const run: Run = { problems: [], warnings: [], budget: OBJECT_COST_LIMIT };
      visit(root, { value, old, place: base, ratchet: { current: correlation, parent: undefined } }, run);
      return { problems: run.problems, warnings: run.warnings };
    },
  };
}

function visit(node: RuleNode, subject: Subject, run: Run): void {
  if (subject.value === null || run.budget < 0) return;
  runRules(node, subject, run);
  if (isList(subject.value)) visitItems(node, subject, run);
  else if (isObject(subject.value)) visitProperties(node, subject, run);
}

function visitItems(node: RuleNode, { value, old, place, ratchet }: Subject, run: Run): void {
  if (node.items === undefined || !isList(value)) return;
  const before = oldItemsByKey(node.schema, isList(old) ? old : []);
  for (const [position, item] of value.entries()) {
    const where = { place: index(place, position), ratchet: itemRatchet(ratchet, position) };
    visit(node.items, { value: item, old: before.find(item), ...where }, run);
  }
}

function visitProperties(node: RuleNode, { value, old, place, ratchet }: Subject, run: Run): void {
  if (!isObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const before = isObject(old) ? getOwn(old, name) : undefined;
    const below = { value: item, old: before, ratchet: propertyRatchet(ratchet, name) };
    if (node.values !== undefined) visit(node.values, { ...below, place: key(place, name) }, run);
    const property = node.properties.get(name);
    if (property !== undefined) visit(property, { ...below, place: child(place, name) }, run);
  }
}

function propertyRatchet({ current, parent }: Ratchet, name: string): Ratchet {
  if (current === undefined) return { current, parent };
  if (parent === undefined && (name === "apiVersion" || name === "kind"))
    return { current: undefined, parent: undefined };
  return { current: current.property(name), parent: current };
}

function itemRatchet({ current, parent }: Ratchet, position: number): Ratchet {
  if (current === undefined) return { current, parent };
  return { current: current.item(position), parent: current };
}
