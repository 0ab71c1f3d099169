// SPDX-License-Identifier: Apache-2.0
import type { Correlation } from "./correlation.ts";
import { isKnownFormat } from "./formats.ts";
import { isInt64, isList, isObject, jsonText } from "./go-text.ts";
import { deepEqual, getOwn, valueSchema } from "./json.ts";
import { checkJunctors } from "./junctors.ts";
import { numberProblems } from "./numbers.ts";
import { merge, type Outcome, openApiInvalid, openApiLocation } from "./outcome.ts";
import { child, dottedOf, index, key, type Place } from "./place.ts";
import { invalid, notSupported, required, tooMany } from "./problems.ts";
import { formatProblem, textProblem } from "./texts.ts";
import type { Json, Problem, Schema } from "./types.ts";
import { effectiveFormat, typeProblem, typesOf } from "./value-type.ts";

/**
 * Checks a value against a schema in the way and the words of the server's OpenAPI validation. With a correlation to
 * the old value, problems of unchanged values are left out (ratcheting).
 */
export function schemaProblems(
  schema: Schema,
  value: Json,
  { correlation }: { correlation?: Correlation | undefined } = {},
): Problem[] {
  return unique(validate({ schema, value, place: undefined }, correlation).problems);
}

interface Subject {
  readonly schema: Schema;
  readonly value: Json;
  readonly place: Place;
}

interface Progress {
  readonly outcome: Outcome;
  readonly correlation: Correlation | undefined;
}

function validate(subject: Subject, correlation: Correlation | undefined): Outcome {
  const outcome = validateValue(subject, correlation);
  if (outcome.problems.length > 0 && correlation?.isUnchanged()) outcome.problems = [];
  return outcome;
}

/** The order and the number of counted checks follow the server, because alternatives are chosen by them. */
function validateValue(subject: Subject, correlation: Correlation | undefined): Outcome {
  const { schema, value, place } = subject;
  const outcome: Outcome = { problems: [], matches: 0 };
  if (value === null) {
    checkType(subject, outcome);
    checkEnum(subject, outcome);
    return outcome;
  }
  if (typesOf(schema).length > 0 || effectiveFormat(schema) !== "") {
    checkType(subject, outcome);
    outcome.matches++;
  }
  // Nothing below a junctor is ratcheted on its own, hence no correlation.
  const tryOn = (alternative: Schema) => validateValue({ schema: alternative, value, place }, undefined);
  checkJunctors(schema, { tryOn, place, outcome });
  outcome.matches++;
  if (typeof value === "string") checkText(schema, value, { place, outcome });
  else if (typeof value === "number") {
    outcome.problems.push(...numberProblems(schema, value, place));
    outcome.matches += 2;
  } else if (isList(value)) {
    checkItems(subject, value, { outcome, correlation });
    outcome.matches += 2;
  }
  checkEnum(subject, outcome);
  outcome.matches++;
  if (isObject(value)) {
    checkProperties(subject, value, { outcome, correlation });
    outcome.matches++;
  }
  outcome.matches++;
  return outcome;
}

function checkType({ schema, value, place }: Subject, outcome: Outcome): void {
  const problem = typeProblem(schema, value, place);
  if (problem === undefined) outcome.matches++;
  else outcome.problems.push(problem);
}

function checkText(schema: Schema, value: string, { place, outcome }: { place: Place; outcome: Outcome }): void {
  const problem = textProblem(schema, value, place);
  if (problem !== undefined) outcome.problems.push(problem);
  outcome.matches++;
  const format = effectiveFormat(schema);
  if (!isKnownFormat(format)) return;
  const wrong = formatProblem(format, value, place);
  if (wrong !== undefined) outcome.problems.push(wrong);
  outcome.matches++;
}

function checkEnum({ schema, value, place }: Subject, outcome: Outcome): void {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return;
  if (allowed.some((candidate) => isEnumMatch(value, candidate))) return;
  const supported = allowed.map((candidate) => (typeof candidate === "string" ? candidate : jsonText(candidate)));
  outcome.problems.push(notSupported(openApiLocation(place), value, supported));
}

/** The server converts the value to the candidate's Go type first, so 1.5 counts as the integer 1; null never matches. */
function isEnumMatch(value: Json, candidate: Json): boolean {
  if (value === null || candidate === null) return false;
  if (typeof value === "number" && typeof candidate === "number")
    return isInt64(candidate) ? Math.trunc(value) === candidate : value === candidate;
  return deepEqual(value, candidate);
}

function checkItems({ schema, place }: Subject, items: readonly Json[], { outcome, correlation }: Progress): void {
  if (schema.items !== undefined)
    for (const [at, value] of items.entries()) {
      const subject = { schema: schema.items, value, place: index(place, at) };
      merge(outcome, validate(subject, correlation?.item(at)));
    }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && items.length < minItems)
    outcome.problems.push(openApiInvalid(place, items.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && items.length > maxItems)
    outcome.problems.push(tooMany(openApiLocation(place), items.length, maxItems));
  if (schema.uniqueItems && new Set(items.map(jsonText)).size < items.length)
    outcome.problems.push(openApiInvalid(place, "", "shouldn't contain duplicates"));
}

type JsonObject = { readonly [key: string]: Json | undefined };

function checkProperties({ schema, place }: Subject, object: JsonObject, progress: Progress): void {
  const { outcome, correlation } = progress;
  const names = Object.keys(object);
  checkPropertyCount(schema, { place, count: names.length, outcome });
  for (const name of names) {
    const value = object[name];
    if (value === undefined) continue;
    const property = getOwn(schema.properties, name);
    if (property === undefined) checkMapValue({ schema, place, value }, name, progress);
    else {
      const subject = { schema: property, value, place: child(place, name) };
      // The old apiVersion and kind are always those of the new object: no change of them could ever be seen.
      const isTypeMeta = place === undefined && (name === "apiVersion" || name === "kind");
      merge(outcome, validate(subject, isTypeMeta ? undefined : correlation?.property(name)));
    }
  }
  for (const name of schema.required ?? [])
    if (getOwn(object, name) === undefined) outcome.problems.push(required(openApiLocation(child(place, name))));
}

function checkMapValue({ schema, place, value }: Subject, name: string, { outcome, correlation }: Progress): void {
  const values = valueSchema(schema);
  if (schema.additionalProperties === false) {
    const detail = `${dottedOf(place)}.${name} in body is a forbidden property`;
    outcome.problems.push(invalid(openApiLocation(place), name, detail));
  } else if (values !== undefined)
    merge(outcome, validate({ schema: values, value, place: key(place, name) }, correlation?.property(name)));
}

function checkPropertyCount(
  { minProperties, maxProperties }: Schema,
  { place, count, outcome }: { place: Place; count: number; outcome: Outcome },
): void {
  if (minProperties !== undefined && count < minProperties)
    outcome.problems.push(openApiInvalid(place, count, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && count > maxProperties)
    outcome.problems.push(tooMany(openApiLocation(place), count, maxProperties));
}

/** The server reports each message once. */
function unique(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ field, message }) => {
    const text = `${field}: ${message}`;
    return !seen.has(text) && seen.add(text);
  });
}
