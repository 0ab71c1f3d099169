// SPDX-License-Identifier: Apache-2.0
import type { Json, ProblemReason } from "../../src/schema/types.ts";

/** Changes to a valid object: dotted path (list indexes as numbers, `a.0.b`) to new value; undefined removes the field. */
export type Changes = Readonly<Record<string, Json | undefined>>;

/** One way of breaking one rule of a kind. The API server and `butleradm validate` must both refuse it at `at`. */
export interface RuleCase {
  /** What is wrong, in words. */
  name: string;
  /** Made to the kind's valid base object. */
  changes: Changes;
  /** The field that is named, as the server prints it; `<nil>` for the root. */
  at: string;
  reason: ProblemReason;
  /** Words of the message that only this rule gives. */
  says: string;
  /** For transition rules: made to the base object to give the one before; `changes` apply to the result. */
  before?: Changes;
}

/** All cases of one kind, and the valid object they start from. */
export interface RuleTable {
  kind: string;
  /** A valid object that has every optional part a case needs. */
  base: { [key: string]: Json };
  cases: readonly RuleCase[];
}

/** A value out of bounds, of the wrong look or otherwise refused. */
export function invalid(name: string, changes: Changes, at: string, says: string): RuleCase {
  return { name, changes, at, says, reason: "FieldValueInvalid" };
}

/** A field that must be there and is not. */
export function missing(at: string, path = at): RuleCase {
  return {
    name: `${at} missing`,
    changes: { [dotted(path)]: undefined },
    at,
    says: "Required value",
    reason: "FieldValueRequired",
  };
}

/** A value that is not one of those allowed. */
export function unsupported(at: string, value: Json = "nonsense"): RuleCase {
  return {
    name: `${at} not one of its values`,
    changes: { [dotted(at)]: value },
    at,
    says: "Unsupported value",
    reason: "FieldValueNotSupported",
  };
}

/** A number below its least value. */
export function tooSmall(at: string, least: number): RuleCase {
  return invalid(
    `${at} below ${least}`,
    { [dotted(at)]: least - 1 },
    at,
    `should be greater than or equal to ${least}`,
  );
}

/** A number above its greatest value. */
export function tooLarge(at: string, most: number): RuleCase {
  return invalid(`${at} above ${most}`, { [dotted(at)]: most + 1 }, at, `should be less than or equal to ${most}`);
}

/**
 * A whole number that 32 bits do not hold. The server names the field in its words only, and reports it at the root of
 * what it looks at: the whole object or, where a status is written, the status.
 */
export function beyondInt32(at: string): RuleCase {
  const [root, field] = at.startsWith("status.") ? ["status", at.slice("status.".length)] : ["<nil>", at];
  return invalid(`${at} beyond 32 bits`, { [dotted(at)]: 2 ** 31 }, root, `with format int32 in ${field}`);
}

/** A text without characters where one must be. */
export function empty(at: string): RuleCase {
  return invalid(`${at} empty`, { [dotted(at)]: "" }, at, "should be at least 1 chars long");
}

/** A text with too few characters. */
export function tooShort(at: string, least: number): RuleCase {
  return invalid(
    `${at} shorter than ${least}`,
    { [dotted(at)]: "a".repeat(least - 1) },
    at,
    `should be at least ${least} chars long`,
  );
}

/** A text that does not look as it must. */
export function mismatch(at: string, value: string): RuleCase {
  return invalid(`${at} of the wrong look`, { [dotted(at)]: value }, at, "should match");
}

/** A text that is longer than allowed. */
export function tooLong(at: string, most: number, value: string = "a".repeat(most + 1)): RuleCase {
  return {
    name: `${at} longer than ${most}`,
    changes: { [dotted(at)]: value },
    at,
    says: `may not be more than ${most}`,
    reason: "FieldValueTooLong",
  };
}

/** A list of more entries than allowed. */
export function tooMany(at: string, most: number, entry: Json): RuleCase {
  return {
    name: `${at} with more than ${most} entries`,
    changes: { [dotted(at)]: Array.from({ length: most + 1 }, () => entry) },
    at,
    says: `must have at most ${most} items`,
    reason: "FieldValueTooMany",
  };
}

/** The rules of a reference, broken one by one. */
export function referenceCases(at: string, { namespaced = false } = {}): RuleCase[] {
  const fields = namespaced ? ["name", "namespace"] : ["name"];
  return fields.flatMap((field) => [missing(`${at}.${field}`), empty(`${at}.${field}`)]);
}

/** A text that is not a moment in RFC 3339. */
export function notATime(at: string): RuleCase {
  return {
    ...invalid(`${at} not a time`, { [dotted(at)]: "yesterday" }, at, "must be of type date-time"),
    reason: "FieldValueTypeInvalid",
  };
}

/** The rules of standard conditions, broken one by one; `base` needs one condition, `metadata.generation` aside. */
export function conditionCases({ listMap = true } = {}): RuleCase[] {
  const at = "status.conditions[0]";
  const duplicate: RuleCase = {
    name: "two conditions of one type",
    changes: { "status.conditions.1": ready, "status.conditions.0": ready },
    at: "status.conditions[1]",
    says: "Duplicate value",
    reason: "FieldValueDuplicate",
  };
  return [
    ...["type", "status", "reason", "message", "lastTransitionTime"].map((field) => missing(`${at}.${field}`)),
    unsupported(`${at}.status`, "Maybe"),
    mismatch(`${at}.type`, "-Ready-"),
    tooLong(`${at}.type`, 316),
    empty(`${at}.reason`),
    mismatch(`${at}.reason`, "not a word"),
    tooLong(`${at}.reason`, 1024),
    tooLong(`${at}.message`, 32768),
    notATime(`${at}.lastTransitionTime`),
    tooSmall(`${at}.observedGeneration`, 0),
    ...(listMap ? [duplicate] : []),
  ];
}

/** A condition to put into a base object. */
export const ready = {
  type: "Ready",
  status: "True",
  reason: "Fine",
  message: "all is well",
  lastTransitionTime: "2026-03-10T12:00:00Z",
  observedGeneration: 1,
};

/** `spec.extraDisks[0].sizeGB` as a path of `Changes`. */
export function dotted(field: string): string {
  return field.replaceAll(/\[(\w+)\]/g, ".$1");
}
