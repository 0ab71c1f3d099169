// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../api/index.ts";
import { type Client, type Clock, type EventRecorder, isNotFound, writeStatus } from "../kube/index.ts";
import type { Account } from "./account.ts";
import { FIELD_MANAGER } from "./identity.ts";
import { saidIn } from "./machine-conditions.ts";
import { isSameStatus, statusOf, timeText } from "./machine-status.ts";

/** Why nobody takes a request on. */
export interface NobodysReason {
  readonly reason: string;
  readonly message: string;
}

/** What it is told with. */
export interface NobodysOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly sharedEvents: EventRecorder;
  readonly signal: AbortSignal;
}

/**
 * Says of a request that no provider takes it on as it is. Every manager says the same, as the same field manager and with events of
 * the same name: whoever comes second finds it said and writes nothing.
 */
export async function tellNobodys(request: MachineRequest, why: NobodysReason, options: NobodysOptions): Promise<void> {
  const { client, clock, sharedEvents, signal } = options;
  const { reason, message } = why;
  const said = { status: "False", reason, message } as const;
  // A machine that was recorded is not forgotten.
  const isRecorded = ({ metadata, status }: MachineRequest) =>
    metadata.deletionTimestamp === undefined && status?.providerID !== undefined;
  const phaseOf = ({ metadata, status }: MachineRequest) => {
    if (metadata.deletionTimestamp !== undefined) return "Deleting";
    return status?.providerID === undefined ? "Pending" : status.phase;
  };
  const accountOf = (current: MachineRequest): Account => ({
    phase: phaseOf(current),
    ready: (isRecorded(current) ? saidIn(current.status?.conditions, "Ready") : undefined) ?? said,
    progressing: { ...said, message: "Looked at again as soon as the MachineRequest or the ProviderConfig is changed" },
    degraded: { ...said, status: "True" },
    trouble: { kind: "invalid", reason, message },
  });
  let isNews = false;
  try {
    await writeStatus(request, {
      client,
      kind: machineRequest,
      signal,
      fieldManager: FIELD_MANAGER,
      change(current) {
        const next = statusOf({ request: current, account: accountOf(current), now: clock.now() });
        isNews = !isSameStatus(current.status, next);
        return isNews ? { ...next, lastUpdated: timeText(clock.now()) } : current.status;
      },
    });
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  if (isNews) sharedEvents.record(request, { type: "Warning", reason, note: message });
}
