// SPDX-License-Identifier: Apache-2.0
import type { FaultEffect, RunningSimulator } from "../../src/engine/testing/simulator.ts";
import type { Interceptor } from "../../src/plane/handler.ts";
import type { Random } from "../seeded-random.ts";

/**
 * When a manager is killed: at its nth request to one side, counted from its start. `unsent`: just before it is sent.
 * `unanswered`: it takes effect and the answer is lost. `answered`: right after the answer. `late`: it stays on its way and takes
 * effect only when the next manager may be at work.
 */
export interface Moment {
  readonly side: "kubernetes" | "harvester";
  readonly counts: "writes" | "requests";
  readonly nth: number;
  readonly fate: "unsent" | "unanswered" | "answered" | "late";
  /** How long a late request is on its way. */
  readonly lateMs: number;
}

/** Kills at a moment. */
export interface Trap {
  /** For the plane: sees each request of the manager. Those from inside this process pass. */
  readonly intercept: Interceptor;
  /** Calls `kill` once, at the moment. */
  arm(moment: Moment, kill: () => void): void;
}

/** Most are at a write, as there the most can go wrong; some are at reads too, while it starts. */
export function randomMoment(random: Random): Moment {
  const side = random.pick(["kubernetes", "harvester"] as const);
  const isEarly = random.once(6);
  return {
    side,
    counts: isEarly ? "requests" : "writes",
    nth: 1 + random.below(isEarly ? 12 : 50),
    fate: random.pick(["unsent", "unanswered", side === "harvester" ? "late" : "answered"] as const),
    // The next manager is at work after one second or two.
    lateMs: 500 + random.below(4500),
  };
}

/** Sets a trap for the managers of one Kubernetes and one Harvester. */
export function createTrap(simulator: RunningSimulator): Trap {
  let armed: { readonly moment: Moment; readonly kill: () => void; left: number } | undefined;
  /** Whether this request is the one; then the trap is used up. */
  const springs = (side: Moment["side"], isWrite: boolean) => {
    if (armed?.moment.side !== side || (armed.moment.counts === "writes" && !isWrite)) return undefined;
    armed.left -= 1;
    if (armed.left > 0) return undefined;
    const sprung = armed;
    armed = undefined;
    return sprung;
  };
  return {
    async intercept(request, next) {
      const sprung = request.user === undefined ? springs("kubernetes", request.method !== "GET") : undefined;
      if (sprung === undefined) return await next(request);
      const { moment, kill } = sprung;
      if (moment.fate === "unsent") {
        kill();
        return { status: 503, headers: {}, body: "" };
      }
      const answer = await next(request);
      if (moment.fate === "unanswered") kill();
      else setImmediate(kill);
      return answer;
    },
    arm(moment, kill) {
      armed = { moment, kill, left: moment.nth };
      if (moment.side === "kubernetes") return;
      const takeBack = simulator.inject({
        effect: effectOf(moment),
        on({ isWrite }) {
          const sprung = springs("harvester", isWrite);
          if (sprung === undefined) return false;
          sprung.kill();
          takeBack();
          return true;
        },
      });
    },
  };
}

function effectOf({ fate, lateMs }: Moment): FaultEffect {
  if (fate === "unsent") return { type: "cut-before" };
  return fate === "late" ? { type: "late", byMs: lateMs } : { type: "lose-answer" };
}
