// SPDX-License-Identifier: Apache-2.0
import { FAULTS, type FaultName } from "./fault.ts";
import { seededRandom, seedOf } from "./seeded-random.ts";
import { type Point, pointText } from "./traffic.ts";
import type { World } from "./world.ts";

/** How long trouble lasts that is not of one request alone. */
export const TROUBLE_MS = 150_000;

/** How many of the requests in a storm go wrong. */
const SHARE = 0.25;
const OF_READS: readonly FaultName[] = ["500", "503", "429", "cut"];
const OF_WRITES: readonly FaultName[] = [
  ...OF_READS,
  "lose-answer",
  "twice",
  "500-served",
  "late-cut",
  "kill-before",
  "kill-after",
];

/** From this request on nothing reaches its side; or from here on requests to both sides go wrong by a chance that follows from the seed. */
export function breakOut(what: "outage" | "storm", point: Point, world: World): void {
  const { disturb, clock, seed, managers } = world;
  const random = seededRandom(seedOf(seed, pointText(point)));
  const pick = ({ isWrite }: Point) => {
    const faults = isWrite ? OF_WRITES : OF_READS;
    return faults[Math.floor(random() * faults.length)] ?? "cut";
  };
  /** Whoever is killed is followed by another. */
  const follow = () => {
    if (!managers.some(({ isAlive }) => isAlive)) world.startManager();
  };
  const over = disturb(
    what === "outage"
      ? { on: ({ side }) => side === point.side, times: Infinity, fault: FAULTS.cut }
      : { on: () => random() < SHARE, times: Infinity, fault: (each) => FAULTS[pick(each)], onOver: follow },
  );
  clock.after(TROUBLE_MS, over);
}
