// SPDX-License-Identifier: Apache-2.0
import { isOfFormat } from "./formats.ts";
import { codePointCount, quote } from "./go-text.ts";
import { openApiInvalid, openApiLocation } from "./outcome.ts";
import { compilePattern } from "./patterns.ts";
import { dottedOf, type Place } from "./place.ts";
import { tooLong, typeInvalid } from "./problems.ts";
import type { Problem, Schema } from "./types.ts";

/** What a schema's length limits and pattern say about a text: the first of them that it breaks. */
export function textProblem(schema: Schema, value: string, place: Place): Problem | undefined {
  const { minLength, maxLength, pattern } = schema;
  if (maxLength !== undefined && value.length > maxLength && codePointCount(value) > maxLength)
    return tooLong(openApiLocation(place), maxLength);
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

/** What a format says about a text. */
export function formatProblem(format: string, value: string, place: Place): Problem | undefined {
  if (isOfFormat(format, value)) return undefined;
  const detail = `${dottedOf(place)} in body must be of type ${format}: ${quote(value)}`;
  return typeInvalid(openApiLocation(place), value, detail);
}
