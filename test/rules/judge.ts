// SPDX-License-Identifier: Apache-2.0
import type { Problem, Resource } from "../../src/schema/index.ts";
import { applyChanges, type JsonObject } from "./changes.ts";
import type { RuleCase, RuleTable } from "./rule-case.ts";

/** One reason for a refusal, as a server's causes and our problems both have it. */
export interface Refusal {
  field: string;
  reason: string;
  message: string;
}

/** How a case reaches a server: in a new object, in the status of one, or in an update. */
export type Verb = "create" | "update status" | "update";

export function verbOf({ before, changes }: RuleCase): Verb {
  if (before !== undefined) return "update";
  return Object.keys(changes).every((path) => path.startsWith("status.")) ? "update status" : "create";
}

/** The object before a case, where there is one, and the object of the case. */
export function objectsOf({ base }: RuleTable, ruleCase: RuleCase): { old?: JsonObject; object: JsonObject } {
  const old = applyChanges(base, ruleCase.before ?? {});
  const object = applyChanges(old, ruleCase.changes);
  return verbOf(ruleCase) === "create" ? { object } : { old, object };
}

/** What `src/schema` says to a case. */
export function judge(resource: Resource, table: RuleTable, ruleCase: RuleCase): readonly Problem[] {
  const { old, object } = objectsOf(table, ruleCase);
  const subresource = verbOf(ruleCase) === "update status" ? "status" : undefined;
  return resource.admit(object, { old, subresource }).problems;
}

/** Whether a case was refused, and for the very rule it breaks. */
export function isNoticed({ at, reason, says }: RuleCase, refusals: readonly Refusal[]): boolean {
  return refusals.some(
    (refusal) => refusal.field === at && refusal.reason === reason && refusal.message.includes(says),
  );
}

/** For messages of tests. */
export function printed(refusals: readonly Refusal[]): string[] {
  return refusals.map(({ field, reason, message }) => `${reason} ${field}: ${message}`).sort();
}
