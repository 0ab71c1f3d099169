// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../types.ts";

/** Waits for whatever comes first. */
export interface Waker {
  /** Resolves when something happened, the time has passed or the client is gone; at once where `isDue` says so. */
  wait(maxMs: number, isDue: () => boolean): Promise<void>;
  /** Ends all waiting; nothing is listened to any more. */
  stop(): void;
}

interface WakerOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly subscribe: readonly ((listener: () => void) => () => void)[];
}

/** Listens from now on, so that nothing that happens between two waits is missed. */
export function createWaker({ clock, signal, subscribe }: WakerOptions): Waker {
  let hasHappened = false;
  let resume: (() => void) | undefined;
  const wake = () => {
    hasHappened = true;
    resume?.();
  };
  const stops = subscribe.map((listen) => listen(wake));
  signal.addEventListener("abort", wake);
  return {
    async wait(maxMs, isDue) {
      if (hasHappened || isDue() || signal.aborted) {
        hasHappened = false;
        return;
      }
      const delay = Number.isFinite(maxMs) ? Math.max(0, maxMs) : undefined;
      const cancel = delay === undefined ? () => {} : clock.after(delay, wake);
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      resume = undefined;
      hasHappened = false;
      cancel();
    },
    stop() {
      for (const stop of stops) stop();
      signal.removeEventListener("abort", wake);
      resume?.();
    },
  };
}
