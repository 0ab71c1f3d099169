// SPDX-License-Identifier: Apache-2.0
import { type BackoffLimits, backoffMs, type Clock, type Random } from "../kube/index.ts";
import type { ErrorKind } from "./provider.ts";
import type { ProviderError } from "./provider-error.ts";

const MINUTE_MS = 60_000;

const PAUSES: Readonly<Record<ErrorKind, BackoffLimits>> = {
  invalid: { baseMs: 10 * MINUTE_MS, maxMs: 10 * MINUTE_MS },
  denied: { baseMs: MINUTE_MS, maxMs: 5 * MINUTE_MS },
  exhausted: { baseMs: MINUTE_MS, maxMs: 10 * MINUTE_MS },
  throttled: { baseMs: MINUTE_MS, maxMs: MINUTE_MS },
  unavailable: { baseMs: 1_000, maxMs: MINUTE_MS },
  internal: { baseMs: 1_000, maxMs: MINUTE_MS },
};

/** What nothing else is waiting for may be tried a little more often: deleting is never given up. */
const PAUSES_OF_DELETE: Readonly<Record<ErrorKind, BackoffLimits>> = {
  ...PAUSES,
  invalid: { baseMs: MINUTE_MS, maxMs: 10 * MINUTE_MS },
};

/** One verb of a provider; `release`: letting a request go, which Kubernetes may refuse. */
export type TriedVerb = "create" | "delete" | "find" | "release";

/** A call that failed, and when it is made again. Times are monotonic unless told otherwise. */
export interface Trouble {
  readonly verb: TriedVerb;
  readonly error: ProviderError;
  /** In a row and of the same kind, this one included. */
  readonly failures: number;
  /** When the first of them was. */
  readonly since: number;
  readonly retryAt: number;
  /** The pause before chance was added. */
  readonly pauseMs: number;
  /** When it failed and when it is made again, in milliseconds since 1970. */
  readonly failedTime: number;
  readonly retryTime: number;
}

/** What a plan goes by. */
export interface PlanInput {
  readonly verb: TriedVerb;
  readonly error: ProviderError;
  /** The trouble before this one, if there was no success in between. */
  readonly before: Trouble | undefined;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly random: Random;
}

/** When a failed call is made again: the error's kind says how soon, the number of failures in a row how much later, chance the rest. */
export function planRetry({ verb, error, before, clock, random }: PlanInput): Trouble {
  const isSame = before !== undefined && before.error.kind === error.kind && before.verb === verb;
  const failures = isSame ? before.failures + 1 : 1;
  const limits = (verb === "delete" || verb === "release" ? PAUSES_OF_DELETE : PAUSES)[error.kind];
  const asked = error.retryAfterMs ?? 0;
  const pauseMs = Math.max(
    asked,
    backoffMs(failures, limits, () => 1),
  );
  // Who was told when to come back comes then, not before.
  const jittered =
    error.kind === "throttled" && asked > 0 ? asked : Math.max(asked, backoffMs(failures, limits, random));
  const [now, time] = [clock.monotonic(), clock.now()];
  return {
    verb,
    error,
    failures,
    since: isSame ? before.since : now,
    retryAt: now + jittered,
    pauseMs,
    failedTime: time,
    retryTime: time + jittered,
  };
}

/** Failures in a row before a trouble that passes by itself is worth telling. */
const TOLD_AFTER = 3;

/** Whether it was waited for as long as a call may take: that has lasted long enough to be told at once. */
export function isTimeout({ kind, code }: ProviderError): boolean {
  return kind === "unavailable" && code === "TIMEOUT";
}

/** Whether people should hear of it: what passes by itself in a moment is not worth their while. */
export function isTold({ error, failures, since }: Trouble, now: number): boolean {
  if (error.kind === "unavailable") return failures >= TOLD_AFTER || isTimeout(error);
  if (error.kind === "throttled") return now - since >= MINUTE_MS;
  return true;
}
