// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../types.ts";

/** Notices silence. */
export interface Watchdog {
  /** Something was heard. Costs next to nothing. */
  heard(): void;
  /** A bookmark was heard: from now on they are expected to come regularly. */
  bookmarked(): void;
  /** Whether one was. */
  readonly hasBookmark: boolean;
  stop(): void;
}

/** How long silence may last. */
export interface Silence {
  /** Until the first bookmark, which a server may send late where nothing ever happens. */
  readonly firstMs: number;
  readonly limitMs: number;
}

/** Calls back once, when nothing was heard for so long. Goes by the time that only grows: a clock that is set changes nothing. */
export function createWatchdog(clock: Clock, { firstMs, limitMs }: Silence, onSilence: () => void): Watchdog {
  let heardAt = clock.monotonic();
  let allowedMs = firstMs;
  let hasBookmark = false;
  const check = () => {
    const leftMs = heardAt + allowedMs - clock.monotonic();
    if (leftMs > 0) cancel = clock.after(leftMs, check);
    else onSilence();
  };
  let cancel = clock.after(allowedMs, check);
  return {
    heard() {
      heardAt = clock.monotonic();
    },
    bookmarked() {
      if (hasBookmark) return;
      hasBookmark = true;
      allowedMs = limitMs;
      cancel();
      check();
    },
    get hasBookmark() {
      return hasBookmark;
    },
    stop: () => cancel(),
  };
}
