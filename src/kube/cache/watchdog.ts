// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../types.ts";

/** Notices silence. */
export interface Watchdog {
  /** Something was heard. Costs next to nothing. */
  heard(): void;
  stop(): void;
}

/** Calls back once, when nothing was heard for so long. Goes by the time that only grows: a clock that is set changes nothing. */
export function createWatchdog(clock: Clock, limitMs: number, onSilence: () => void): Watchdog {
  let heardAt = clock.monotonic();
  let cancel = () => {};
  const check = () => {
    const leftMs = heardAt + limitMs - clock.monotonic();
    if (leftMs > 0) cancel = clock.after(leftMs, check);
    else onSilence();
  };
  cancel = clock.after(limitMs, check);
  return {
    heard() {
      heardAt = clock.monotonic();
    },
    stop: () => cancel(),
  };
}
