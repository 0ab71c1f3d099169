// SPDX-License-Identifier: Apache-2.0
import type { FaultEffect, RunningSimulator } from "../../engine/testing/simulator.ts";
import type { Random } from "../../kube/index.ts";

/** One request in so many goes wrong. */
const ONE_IN = 8;

const EFFECTS: readonly FaultEffect[] = [
  { type: "refuse", status: 500 },
  { type: "refuse", status: 503 },
  { type: "refuse", status: 429, retryAfterSeconds: 1 },
  { type: "cut-before" },
  { type: "lose-answer" },
  { type: "late", byMs: 2000 },
];

/** Makes the infrastructure unreliable from now on. Returns how many requests have gone wrong so far. */
export function makeUnreliable(simulator: RunningSimulator, random: Random): () => number {
  let count = 0;
  let left = nextIn(random);
  let kind = 0;
  for (const [at, effect] of EFFECTS.entries()) {
    simulator.inject({
      effect,
      on() {
        // All faults see each request in turn: the first one counts it, the one whose turn it is takes it.
        if (at === 0) left -= 1;
        if (left > 0 || at !== kind) return false;
        left = nextIn(random);
        kind = Math.floor(random() * EFFECTS.length);
        count += 1;
        return true;
      },
    });
  }
  return () => count;
}

function nextIn(random: Random): number {
  return 1 + Math.floor(random() * 2 * ONE_IN);
}
