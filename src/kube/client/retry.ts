// SPDX-License-Identifier: Apache-2.0
import { ApiError, ConnectionError } from "../errors.ts";
import type { Random } from "../types.ts";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Server errors that pass by themselves. */
const PASSING = new Set([500, 502, 503, 504]);

/** Certificates that are not trusted now are not trusted a second later either. */
const DISTRUST = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|CLOSED$)/;

/** A try that failed. */
export interface FailedTry {
  readonly error: unknown;
  /** Counts from 1. */
  readonly attempt: number;
  readonly tries: number;
  /** Whether doing it twice does no more than doing it once. */
  readonly isRepeatable: boolean;
}

/**
 * How long to wait before the next try; undefined where there must be none. Pauses grow with the attempts and are drawn evenly
 * from nothing up to their length, so that many clients do not come back together. A Retry-After is a lower bound.
 */
export function pauseBeforeRetry(
  { error, attempt, tries, isRepeatable }: FailedTry,
  random: Random,
): number | undefined {
  const backoffMs = random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  if (error instanceof ConnectionError) {
    if (attempt >= tries || DISTRUST.test(error.code)) return undefined;
    return isRepeatable || !error.wasSent ? backoffMs : undefined;
  }
  if (!(error instanceof ApiError)) return undefined;
  const { status, retryAfterMs } = error;
  // The server asked us to come back and has done nothing yet: that is no failed try.
  if (status === 429 && retryAfterMs !== undefined && tries > 1)
    return Math.max(backoffMs, retryAfterMs * (1 + random() / 5));
  if (attempt >= tries) return undefined;
  if (status === 429 || (isRepeatable && PASSING.has(status))) return Math.max(backoffMs, retryAfterMs ?? 0);
  return undefined;
}
