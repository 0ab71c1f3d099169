// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../types.ts";

/** Lets one thing wait until another has gone by. */
export interface Overtaking {
  /** Resolves when the next one has passed, when the time for it is up, or when the signal says that nobody waits any more. */
  overtaken(signal: AbortSignal): Promise<void>;
  /** Something went by. */
  passed(): void;
}

/** Makes one that waits no longer than `longestMs`, for the next one may never come. */
export function createOvertaking(clock: Clock, longestMs: number): Overtaking {
  let waiting: (() => void)[] = [];
  return {
    overtaken(signal) {
      return new Promise((resolve) => {
        const over = () => {
          cancel();
          resolve();
        };
        const cancel = clock.after(longestMs, resolve);
        signal.addEventListener("abort", over, { once: true });
        waiting.push(over);
      });
    },
    passed() {
      const free = waiting;
      waiting = [];
      for (const over of free) over();
    },
  };
}
