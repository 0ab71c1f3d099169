// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../types.ts";

/** A clock on which pauses take no time, yet count. */
export interface EagerClock extends Clock {
  /** The pauses made so far, in milliseconds. */
  readonly pauses: readonly number[];
}

/** Every pause ends at once and moves the clock by its length. Other waits are time limits and never end. */
export function eagerClock(isPause: (delayMs: number) => boolean = (delayMs) => delayMs < 20_000): EagerClock {
  let elapsed = 0;
  const pauses: number[] = [];
  return {
    now: () => Date.UTC(2026, 0, 1) + elapsed,
    monotonic: () => elapsed,
    after(delayMs, callback) {
      if (!isPause(delayMs)) return () => {};
      pauses.push(delayMs);
      elapsed += delayMs;
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
    pauses,
  };
}
