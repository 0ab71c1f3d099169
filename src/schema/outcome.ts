// SPDX-License-Identifier: Apache-2.0
import { dottedOf, type Place, pathOf } from "./place.ts";
import { invalid, type Location } from "./problems.ts";
import type { Json, Problem } from "./types.ts";

/**
 * What one schema says about one value. `matches` counts the checks that passed: the server uses it to choose which
 * failed alternative of an anyOf or oneOf it reports.
 */
export interface Outcome {
  problems: Problem[];
  matches: number;
}

/** Adds an outcome to another. */
export function merge(into: Outcome, part: Outcome): void {
  for (const problem of part.problems) into.problems.push(problem);
  into.matches += part.matches;
}

/** A location as OpenAPI validation prints it. */
export function openApiLocation(place: Place): Location {
  return { path: pathOf(place), field: place === undefined ? "<nil>" : dottedOf(place) };
}

/** A value that OpenAPI validation refuses: its words repeat where the value stands. */
export function openApiInvalid(place: Place, value: Json, words: string): Problem {
  return invalid(openApiLocation(place), value, `${dottedOf(place)} in body ${words}`);
}
