// SPDX-License-Identifier: Apache-2.0
import { type Clock, LostLeadershipError, type Random } from "../kube/index.ts";
import { nextCheckMs, troubleOf } from "./check-pace.ts";
import type { Connected, ConnectionState } from "./connections.ts";
import type { CheckReport, ErrorKind } from "./provider.ts";
import type { ConfigKnowledge } from "./provider-config-status.ts";
import type { ProviderError } from "./provider-error.ts";
import { toProviderError } from "./sightings.ts";

/** One answer that does not come is no news yet. */
const FAILURES_TOLD = 3;

/** What came of the last check of a ProviderConfig. */
export interface LastCheck {
  /** The connection it was made with: another one is checked at once. */
  readonly with: Connected["connection"];
  readonly outcome: { readonly report: CheckReport } | { readonly error: ProviderError };
  /** The last whole report, for the time in which a passing failure is no news. */
  readonly report: CheckReport | undefined;
  /** Checks in a row that ended the same way. */
  readonly streak: number;
  readonly trouble: ErrorKind | undefined;
  /** What people read. */
  readonly atMs: number;
  /** When the next is due, on the scale that only grows. */
  readonly dueAt: number;
}

/** Checks ProviderConfigs, each at its own pace. */
export interface ConfigChecks {
  /** The last check, made anew where it is due. */
  of(configKey: string, state: Connected, options: { readonly signal: AbortSignal }): Promise<LastCheck>;
  forget(configKey: string): void;
}

/** Makes one that has checked nothing. */
export function createConfigChecks({
  clock,
  random,
}: {
  readonly clock: Clock;
  readonly random: Random;
}): ConfigChecks {
  const checks = new Map<string, LastCheck>();
  return {
    async of(configKey, state, { signal }) {
      const last = checks.get(configKey);
      const before = last?.with === state.connection ? last : undefined;
      if (before !== undefined && clock.monotonic() < before.dueAt) return before;
      const outcome = await ask(state, signal);
      const trouble = "report" in outcome ? troubleOf(outcome.report) : outcome.error.kind;
      const streak = before !== undefined && before.trouble === trouble ? before.streak + 1 : 1;
      const retryAfterMs = "error" in outcome ? outcome.error.retryAfterMs : undefined;
      const next: LastCheck = {
        with: state.connection,
        outcome,
        report: "report" in outcome ? outcome.report : before?.report,
        streak,
        trouble,
        atMs: clock.now(),
        dueAt: clock.monotonic() + nextCheckMs({ streak, trouble, retryAfterMs }, random),
      };
      checks.set(configKey, next);
      return next;
    },
    forget: (configKey) => void checks.delete(configKey),
  };
}

async function ask({ provider, connection, calls }: Connected, signal: AbortSignal): Promise<LastCheck["outcome"]> {
  try {
    const call = { what: "check the infrastructure", signal, limitMs: provider.callLimitMs };
    return { report: await calls.run(call, (each) => connection.machines.check(each)) };
  } catch (error) {
    if (signal.aborted || error instanceof LostLeadershipError) throw error;
    return { error: toProviderError(error) };
  }
}

/** What is to be told. A passing failure is told only when it lasts; until then what was found before holds. */
export function outcomeOf(state: ConnectionState, check: LastCheck | undefined): ConfigKnowledge["outcome"] {
  if (state.state === "not-runnable") return { state: "unsupported", reason: state.reason, message: state.message };
  if (state.state === "refused") return { state: "refused", error: state.error };
  if (check === undefined) return { state: "unchecked" };
  if ("report" in check.outcome) return { state: "checked", report: check.outcome.report };
  const { error } = check.outcome;
  const mayPass = error.kind === "unavailable" || error.kind === "throttled";
  if (!mayPass || check.streak >= FAILURES_TOLD) return { state: "refused", error };
  return check.report === undefined ? { state: "unchecked" } : { state: "checked", report: check.report };
}
