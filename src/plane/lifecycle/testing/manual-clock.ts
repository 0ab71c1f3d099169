// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../types.ts";

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /** Lets time pass, and calls back whoever waited for it. */
  advance(ms: number): void;
}

/** Makes one that starts on the first day of 2030. */
export function manualClock(): ManualClock {
  let now = Date.UTC(2030, 0, 1);
  const waiting = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => now,
    after(delayMs, callback) {
      const entry = { at: now + delayMs, callback };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    advance(ms) {
      now += ms;
      for (const entry of [...waiting].sort((one, other) => one.at - other.at)) {
        if (entry.at > now || !waiting.delete(entry)) continue;
        entry.callback();
      }
    },
  };
}
