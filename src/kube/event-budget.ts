// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "./types.ts";

const BURST = 25;
const REFILL_MS = 5 * 60_000;
const MOST_OBJECTS = 4096;

/** How many different events one object may have. */
export interface EventBudget {
  /** Whether there is one left, which is taken then. */
  take(object: string): boolean;
}

/** 25 at once for each object, and one more every five minutes: client-go's numbers. */
export function createEventBudget(clock: Clock): EventBudget {
  const budgets = new Map<string, { left: number; at: number }>();
  return {
    take(object) {
      const now = clock.monotonic();
      const old = budgets.get(object) ?? { left: BURST, at: now };
      const left = Math.min(BURST, old.left + (now - old.at) / REFILL_MS);
      const isLeft = left >= 1;
      budgets.delete(object);
      budgets.set(object, { left: isLeft ? left - 1 : left, at: now });
      for (const oldest of budgets.keys()) {
        if (budgets.size <= MOST_OBJECTS) break;
        budgets.delete(oldest);
      }
      return isLeft;
    },
  };
}
