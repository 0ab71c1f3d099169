// SPDX-License-Identifier: Apache-2.0
import { StuckError, type World } from "../sweep/world.ts";
import type { ThreadedManager } from "./threaded-manager.ts";

/** Moves a world and the managers in threads together, so that the same seed gives the same course. */
export interface Lockstep {
  /** Goes on by so many milliseconds, from one thing that happens to the next. */
  pass(ms: number): Promise<void>;
  /** Goes on until this holds while everything stands still. Throws `StuckError` where it does not in time. */
  until(what: string, holds: () => boolean, withinMs: number): Promise<void>;
  /** Called whenever everything stands still. */
  onStill(look: () => void): void;
}

/** Both clocks are rounded. */
const ROUNDING_MS = 0.0005;

/** The managers to move along. */
export interface Moved {
  /** Those that are alive, in an order that is always the same. */
  readonly alive: readonly ThreadedManager[];
  /** Starts who is to be started. Tells whether there was anybody. */
  tend(): Promise<boolean>;
}

/** Makes one for a world without managers of its own. */
export function createLockstep(world: World, managers: Moved): Lockstep {
  const { clock } = world;
  const looks: (() => void)[] = [];
  const isDue = ({ hasMail, nextAtMs }: ThreadedManager) =>
    hasMail || (nextAtMs !== undefined && nextAtMs <= clock.monotonic() + ROUNDING_MS);
  const rest = async () => {
    for (;;) {
      await world.still();
      if (await managers.tend()) continue;
      const due = managers.alive.filter(isDue);
      if (due.length === 0) break;
      const sends = await Promise.all(due.map((manager) => manager.goOn()));
      for (const send of sends) send();
    }
    for (const look of looks) look();
  };
  const step = async (mostMs: number) => {
    const now = clock.monotonic();
    const nexts = managers.alive.flatMap(({ nextAtMs }) =>
      nextAtMs === undefined ? [] : [Math.max(0, nextAtMs - now)],
    );
    const ms = Math.min(mostMs, clock.nextInMs ?? mostMs, ...nexts);
    await clock.advance(ms);
    await rest();
    return ms;
  };
  return {
    async pass(ms) {
      const end = clock.monotonic() + ms;
      await rest();
      for (let leftMs = ms; leftMs > ROUNDING_MS; leftMs = end - clock.monotonic()) await step(leftMs);
    },
    async until(what, holds, withinMs) {
      const end = clock.monotonic() + withinMs;
      await rest();
      while (!holds()) {
        const leftMs = end - clock.monotonic();
        if (leftMs <= 0) throw new StuckError(`${what}: not within ${Math.round(withinMs / 1000)} s`);
        await step(leftMs);
      }
    },
    onStill: (look) => void looks.push(look),
  };
}
