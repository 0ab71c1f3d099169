// SPDX-License-Identifier: Apache-2.0
import { jsonText, numberText, quote } from "./go-text.ts";
import { fieldOf, type Place, pathOf } from "./place.ts";
import type { Json, Path, Problem, ProblemReason } from "./types.ts";

/** Where a problem is reported: found at `path`, printed as `field`. */
export interface Location {
  readonly path: Path;
  readonly field: string;
}

/** A location printed in the way of the server's own validations. */
export function at(place: Place): Location {
  return { path: pathOf(place), field: fieldOf(place) };
}

/** Says "Invalid value" without the value, which the server does for objects and lists. */
export const OMITTED: unique symbol = Symbol("omitted");

/** The value as an API server shows it in a message. */
export function valueText(value: Json | undefined): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return numberText(value);
  return jsonText(value);
}

function problem(location: Location, reason: ProblemReason, parts: readonly string[]): Problem {
  const message = parts.filter((part) => part !== "").join(": ");
  return { reason, path: location.path, field: location.field, message };
}

/** A value that breaks a rule. */
export function invalid(location: Location, value: Json | undefined | typeof OMITTED, detail: string): Problem {
  return problem(location, "FieldValueInvalid", ["Invalid value", value === OMITTED ? "" : valueText(value), detail]);
}

/** A value that breaks a rule, with the value as text where the server shows it in a way of its own. */
export function invalidShown(location: Location, shown: string, detail: string): Problem {
  return problem(location, "FieldValueInvalid", ["Invalid value", shown, detail]);
}

/** A value of the wrong type or format. Such problems keep the server from running CEL rules. */
export function typeInvalid(location: Location, value: Json | undefined, detail: string): Problem {
  return problem(location, "FieldValueTypeInvalid", ["Invalid value", valueText(value), detail]);
}

/** A value that is missing. */
export function required(location: Location, detail = ""): Problem {
  return problem(location, "FieldValueRequired", ["Required value", detail]);
}

/** A value that appears twice where each may appear once. */
export function duplicate(location: Location, value: Json | undefined | typeof OMITTED): Problem {
  return problem(location, "FieldValueDuplicate", ["Duplicate value", value === OMITTED ? "" : valueText(value)]);
}

/** A value that is not one of those allowed. */
export function notSupported(location: Location, value: Json | undefined, supported: readonly string[]): Problem {
  const detail = supported.length > 0 ? `supported values: ${supported.map(quote).join(", ")}` : "";
  return problem(location, "FieldValueNotSupported", ["Unsupported value", valueText(value), detail]);
}

/** A text with too many characters; the server counts characters and says bytes. */
export function tooLong(location: Location, limit: number): Problem {
  const detail = `may not be more than ${limit} ${limit === 1 ? "byte" : "bytes"}`;
  return problem(location, "FieldValueTooLong", ["Too long", detail]);
}

/** A list or map with too many entries. */
export function tooMany(location: Location, actual: number, limit: number): Problem {
  const detail = `must have at most ${limit} ${limit === 1 ? "item" : "items"}`;
  return problem(location, "FieldValueTooMany", ["Too many", String(actual), detail]);
}

/** Something that may not be there at all. */
export function forbidden(location: Location, detail: string): Problem {
  return problem(location, "FieldValueForbidden", ["Forbidden", detail]);
}

/** Something the server would call a fault of its own. */
export function internalError(location: Location, detail: string): Problem {
  return problem(location, "InternalError", ["Internal error", detail]);
}

/** Problems of a value that was checked as a root, reported where it stands. Their words stay those of a root. */
export function rebase(problems: readonly Problem[], place: Place): Problem[] {
  const base = fieldOf(place);
  return problems.map((found) => ({
    ...found,
    path: [...pathOf(place), ...found.path],
    field: found.field === "<nil>" ? base : `${base}.${found.field}`,
  }));
}
