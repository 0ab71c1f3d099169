// SPDX-License-Identifier: Apache-2.0
import type { Clock, Random } from "../kube/index.ts";
import type { ToldTrouble } from "./account.ts";
import type { MachineRecord } from "./machine-memory.ts";
import type { MachineHave } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { planRetry, type Trouble } from "./retry-plan.ts";

/** What a shortage is met with. */
export interface ShortageInput {
  readonly record: Pick<MachineRecord, "shortage">;
  readonly clock: Clock;
  readonly random: Random;
}

/** After another try it takes a moment until the infrastructure says again what is short. */
const RESTATED_MS = 60_000;

const MINUTE_MS = 60_000;

/** Whether the machine is there and does not start for want of something: create is called again by the retry table. */
export function isShort({ state, trouble }: MachineHave): boolean {
  return state === "pending" && trouble?.kind === "exhausted";
}

/** Plans the first of these tries when a shortage is first seen, and forgets it once the machine runs or goes. */
export function meetShortage(have: MachineHave, { record, clock, random }: ShortageInput): void {
  if (have.state !== "pending" && have.state !== "stopped") record.shortage = undefined;
  else if (isShort(have) && record.shortage === undefined) {
    const { kind, reason, message } = have.trouble ?? { kind: "exhausted", reason: "Exhausted", message: "" };
    const error = new ProviderError({ kind, reason, message });
    record.shortage = planRetry({ verb: "create", error, before: undefined, clock, random });
  }
}

/** Plans the try after the one that is about to be made. */
export function planNextTry({ record, clock, random }: ShortageInput): void {
  const { shortage: before } = record;
  if (before !== undefined) record.shortage = planRetry({ verb: "create", error: before.error, before, clock, random });
}

/** Until the next try; none is due where nothing is short. */
export function nextTryInMs({ shortage }: Pick<MachineRecord, "shortage">, now: number): number {
  return shortage === undefined ? Infinity : Math.max(0, shortage.retryAt - now);
}

/** The machine with what is short, also while the infrastructure has not said so again after a try. */
export function withShortage(
  have: MachineHave,
  { shortage }: Pick<MachineRecord, "shortage">,
  now: number,
): MachineHave {
  const isSilent = have.trouble === undefined && (have.state === "pending" || have.state === "stopped");
  if (shortage === undefined || !isSilent || shortage.failures < 2) return have;
  if (now >= shortage.failedTime + RESTATED_MS) return have;
  const { kind, reason, message } = shortage.error;
  return { ...have, state: "pending", trouble: { kind, reason, message } };
}

/** What is short, with the times of the tries. */
export function toldShortage(have: MachineHave, shortage: Trouble | undefined): ToldTrouble | undefined {
  if (have.trouble === undefined || shortage === undefined || !isShort(have)) return undefined;
  const { failedTime, retryTime, pauseMs } = shortage;
  return { ...have.trouble, failedTime, retryTime, isSlow: pauseMs > MINUTE_MS };
}
