// SPDX-License-Identifier: Apache-2.0
import type { Correlation } from "./correlation.ts";
import { formatProblem, isKnownFormat } from "./formats.ts";
import { codePointCount, isInt64, isList, isObject, jsonText, quote } from "./go-text.ts";
import { deepEqual, getOwn, valueSchema } from "./json.ts";
import { isNearlyInteger, numberProblems } from "./numbers.ts";
import { compilePattern } from "./patterns.ts";
import { child, dottedOf, index, key, type Place, pathOf } from "./place.ts";
import { invalid, type Location, notSupported, required, tooLong, tooMany, typeInvalid } from "./problems.ts";
import type { Json, Problem, Schema } from "./types.ts";

/**
 * What one schema says about one value. `matches` counts the checks that passed: the server uses it to choose which
 * failed alternative of an anyOf or oneOf it reports.
 */
interface Outcome {
  problems: Problem[];
  matches: number;
}

/**
 * Checks a value against a schema in the way and the words of the server's OpenAPI validation. With a correlation to
 * the old value, problems of unchanged values are left out (ratcheting). `base` is where the value stands.
 */
export function schemaProblems(
  schema: Schema,
  value: Json,
  { correlation, base }: { correlation?: Correlation | undefined; base?: Place } = {},
): Problem[] {
  return unique(validate({ schema, value, place: base }, correlation).problems);
}

interface Subject {
  readonly schema: Schema;
  readonly value: Json;
  readonly place: Place;
}

function validate(subject: Subject, correlation: Correlation | undefined): Outcome {
  const outcome = validateValue(subject, correlation);
  if (outcome.problems.length > 0 && correlation?.isUnchanged()) outcome.problems = [];
  return outcome;
}

function validateValue(subject: Subject, correlation: Correlation | undefined): Outcome {
  const { schema, value } = subject;
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
  checkJunctors(subject, outcome);
  outcome.matches++;
  if (typeof value === "string") checkString(subject, outcome);
  else if (typeof value === "number") {
    outcome.problems.push(...numberProblems(schema, value, subject.place));
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

function typesOf(schema: Schema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"]) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

/** The format as far as the server enforces it: formats it does not know for the type are ignored. */
function effectiveFormat(schema: Schema): string {
  const format = schema.format ?? "";
  if (format === "") return "";
  const types = typesOf(schema);
  const type = types.length === 1 ? types[0] : undefined;
  if (type === "integer") return format === "int32" || format === "int64" ? format : "";
  if (type === "number") return format === "float" || format === "double" ? format : "";
  if (type === undefined || type === "string") return isKnownFormat(format) ? format : "";
  return "";
}

function jsonType(value: Json): { type: string; format: string } {
  if (typeof value === "boolean") return { type: "boolean", format: "" };
  if (typeof value === "string") return { type: "string", format: "" };
  if (typeof value !== "number") return { type: isList(value) ? "array" : "object", format: "" };
  return isInt64(value) ? { type: "integer", format: "int64" } : { type: "number", format: "float64" };
}

function checkType(subject: Subject, outcome: Outcome): void {
  const { schema, value, place } = subject;
  const types = typesOf(schema);
  const wrong = (expected: string, found: string) => {
    const detail = `${dottedOf(place)} in body must be of type ${expected}: ${quote(found)}`;
    outcome.problems.push(typeInvalid(openApi(place), found, detail));
  };
  if (value === null) {
    if (types.length > 0 && !schema.nullable) wrong(types.join(","), "null");
    else outcome.matches++;
    return;
  }
  const format = effectiveFormat(schema);
  const found = jsonType(value);
  const isNumeric = types.includes("number") || types.includes("integer");
  const isTextOrList = typeof value === "string" || isList(value);
  const isIntegralFloat = typeof value === "number" && types.includes("integer") && isNearlyInteger(value);
  const isFine =
    types.includes(found.type) || isIntegralFloat || (found.type === "integer" && types.includes("number"));
  // A quirk: text and lists pass here when a format other than a number's is given.
  if (!isFine && format !== "" && !isTextOrList && format !== found.format) wrong(format, found.format);
  else if (!isFine && !(format !== "" && isTextOrList && !isNumeric)) wrong(types.join(","), found.type);
  else outcome.matches++;
}

function checkString({ schema, value, place }: Subject, outcome: Outcome): void {
  if (typeof value !== "string") return;
  const problem = textProblem(schema, value, place);
  if (problem !== undefined) outcome.problems.push(problem);
  outcome.matches++;
  const format = effectiveFormat(schema);
  if (format === "" || !isKnownFormat(format)) return;
  if (formatProblem(format, value)) {
    const detail = `${dottedOf(place)} in body must be of type ${format}: ${quote(value)}`;
    outcome.problems.push(typeInvalid(openApi(place), value, detail));
  }
  outcome.matches++;
}

function textProblem(schema: Schema, value: string, place: Place): Problem | undefined {
  const { minLength, maxLength, pattern } = schema;
  if (maxLength !== undefined && value.length > maxLength && codePointCount(value) > maxLength)
    return tooLong(openApi(place), maxLength);
  if (minLength !== undefined && codePointCount(value) < minLength)
    return openApiInvalid(place, value, `should be at least ${minLength} chars long`);
  if (pattern === undefined || pattern === "") return undefined;
  try {
    if (compilePattern(pattern).test(value)) return undefined;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return openApiInvalid(place, value, `should match '${pattern}, but pattern is invalid: ${words}'`);
  }
  return openApiInvalid(place, value, `should match '${pattern}'`);
}

function checkEnum({ schema, value, place }: Subject, outcome: Outcome): void {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return;
  if (allowed.some((candidate) => isEnumMatch(value, candidate))) return;
  const supported = allowed.map((candidate) => (typeof candidate === "string" ? candidate : jsonText(candidate)));
  outcome.problems.push(notSupported(openApi(place), value, supported));
}

/** The server converts the value to the candidate's Go type first, so 1.5 counts as the integer 1; null never matches. */
function isEnumMatch(value: Json, candidate: Json): boolean {
  if (value === null || candidate === null) return false;
  if (typeof value === "number" && typeof candidate === "number")
    return isInt64(candidate) ? Math.trunc(value) === candidate : value === candidate;
  return deepEqual(value, candidate);
}

interface Progress {
  readonly outcome: Outcome;
  readonly correlation: Correlation | undefined;
}

function checkItems({ schema, place }: Subject, items: readonly Json[], { outcome, correlation }: Progress): void {
  if (schema.items !== undefined) {
    for (const [at, value] of items.entries()) {
      const subject = { schema: schema.items, value, place: index(place, at) };
      merge(outcome, validate(subject, correlation?.item(at)));
    }
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && items.length < minItems)
    outcome.problems.push(openApiInvalid(place, items.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && items.length > maxItems)
    outcome.problems.push(tooMany(openApi(place), items.length, maxItems));
  if (schema.uniqueItems && new Set(items.map(jsonText)).size < items.length)
    outcome.problems.push(openApiInvalid(place, "", "shouldn't contain duplicates"));
}

type JsonObject = { readonly [key: string]: Json | undefined };

function checkProperties({ schema, place }: Subject, object: JsonObject, { outcome, correlation }: Progress): void {
  const names = Object.keys(object);
  checkPropertyCount(schema, { place, count: names.length, outcome });
  const values = valueSchema(schema);
  for (const name of names) {
    const value = object[name];
    if (value === undefined) continue;
    const property = getOwn(schema.properties, name);
    if (property !== undefined) {
      const subject = { schema: property, value, place: child(place, name) };
      // The old apiVersion and kind are always those of the new object: no change of them could ever be seen.
      const isTypeMeta = place === undefined && (name === "apiVersion" || name === "kind");
      merge(outcome, validate(subject, isTypeMeta ? undefined : correlation?.property(name)));
    } else if (schema.additionalProperties === false) {
      const detail = `${dottedOf(place)}.${name} in body is a forbidden property`;
      outcome.problems.push(invalid(openApi(place), name, detail));
    } else if (values !== undefined) {
      const subject = { schema: values, value, place: key(place, name) };
      merge(outcome, validate(subject, correlation?.property(name)));
    }
  }
  for (const name of schema.required ?? [])
    if (getOwn(object, name) === undefined) outcome.problems.push(required(openApi(child(place, name))));
}

function checkPropertyCount(
  { minProperties, maxProperties }: Schema,
  { place, count, outcome }: { place: Place; count: number; outcome: Outcome },
): void {
  if (minProperties !== undefined && count < minProperties)
    outcome.problems.push(openApiInvalid(place, count, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && count > maxProperties)
    outcome.problems.push(tooMany(openApi(place), count, maxProperties));
}

function checkJunctors(subject: Subject, outcome: Outcome): void {
  const { schema, value, place } = subject;
  // Nothing below a junctor is ratcheted on its own, hence no correlation.
  const tryOn = (alternative: Schema) => validateValue({ schema: alternative, value, place }, undefined);
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) checkAnyOf(schema.anyOf, { tryOn, place, outcome });
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) checkOneOf(schema.oneOf, { tryOn, place, outcome });
  if (schema.allOf !== undefined && schema.allOf.length > 0) checkAllOf(schema.allOf, { tryOn, place, outcome });
  if (schema.not !== undefined && tryOn(schema.not).problems.length === 0)
    outcome.problems.push(junctorProblem(place, "must not validate the schema (not)"));
  outcome.matches++;
}

interface Junction {
  readonly tryOn: (alternative: Schema) => Outcome;
  readonly place: Place;
  readonly outcome: Outcome;
}

function checkAnyOf(alternatives: readonly Schema[], { tryOn, place, outcome }: Junction): void {
  let best: Outcome | undefined;
  for (const alternative of alternatives) {
    const tried = tryOn(alternative);
    if (tried.problems.length === 0) return merge(outcome, tried);
    if (best === undefined || tried.matches > best.matches) best = tried;
  }
  outcome.problems.push(junctorProblem(place, "must validate at least one schema (anyOf)"));
  if (best !== undefined) merge(outcome, best);
}

function checkOneOf(alternatives: readonly Schema[], { tryOn, place, outcome }: Junction): void {
  const tried = alternatives.map(tryOn);
  const valid = tried.filter(({ problems }) => problems.length === 0);
  const [first] = valid;
  if (valid.length === 1 && first !== undefined) return merge(outcome, first);
  const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  outcome.problems.push(junctorProblem(place, `must validate one and only one schema (oneOf). ${found}`));
  if (valid.length === 0) merge(outcome, tried.reduce((best, next) => (next.matches > best.matches ? next : best)));
}

function checkAllOf(parts: readonly Schema[], { tryOn, place, outcome }: Junction): void {
  const tried = parts.map(tryOn);
  for (const part of tried) merge(outcome, part);
  const valid = tried.filter(({ problems }) => problems.length === 0).length;
  if (valid === parts.length) return;
  const none = valid === 0 ? ". None validated" : "";
  outcome.problems.push(junctorProblem(place, `must validate all the schemas (allOf)${none}`));
}

function merge(into: Outcome, part: Outcome): void {
  for (const problem of part.problems) into.problems.push(problem);
  into.matches += part.matches;
}

/** The server names no field for a failed junctor; the path still says where it stands. */
function junctorProblem(place: Place, words: string): Problem {
  return invalid({ path: pathOf(place), field: "<nil>" }, "", `${quote(dottedOf(place))} ${words}`);
}

function openApi(place: Place): Location {
  return { path: pathOf(place), field: place === undefined ? "<nil>" : dottedOf(place) };
}

function openApiInvalid(place: Place, value: Json, words: string): Problem {
  return invalid(openApi(place), value, `${dottedOf(place)} in body ${words}`);
}

/** The server reports each message once. */
function unique(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ field, message }) => {
    const text = `${field}: ${message}`;
    return !seen.has(text) && seen.add(text);
  });
}
