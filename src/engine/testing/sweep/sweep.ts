// SPDX-License-Identifier: Apache-2.0
import type { ProviderEntry } from "../../provider-entry.ts";
import type { RunningSimulator } from "../simulator.ts";
import { type LifeStory, live } from "./life.ts";
import type { LifePlan } from "./life-plan.ts";
import { planLateEffects } from "./plan-late.ts";
import {
  isPerhapsOld,
  type Planning,
  planChances,
  planDeletions,
  planFaults,
  planLongTroubles,
  planOldViews,
} from "./plan-lives.ts";
import { reportOf, type SweepReport } from "./report.ts";
import type { WorldOptions } from "./world.ts";

/** What may differ from the usual sweep. */
export interface SweepOptions<Sim extends RunningSimulator> extends Omit<WorldOptions<Sim>, "entry" | "simulator"> {
  /** What differs in the MachineRequest's spec. */
  readonly spec?: object;
  /** The lives to live, made from the undisturbed one; `planAll` unless told otherwise. */
  readonly plans?: (model: LifeStory, planning: Planning) => readonly LifePlan[];
  /** See `Planning`. */
  readonly mayBeOld?: Planning["mayBeOld"];
  /** Told of every life when it is over. */
  readonly onLife?: (story: LifeStory) => void;
}

/** A life with faults may need so many times the calls of one without. */
const MOST_CALLS = 4;
const CHANCES = 250;
const STORMS = 75;

/**
 * Lives the life of one machine on a simulated infrastructure again and again, each time with something else going wrong at one of its
 * requests, and tells what an oracle saw that must never be. Throws where the life goes wrong that nothing disturbs.
 */
export async function sweep<Sim extends RunningSimulator>(
  entry: ProviderEntry,
  simulator: WorldOptions<Sim>["simulator"],
  options: SweepOptions<Sim> = {},
): Promise<SweepReport> {
  const { plans = planAll, onLife, mayBeOld, ...rest } = options;
  const world = { ...rest, entry, simulator };
  const begin = performance.now();
  const model = await live({ ...world, plan: [] });
  const [violation] = model.violations;
  if (violation !== undefined) throw new Error(`the life that nothing disturbs: ${violation.kind}: ${violation.text}`);
  const visibilityLagMs = (await entry.load?.())?.provider.visibilityLagMs ?? 0;
  const planning = { visibilityLagMs, mayBeOld, usesSockets: options.usesSockets };
  const oldPaths = model.points.filter((point) => isPerhapsOld(point, planning)).map(({ path }) => path);
  const stories: LifeStory[] = [];
  for (const plan of plans(model, planning)) {
    const story = await live({ ...world, plan, model, oldPaths, mostCalls: MOST_CALLS * model.calls });
    onLife?.(story);
    // What is long is needed only where something went wrong, and was told by then.
    stories.push({ ...story, points: [], lines: [], kubernetes: new Map() });
  }
  return reportOf(stories, { seconds: (performance.now() - begin) / 1000, undisturbedCalls: model.calls });
}

/**
 * Every fault at every point, the deletion at every point of creation, a kill followed by an old view at every write, an outage at every
 * point, storms, and pairs and triples of faults by chance.
 */
export function planAll(model: LifeStory, planning: Planning): readonly LifePlan[] {
  return [
    ...planFaults(model, planning),
    ...planDeletions(model, planning),
    ...planLateEffects(model, planning),
    ...planOldViews(model, planning),
    ...planLongTroubles(model, { storms: STORMS }),
    ...planChances(model, { ...planning, seed: model.seed, count: CHANCES }),
  ];
}
