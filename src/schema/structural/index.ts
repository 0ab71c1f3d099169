// SPDX-License-Identifier: Apache-2.0
import { compareText } from "../go-text.ts";
import { isDeeperThan, MAX_DEPTH } from "../json.ts";
import { child, index, type Place } from "../place.ts";
import { at, forbidden, invalid, OMITTED } from "../problems.ts";
import type { Path, Problem, Schema } from "../types.ts";
import { defaultProblems } from "./defaults.ts";
import { isBeyondStructural, keywordProblems } from "./keywords.ts";
import { shapeProblems } from "./shape.ts";

/** Where the schema stands in its CRD. */
export interface StructuralOptions {
  /**
   * Printed in front of fields. A server prints `spec.validation.openAPIV3Schema` for a CRD whose versions have one
   * schema, which is the default here, and `spec.versions[0].schema.openAPIV3Schema` otherwise.
   */
  readonly at?: Path;
}

/**
 * Everything a server refuses a CRD's schema for, in its words: no structural schema, misused `x-kubernetes-*`
 * keywords, defaults that are not valid, rules that do not compile, rules that could take too long over lists, maps and
 * texts without limits.
 */
export function structuralProblems(schema: Schema, { at: path = DEFAULT_PATH }: StructuralOptions = {}): Problem[] {
  const place = placeOf(path);
  if (isDeeperThan(schema, MAX_DEPTH))
    return [invalid(at(place), OMITTED, `must not be nested deeper than ${MAX_DEPTH} levels`)];
  const problems: Problem[] = [];
  if (schema.nullable) problems.push(forbidden(at(child(place, "nullable")), "nullable cannot be true at the root"));
  if (isBeyondStructural(schema)) return [...problems, ...keywordProblems(schema, place, false)];
  const shape = shapeProblems(schema, place);
  shape.sort((left, right) => compareText(textOf(left), textOf(right)));
  const structural = shape.length > 0 ? shape : defaultProblems(schema, place);
  return [...problems, ...structural, ...keywordProblems(schema, place, structural.length === 0)];
}

const DEFAULT_PATH: Path = ["spec", "validation", "openAPIV3Schema"];

function placeOf(path: Path): Place {
  return path.reduce<Place>(
    (place, step) => (typeof step === "number" ? index(place, step) : child(place, step)),
    undefined,
  );
}

function textOf({ field, message }: Problem): string {
  return `${field}: ${message}`;
}
