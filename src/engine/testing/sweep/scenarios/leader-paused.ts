// SPDX-License-Identifier: Apache-2.0
import type { Scenario } from "./scenario.ts";

/** How long a leader sleeps, and what it sleeps through. */
export interface Sleep {
  readonly forMs: number;
  /** Whether the request is deleted meanwhile, and gone before the leader wakes where it sleeps long enough. */
  readonly isDeletedMeanwhile?: boolean;
}

/**
 * Two managers stand for election, and the leader gets no time for a while, in the midst of whatever it does. Another one takes over
 * where that is long enough, and the first does no harm when it wakes.
 */
export function leaderPaused({ forMs, isDeletedMeanwhile = false }: Sleep): Scenario {
  return {
    name: `leader-paused-for-${Math.round(forMs / 1000)}-s${isDeletedMeanwhile ? "-and-request-deleted" : ""}`,
    setting: "elected",
    from: "asked",
    to: "gone",
    standsKills: false,
    begin({ world, remove }) {
      return {
        async start() {
          world.startManager({ leaderElect: true });
          await world.pass(1_000);
          world.startManager({ leaderElect: true });
          await world.pass(1_000);
        },
        act() {
          const [leader] = world.managers;
          leader?.pause();
          world.clock.after(forMs, () => leader?.wake());
          return undefined;
        },
        async afterwards() {
          if (isDeletedMeanwhile) await remove();
          await world.pass(forMs + 60_000);
        },
      };
    },
  };
}
