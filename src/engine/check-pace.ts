// SPDX-License-Identifier: Apache-2.0
import { backoffMs, type Random } from "../kube/index.ts";
import type { CheckReport, ErrorKind } from "./provider.ts";

/** How the last checks of a ProviderConfig went. */
export interface CheckHistory {
  /** Checks in a row that ended the same way. */
  readonly streak: number;
  /** What stands in the way; undefined where machines can be made. */
  readonly trouble: ErrorKind | undefined;
  readonly retryAfterMs?: number | undefined;
}

const FINE = { baseMs: 2 * 60_000, maxMs: 10 * 60_000 };
const PASSING = { baseMs: 5_000, maxMs: 60_000 };
const LASTING = { baseMs: 30_000, maxMs: 5 * 60_000 };
const SLOW_DOWN_MS = 60_000;

/** How long to wait for the next check: longer the longer nothing changes, and sooner while something passes by itself. */
export function nextCheckMs({ streak, trouble, retryAfterMs }: CheckHistory, random: Random): number {
  if (trouble === undefined) return backoffMs(streak, FINE, random);
  if (trouble === "throttled") return (retryAfterMs ?? SLOW_DOWN_MS) + backoffMs(streak, PASSING, random);
  return backoffMs(streak, trouble === "unavailable" || trouble === "internal" ? PASSING : LASTING, random);
}

/** The kind of the first finding that keeps machines from being made. */
export function troubleOf({ findings }: CheckReport): ErrorKind | undefined {
  const found = findings.find(({ result, isBlocking }) => result === "failed" && isBlocking);
  return found === undefined ? undefined : (found.kind ?? "invalid");
}
