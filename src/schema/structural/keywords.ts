// SPDX-License-Identifier: Apache-2.0
import { append } from "../append.ts";
import { valueSchema } from "../json.ts";
import { child, index, key, type Place } from "../place.ts";
import { at, forbidden, notSupported } from "../problems.ts";
import type { Problem, Schema } from "../types.ts";
import { extensionProblems } from "./list-keywords.ts";
import { cardinalityBelow, ruleCosts } from "./rule-costs.ts";
import { type RuleStanding, ruleProblems, ruleShapeProblems } from "./rule-keywords.ts";

/** What holds for a schema because of where it stands. */
interface Standing extends RuleStanding {
  /** Inside apiVersion, kind or metadata of a resource. */
  readonly isInMeta: boolean;
  /** Why no default may be given here. */
  readonly noDefaults: string | undefined;
  /** Rules are compiled only where the schema is structural, and not inside junctors. */
  readonly checksRules: boolean;
}

interface Found {
  readonly schema: Problem[];
  readonly rules: Problem[];
}

/** What the server refuses in the keywords of a schema, rules that do not compile or cost too much included. */
export function keywordProblems(schema: Schema, place: Place, checksRules: boolean): Problem[] {
  const costs = ruleCosts();
  const nothing = { isInMeta: false, noDefaults: undefined, uncorrelatable: undefined };
  const found = visit(schema, place, { ...nothing, isRoot: true, checksRules, cardinality: 1n, costs });
  return [...found.schema, ...found.rules, ...costs.totalProblems(place)];
}

const META_FIELDS = new Set(["metadata", "kind", "apiVersion"]);

function visit(schema: Schema, place: Place, standing: Standing): Found {
  const found: Found = { schema: unsupportedProblems(schema, place, standing), rules: [] };
  const cardinality = cardinalityBelow(schema, standing.cardinality);
  const below = (part: Schema | undefined, where: Place, changes: Partial<Standing> = {}) => {
    if (part === undefined) return;
    const inner = visit(part, where, { ...standing, isRoot: false, cardinality, ...changes });
    append(found.schema, inner.schema);
    append(found.rules, inner.rules);
  };
  if (schema.uniqueItems)
    found.schema.push(
      forbidden(
        at(child(place, "uniqueItems")),
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  visitValues(schema, place, { standing, found, below });
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = (standing.isRoot || schema["x-kubernetes-embedded-resource"] === true) && META_FIELDS.has(name);
    const changes = isMeta
      ? { isInMeta: true, ...(standing.isRoot ? { noDefaults: `in top-level ${name}` } : {}) }
      : {};
    below(property, key(child(place, "properties"), name), changes);
  }
  below(schema.not, child(place, "not"), { checksRules: false });
  for (const name of ["allOf", "oneOf", "anyOf"] as const)
    for (const [position, part] of (schema[name] ?? []).entries())
      below(part, index(child(place, name), position), { checksRules: false });
  const isCorrelatable = schema["x-kubernetes-list-type"] === "map";
  if (!Array.isArray(schema.items))
    below(
      schema.items,
      child(place, "items"),
      isCorrelatable ? {} : { uncorrelatable: standing.uncorrelatable ?? place },
    );
  append(found.schema, extensionProblems(schema, place));
  const rules = schema["x-kubernetes-validations"] ?? [];
  for (const [position, rule] of rules.entries())
    append(found.schema, ruleShapeProblems(rule, schema, index(child(place, "x-kubernetes-validations"), position)));
  // Rules are not compiled for a schema that is wrong anyway: what they would say could not be acted on.
  if (rules.length > 0 && found.schema.length === 0 && standing.checksRules)
    append(found.rules, ruleProblems(schema, place, standing));
  return found;
}

interface Visiting {
  readonly standing: Standing;
  readonly found: Found;
  readonly below: (part: Schema | undefined, where: Place, changes?: Partial<Standing>) => void;
}

function visitValues(schema: Schema, place: Place, { standing, found, below }: Visiting): void {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined) return;
  const where = child(place, "additionalProperties");
  if (Object.keys(schema.properties ?? {}).length > 0 && additionalProperties !== true)
    found.schema.push(forbidden(at(where), "additionalProperties and properties are mutual exclusive"));
  const noDefaults = "inside additionalProperties applying to object metadata";
  below(valueSchema(schema), where, standing.isInMeta ? { noDefaults } : {});
}

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

/** Keywords of JSON Schema that no CRD may use. */
const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

/** Whether a schema, or one below it, has something that no structural schema can have at all. */
export function isBeyondStructural(schema: Schema): boolean {
  if (UNSUPPORTED.some((name) => Object.hasOwn(schema, name)) || Array.isArray(schema.items)) return true;
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) return true;
  const below = [schema.items, valueSchema(schema), schema.not, ...Object.values(schema.properties ?? {})];
  const nested = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [...below, ...nested].some((part) => part !== undefined && isBeyondStructural(part));
}

function unsupportedProblems(schema: Schema, place: Place, { isInMeta, noDefaults }: Standing): Problem[] {
  const problems: Problem[] = [];
  const type: string | undefined = schema.type;
  if (type !== undefined && type !== "" && !TYPES.includes(type))
    problems.push(notSupported(at(child(place, "type")), type, TYPES));
  if (schema.default !== undefined && noDefaults !== undefined)
    problems.push(forbidden(at(child(place, "default")), `must not be set ${noDefaults}`));
  for (const name of UNSUPPORTED)
    if (Object.hasOwn(schema, name)) problems.push(forbidden(at(child(place, name)), `${name} is not supported`));
  if (type === "null")
    problems.push(forbidden(at(child(place, "type")), "type cannot be set to null, use nullable as an alternative"));
  if (Array.isArray(schema.items))
    problems.push(forbidden(at(child(place, "items")), "items must be a schema object and not an array"));
  if (isInMeta && schema["x-kubernetes-embedded-resource"])
    problems.push(
      forbidden(at(child(place, "x-kubernetes-embedded-resource")), "must not be used inside of resource meta"),
    );
  return problems;
}
