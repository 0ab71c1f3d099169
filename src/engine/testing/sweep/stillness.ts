// SPDX-License-Identifier: Apache-2.0
import type { Traffic } from "./traffic.ts";

/** Something did not come about in time, or never comes to an end. */
export class StuckError extends Error {}

/** What stillness depends on. */
export interface StillnessOptions {
  readonly traffic: Pick<Traffic, "activity" | "inFlight">;
  /** Turns of the event loop without anything happening after which nothing is on its way. */
  readonly quietTurns: number;
  /** So much never happens at one moment, unless somebody does the same thing for ever; 40,000 unless told otherwise. */
  readonly mostAtOnce?: number | undefined;
  /** Resolves when the servers have nothing left to do. */
  readonly settled: () => Promise<void>;
}

/** Turns of the event loop without anything happening after which a request that is under way waits for the clock. */
const PATIENCE = 64;

const MOST_AT_ONCE = 40_000;

/**
 * Resolves when nothing is left to happen but what waits for the clock: no request is being served or answered, and everybody who was
 * told something has done what there is to do about it. Without sockets that is exact: all work is done in promises and in turns of
 * the event loop, and two turns in which nothing went back or forth mean that there is none. Throws `StuckError` where it never ends.
 */
export async function untilStill(options: StillnessOptions): Promise<void> {
  const { traffic, quietTurns, mostAtOnce = MOST_AT_ONCE, settled } = options;
  const most = traffic.activity + mostAtOnce;
  for (let quiet = 0; ; ) {
    const before = traffic.activity;
    if (before > most) throw new StuckError("requests are sent without end while no time passes");
    for (let turns = 0; turns < quietTurns; turns += 1) await turn();
    quiet = traffic.activity === before ? quiet + 1 : 0;
    if (quiet === 0 || (traffic.inFlight > 0 && quiet < PATIENCE)) continue;
    await settled();
    if (traffic.activity === before) return;
  }
}

/** Lets everything run that is ready. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
