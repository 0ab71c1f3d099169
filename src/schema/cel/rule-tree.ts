// SPDX-License-Identifier: Apache-2.0
import { valueSchema } from "../json.ts";
import type { Schema } from "../types.ts";
import { lazily } from "./lazily.ts";
import { type CompiledRule, compileRule } from "./rule.ts";
import { schemaType, withTypeMeta } from "./schema-type.ts";

/** A schema with the rules on it and below it. Programs are compiled when first needed. */
export interface RuleNode {
  readonly schema: Schema;
  readonly rules: readonly (() => CompiledRule)[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/** Collects the rules of a schema and everything below it; undefined when there are none. */
export function ruleTree(schema: Schema, isResource: boolean): RuleNode | undefined {
  if (!hasRules(schema)) return undefined;
  const type = lazily(() => schemaType(schema, "selfType", isResource));
  const rules = (schema["x-kubernetes-validations"] ?? []).map((rule) => lazily(() => compileRule(rule, type())));
  const below = (part: Schema | undefined): RuleNode | undefined =>
    part === undefined ? undefined : ruleTree(part, part["x-kubernetes-embedded-resource"] === true);
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    // Rules on and below something that rules cannot see are not run.
    const isVisible = hasRules(property) && schemaType(property, name, false) !== undefined;
    const node = isVisible ? below(property) : undefined;
    if (node !== undefined) properties.set(name, node);
  }
  return {
    schema: isResource ? withTypeMeta(schema) : schema,
    rules,
    properties,
    values: below(valueSchema(schema)),
    items: below(schema.items),
  };
}

const ruled = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema): boolean {
  const known = ruled.get(schema);
  if (known !== undefined) return known;
  const below = [schema.items, valueSchema(schema), ...Object.values(schema.properties ?? {})];
  const hasOwn = (schema["x-kubernetes-validations"]?.length ?? 0) > 0;
  const answer = hasOwn || below.some((part) => part !== undefined && hasRules(part));
  ruled.set(schema, answer);
  return answer;
}
