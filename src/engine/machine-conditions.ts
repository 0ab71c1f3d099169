// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import { type Condition, setCondition } from "../kube/index.ts";
import type { Said } from "./account.ts";

type StatusConditions = NonNullable<NonNullable<MachineRequest["status"]>["conditions"]>;

/** What a condition of a status says; undefined where it is not there. */
export function saidIn(conditions: StatusConditions | undefined, type: string): Said | undefined {
  const found = conditions?.find((condition) => condition.type === type);
  return found && { status: found.status, reason: found.reason, message: found.message };
}

/** What all three conditions should say. */
export interface ThreeSaid {
  readonly ready: Said;
  readonly progressing: Said;
  readonly degraded: Said;
}

/** The conditions of the request with all three set, for its present generation. Their times change only with their status. */
export function conditionsOf(
  { status, metadata }: MachineRequest,
  { ready, progressing, degraded }: ThreeSaid,
  now: number,
): StatusConditions {
  const clock = { now: () => now };
  const generation = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
  let conditions: readonly Condition[] = (status?.conditions ?? []).map(({ observedGeneration, ...rest }) => ({
    ...rest,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  }));
  for (const [type, said] of Object.entries({ Ready: ready, Progressing: progressing, Degraded: degraded }))
    conditions = setCondition(conditions, { type, ...said, ...generation }, { clock });
  return conditions.map(({ reason = "Unknown", message = "", lastTransitionTime = "", ...rest }) => ({
    ...rest,
    reason,
    message,
    lastTransitionTime,
  }));
}
