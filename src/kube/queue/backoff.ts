// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../types.ts";

/** How pauses grow. */
export interface BackoffLimits {
  /** The first pause, before jitter. */
  readonly baseMs: number;
  /** No pause is longer. */
  readonly maxMs: number;
}

/**
 * The pause after so many failures in a row, counted from 1: doubled each time up to the limit, of which a random part between
 * half and all is taken, so that those who failed together do not come back together.
 */
export function backoffMs(failures: number, { baseMs, maxMs }: BackoffLimits, random: Random): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40));
  return full * (0.5 + random() / 2);
}
