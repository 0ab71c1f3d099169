// SPDX-License-Identifier: Apache-2.0
import type { Sky } from "./weather.ts";

/** Something that happens once in some hours of a day, beside the weather. */
export type Hazard =
  | "outage"
  | "rotation"
  | "watches-end"
  | "watches-break"
  | "watches-expire"
  | "compaction"
  | "kill-before"
  | "kill-after"
  | "hand-over"
  | "rival";

/** One hour. */
export interface HourPlan {
  readonly sky: Sky;
  readonly hazard: Hazard | undefined;
  /** Nothing goes wrong in it, and nothing went wrong in the hour before. */
  readonly isQuiet: boolean;
}

const HOURS = 24;

const ALWAYS: readonly Hazard[] = [
  "outage",
  "rotation",
  "watches-end",
  "watches-break",
  "watches-expire",
  "compaction",
];
const WITH_KILLS: readonly Hazard[] = ["kill-before", "kill-after", "kill-after", "hand-over"];
const SKIES: readonly Sky[] = ["showers", "showers", "showers", "storm", "storm", "throttling"];

/**
 * The 24 hours of a day: of about half of them something goes wrong, and the last one and the one before it are quiet. `kills` tells
 * whether managers that lead are killed and handed over from; otherwise it is only a rival who dies.
 */
export function planDay(random: () => number, { kills }: { readonly kills: boolean }): readonly HourPlan[] {
  const skies = spread(SKIES, random);
  const hazards = spread([...ALWAYS, ...(kills ? WITH_KILLS : (["rival"] as const))], random);
  const isRough = (hour: number) => skies.has(hour) || hazards.has(hour);
  return Array.from({ length: HOURS }, (_, hour) => ({
    sky: skies.get(hour) ?? "clear",
    hazard: hazards.get(hour),
    isQuiet: !isRough(hour) && !isRough(hour - 1),
  }));
}

/** Puts each into an hour of its own, and none into the last two. */
function spread<T>(items: readonly T[], random: () => number): ReadonlyMap<number, T> {
  const hours = Array.from({ length: HOURS - 2 }, (_, hour) => hour);
  return new Map(items.map((item) => [hours.splice(Math.floor(random() * hours.length), 1)[0] ?? 0, item]));
}
