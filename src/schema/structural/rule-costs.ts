// SPDX-License-Identifier: Apache-2.0
import { type Bounds, limitOf, mostInRequest } from "../cel/estimate-bounds.ts";
import { plus, times } from "../cel/estimate-size.ts";
import type { Place } from "../place.ts";
import { at, forbidden } from "../problems.ts";
import type { Problem, Schema } from "../types.ts";

/** What one expression may cost in the worst case. */
const EXPRESSION_LIMIT = 10_000_000n;

/** What all expressions of a schema may cost together. */
const SCHEMA_LIMIT = 100_000_000n;

/** Cheaper expressions are not named when the total is too much. */
const NAMED_FROM = SCHEMA_LIMIT / 100n;
const MAX_NAMED = 4;

/** How often the values of a schema can be there at most; undefined below lists and maps without limits. */
export type Cardinality = bigint | undefined;

/** The worst cost of the expressions of a schema and everything below it, as it adds up. */
export interface RuleCosts {
  /** Counts an expression; the problem when it costs too much by itself. */
  observe(name: string, place: Place, cost: bigint): Problem[];
  /** The problems when all together cost too much. `place`: where the schema stands. */
  totalProblems(place: Place): Problem[];
}

/** Starts with nothing counted. */
export function ruleCosts(): RuleCosts {
  let total = 0n;
  let named: { readonly place: Place; readonly cost: bigint }[] = [];
  return {
    observe(name, place, cost) {
      total = plus(total, cost);
      if (cost >= NAMED_FROM)
        named = [...named, { place, cost }]
          .sort((left, right) => (left.cost < right.cost ? 1 : left.cost > right.cost ? -1 : 0))
          .slice(0, MAX_NAMED);
      return cost > EXPRESSION_LIMIT ? [forbidden(at(place), words(name, cost, EXPRESSION_LIMIT))] : [];
    },
    totalProblems(place) {
      if (total <= SCHEMA_LIMIT) return [];
      const part = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
      const whole = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
      return [
        ...named.map((expression) => forbidden(at(expression.place), part)),
        forbidden(at(place), words(whole, total, SCHEMA_LIMIT)),
      ];
    },
  };
}

/** What a rule costs for all values it can run on. */
export function ruleCost(cost: bigint, cardinality: Cardinality, bounds: Bounds): bigint {
  return times(cost, cardinality ?? mostInRequest(bounds));
}

/** How often what stands below a schema can be there. */
export function cardinalityBelow(schema: Schema, cardinality: Cardinality): Cardinality {
  const { type, additionalProperties, maxProperties, maxItems } = schema;
  let limit: number | undefined = 1;
  if (type === "array") limit = maxItems;
  else if (type === "object" && additionalProperties !== undefined) limit = maxProperties;
  return cardinality === undefined || limit === undefined ? undefined : times(cardinality, limitOf(limit));
}

function words(name: string, cost: bigint, limit: bigint): string {
  const factor = factorText(Number(cost) / Number(limit));
  const advice = "adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${name} exceeds budget by factor of ${factor} (try simplifying the rule, or ${advice})`;
}

function factorText(factor: number): string {
  if (factor > 100) return "more than 100x";
  return `${rounded(factor, factor < 1.5 ? 6 : 1)}x`;
}

/** More digits than such a number has behind the point. */
const ALL_DIGITS = 60;

/** Rounds ties to the even digit, as Go does; toFixed rounds them up. */
function rounded(number: number, digits: number): string {
  const exact = number.toFixed(ALL_DIGITS);
  const end = exact.indexOf(".") + 1 + digits;
  const isTie = /^50*$/.test(exact.slice(end));
  const isEven = Number(exact[end - 1]) % 2 === 0;
  return isTie && isEven ? exact.slice(0, end) : number.toFixed(digits);
}
