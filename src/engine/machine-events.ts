// SPDX-License-Identifier: Apache-2.0
import type { EventNews } from "../kube/index.ts";
import { saidIn } from "./machine-conditions.ts";
import type { MachineStatus } from "./machine-status.ts";

/** What a change of status is told with. */
export interface NewsInput {
  readonly name: string;
  readonly old: MachineStatus | undefined;
  readonly next: MachineStatus;
  readonly isDeleting: boolean;
  /** The machine that is new in the status was made by this process, which has told so already. */
  readonly isCreationTold: boolean;
}

/** What has happened, going by the status before and after. Pure. */
export function newsOf(input: NewsInput): readonly EventNews[] {
  const { name, old, next, isDeleting, isCreationTold } = input;
  const news: EventNews[] = [];
  const happened = (reason: string, note: string) => news.push({ type: "Normal", reason, note });
  const wentWrong = (reason: string, note: string) => news.push({ type: "Warning", reason, note });
  const isNew = next.providerID !== undefined && next.providerID !== old?.providerID;
  if (isNew && !isCreationTold && !isDeleting)
    happened("VMAdopted", `Virtual machine "${name}" (${next.providerID}) was found with the mark of this request`);
  if (next.phase === "Running" && old?.phase !== "Running" && old?.phase !== "Unknown")
    happened("VMRunning", `Virtual machine "${name}" is running at ${next.ipAddress ?? "an unknown address"}`);
  else if (old?.ipAddress !== undefined && next.ipAddress !== undefined && old.ipAddress !== next.ipAddress)
    happened("VMAddressChanged", `Virtual machine "${name}" is at ${next.ipAddress} now, and was at ${old.ipAddress}`);
  const problem = newProblem(old, next);
  if (problem !== undefined) wentWrong(warningReason(input), problem);
  return news;
}

/** The message of a problem that was not there before. */
function newProblem(old: MachineStatus | undefined, next: MachineStatus): string | undefined {
  const before = saidIn(old?.conditions, "Degraded");
  const now = saidIn(next.conditions, "Degraded");
  if (now?.status !== "True") return undefined;
  // The words may differ from try to try, by the id of a request.
  const isSame =
    before?.status === "True" &&
    before.reason === now.reason &&
    old?.lastError?.code === next.lastError?.code &&
    old?.observedGeneration === next.observedGeneration;
  return isSame ? undefined : now.message;
}

function warningReason({ old, next, isDeleting }: NewsInput): string {
  if (isDeleting) return "VMDeletionFailed";
  if (next.phase === "Failed" && next.failureReason === "VMLost") return "VMLost";
  const hasRun = old?.phase === "Running" || old?.phase === "Unknown";
  if (!hasRun) return "VMCreationFailed";
  return saidIn(next.conditions, "Degraded")?.reason ?? "VMDegraded";
}
