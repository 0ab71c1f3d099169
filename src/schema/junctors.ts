// SPDX-License-Identifier: Apache-2.0
import { quote } from "./go-text.ts";
import { merge, type Outcome } from "./outcome.ts";
import { dottedOf, type Place, pathOf } from "./place.ts";
import { invalid } from "./problems.ts";
import type { Problem, Schema } from "./types.ts";

/** A value that alternatives are tried on. */
export interface Junction {
  readonly tryOn: (alternative: Schema) => Outcome;
  readonly place: Place;
  readonly outcome: Outcome;
}

/** Checks anyOf, oneOf, allOf and not, and adds to the outcome what the server would report of them. */
export function checkJunctors(schema: Schema, junction: Junction): void {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const { tryOn, place, outcome } = junction;
  if (anyOf.length > 0) checkAnyOf(anyOf, junction);
  if (oneOf.length > 0) checkOneOf(oneOf, junction);
  if (allOf.length > 0) checkAllOf(allOf, junction);
  if (not !== undefined && isValid(tryOn(not)))
    outcome.problems.push(junctorProblem(place, "must not validate the schema (not)"));
  outcome.matches++;
}

const isValid = ({ problems }: Outcome): boolean => problems.length === 0;

/** The failed alternative with most checks passed, the first of several. */
function best(tried: readonly Outcome[]): Outcome | undefined {
  return tried.reduce<Outcome | undefined>(
    (so, next) => (so === undefined || next.matches > so.matches ? next : so),
    undefined,
  );
}

function checkAnyOf(alternatives: readonly Schema[], { tryOn, place, outcome }: Junction): void {
  const failed: Outcome[] = [];
  for (const alternative of alternatives) {
    const tried = tryOn(alternative);
    if (isValid(tried)) {
      merge(outcome, tried);
      return;
    }
    failed.push(tried);
  }
  outcome.problems.push(junctorProblem(place, "must validate at least one schema (anyOf)"));
  const shown = best(failed);
  if (shown !== undefined) merge(outcome, shown);
}

function checkOneOf(alternatives: readonly Schema[], { tryOn, place, outcome }: Junction): void {
  const tried = alternatives.map(tryOn);
  const valid = tried.filter(isValid);
  if (valid.length !== 1) {
    const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
    outcome.problems.push(junctorProblem(place, `must validate one and only one schema (oneOf). ${found}`));
  }
  const shown = valid.length === 0 ? best(tried) : valid[0];
  if (shown !== undefined && valid.length < 2) merge(outcome, shown);
}

function checkAllOf(parts: readonly Schema[], { tryOn, place, outcome }: Junction): void {
  const tried = parts.map(tryOn);
  for (const part of tried) merge(outcome, part);
  const valid = tried.filter(isValid).length;
  if (valid === parts.length) return;
  const none = valid === 0 ? ". None validated" : "";
  outcome.problems.push(junctorProblem(place, `must validate all the schemas (allOf)${none}`));
}

/** The server names no field for a failed junctor; the path still says where it stands. */
function junctorProblem(place: Place, words: string): Problem {
  return invalid({ path: pathOf(place), field: "<nil>" }, "", `${quote(dottedOf(place))} ${words}`);
}
