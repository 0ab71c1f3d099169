// SPDX-License-Identifier: Apache-2.0
import type { Incident, LifePlan } from "../life-plan.ts";
import { faultsAt, type Planning } from "../plan-lives.ts";
import type { Point } from "../traffic.ts";
import type { PlayStory } from "./play-scenario.ts";
import type { Scenario } from "./scenario.ts";

/** When a scenario happens in one life, and what else goes wrong in it. */
export interface PlayPlan {
  readonly at: Pick<Point, "side" | "number">;
  readonly plan: LifePlan;
}

/** The requests at which a scenario is played: of those that come one after the other and are alike, the first. */
export function pointsFor({ from, to, isAt = () => true }: Scenario, { points, moments }: PlayStory): readonly Point[] {
  const isNew = (point: Point, at: number) => {
    const before = points[at - 1];
    return before?.method !== point.method || before.path !== point.path || point.side !== before.side;
  };
  return points
    .filter((point, at) => isNew(point, at) && at >= moments[from] && at < moments[to])
    .filter((point) => isAt(point));
}

/** The scenario at each of its points, with nothing else going wrong. */
export function planPlays(scenario: Scenario, model: PlayStory): readonly PlayPlan[] {
  return pointsFor(scenario, model).map(({ side, number }) => ({ at: { side, number }, plan: [] }));
}

/** What chance goes by. */
export interface Chances extends Planning {
  readonly count: number;
  readonly random: () => number;
}

/** So many lives with the scenario at a random point, and a fault or two at others. */
export function planChancePlays(
  scenario: Scenario,
  model: PlayStory,
  { count, random, visibilityLagMs }: Chances,
): readonly PlayPlan[] {
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const places = pointsFor(scenario, model);
  const points = model.points.slice(0, model.moments.gone);
  return Array.from({ length: count }, (_, index): PlayPlan[] => {
    const at = pick(places);
    if (at === undefined) return [];
    // One thing at a request: of two, the second would meet a manager that the first has replaced.
    const taken: Pick<Point, "side" | "number">[] = [at];
    const isFree = ({ side, number }: Point) => !taken.some((each) => each.side === side && each.number === number);
    const plan = Array.from({ length: 1 + (index % 2) }, () => {
      const point = pick(points.filter(isFree));
      if (point === undefined) return [];
      taken.push(point);
      return incident(point, { visibilityLagMs, scenario, pick, random });
    }).flat();
    return [{ at: { side: at.side, number: at.number }, plan }];
  }).flat();
}

interface Choice extends Planning {
  readonly scenario: Scenario;
  readonly pick: <T>(all: readonly T[]) => T | undefined;
  readonly random: () => number;
}

function incident(point: Point, { visibilityLagMs, scenario, pick, random }: Choice): readonly Incident[] {
  const mayKill = scenario.standsKills !== false;
  const faults = faultsAt(point, { visibilityLagMs }).filter((fault) => mayKill || !fault.startsWith("kill-"));
  const what = pick(faults);
  if (what === undefined) return [];
  const restarts = mayKill && !what.startsWith("kill-") && random() < 0.5;
  return [{ side: point.side, number: point.number, what, restarts }];
}
