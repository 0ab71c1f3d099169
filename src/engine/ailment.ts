// SPDX-License-Identifier: Apache-2.0
import type { MachineRecord } from "./machine-memory.ts";
import type { MachineHave } from "./provider.ts";

/** What is to be made of a machine that ails. */
export interface Diagnosis {
  /** The machine, without an ailment that is too fresh to be taken seriously. */
  readonly have: MachineHave;
  /** Until the ailment counts, where it does not yet. */
  readonly countsInMs?: number;
}

/** What a diagnosis goes by. */
export interface DiagnosisInput {
  readonly record: Pick<MachineRecord, "ailingSince">;
  /** The reason that people have been told already, if any. */
  readonly toldReason: string | undefined;
  readonly hasRun: boolean;
  /** Monotonic. */
  readonly now: number;
}

/** Infrastructures stumble while they put a machine together: what would be the end of it must last longer than what only delays it. */
const FATAL_MS = 60_000;
const OTHER_MS = 15_000;

/** Tells ailments that last from those that pass: a machine is not called failed, or stuck, for what is gone a moment later. */
export function diagnose(have: MachineHave, { record, toldReason, hasRun, now }: DiagnosisInput): Diagnosis {
  const ailment = ailmentOf(have, hasRun);
  if (ailment === undefined) {
    record.ailingSince = undefined;
    return { have };
  }
  record.ailingSince ??= now;
  const countsInMs = record.ailingSince + ailment.graceMs - now;
  if (countsInMs <= 0 || toldReason === ailment.reason) return { have };
  const { trouble: _trouble, ...calm } = have;
  const isGivenTime = have.state === "failed" || (have.state === "stopped" && !hasRun);
  return { have: isGivenTime ? { ...calm, state: "pending" } : calm, countsInMs };
}

function ailmentOf({ trouble, state }: MachineHave, hasRun: boolean) {
  if (trouble !== undefined) {
    const isFatal = trouble.kind === "invalid" && state !== "running";
    return { reason: trouble.reason, graceMs: isFatal ? FATAL_MS : OTHER_MS };
  }
  if (state === "failed") return { reason: "VMFailed", graceMs: FATAL_MS };
  return state === "stopped" && !hasRun ? { reason: "VMStopped", graceMs: OTHER_MS } : undefined;
}
