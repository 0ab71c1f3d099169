// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../../kube/index.ts";

/** A clock whose waits can all be called off together. */
export interface OwnClock extends Clock {
  /** Calls off what is waited for, and takes no further waits. */
  stop(): void;
}

/** The same time as another clock's, with waits of its own. */
export function ownClock(clock: Clock): OwnClock {
  const waits = new Set<() => void>();
  let isStopped = false;
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after(delayMs, callback) {
      if (isStopped) return () => {};
      const cancel = clock.after(delayMs, () => {
        waits.delete(cancel);
        callback();
      });
      waits.add(cancel);
      return () => {
        waits.delete(cancel);
        cancel();
      };
    },
    stop() {
      isStopped = true;
      for (const cancel of waits) cancel();
      waits.clear();
    },
  };
}
