// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { Condition } from "./core.ts";
import type { Clock } from "./types.ts";

/** A condition as it should be. Its time is not for the caller to say. */
export type WantedCondition = Omit<Condition, "lastTransitionTime">;

/**
 * The conditions with this one set. Its time is the clock's where its status changes, and stays as it was where only reason,
 * message or generation do. Where nothing changes the answer is the very list that was given, so that `===` says whether there is
 * something to write. The order stays; a new condition comes last. The list given is never changed, and where it may be changed by
 * its type, so may the answer.
 */
export function setCondition(
  conditions: Condition[] | undefined,
  wanted: WantedCondition,
  options: { readonly clock: Pick<Clock, "now"> },
): Condition[];
export function setCondition(
  conditions: readonly Condition[] | undefined,
  wanted: WantedCondition,
  options: { readonly clock: Pick<Clock, "now"> },
): readonly Condition[];
export function setCondition(
  conditions: readonly Condition[] | undefined,
  wanted: WantedCondition,
  { clock }: { readonly clock: Pick<Clock, "now"> },
): readonly Condition[] {
  const old = findCondition(conditions, wanted.type);
  const isTransition = old?.status !== wanted.status || old.lastTransitionTime === undefined;
  // Servers take whole seconds here.
  const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const next = { ...wanted, lastTransitionTime: isTransition ? time : (old?.lastTransitionTime ?? time) };
  if (old === undefined) return [...(conditions ?? []), next];
  if (isDeepStrictEqual(withoutUndefined(old), withoutUndefined(next))) return conditions ?? [];
  return (conditions ?? []).map((condition) => (condition.type === wanted.type ? next : condition));
}

/** The conditions without the one of this type; the very list that was given where there is none. */
export function removeCondition(conditions: Condition[] | undefined, type: string): Condition[];
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[];
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  const given = conditions ?? [];
  return given.some((condition) => condition.type === type) ? given.filter((one) => one.type !== type) : given;
}

/** The condition of this type. */
export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of this type is there and "True". */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

function withoutUndefined(condition: Condition): object {
  return Object.fromEntries(Object.entries(condition).filter(([, value]) => value !== undefined));
}
