// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "./types.ts";

/** The computer's own clock. Waiting for it does not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    // Node takes no longer delays; whoever waits that long looks again.
    const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
