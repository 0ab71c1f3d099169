// SPDX-License-Identifier: Apache-2.0
import type { LifeStory } from "../../src/engine/testing/sweep/life.ts";
import { type LifePlan, planText } from "../../src/engine/testing/sweep/life-plan.ts";
import type { Violation } from "../../src/engine/testing/sweep/oracle.ts";
import { planLateEffects } from "../../src/engine/testing/sweep/plan-late.ts";
import { planDeletions, planFaults } from "../../src/engine/testing/sweep/plan-lives.ts";
import { SCENARIOS } from "../../src/engine/testing/sweep/scenarios/all-scenarios.ts";
import { pointsFor } from "../../src/engine/testing/sweep/scenarios/plan-plays.ts";
import type { Point } from "../../src/engine/testing/sweep/traffic.ts";
import type { MutantLife, PlayedLife, StageName, SweptLife } from "./mutant.ts";
import { type Stage, stageOf } from "./stages.ts";

/** What came of one life. */
export interface LivedLife {
  /** What happened in it, in words that repeat it. */
  readonly life: string;
  readonly violations: readonly Violation[];
  readonly seconds: number;
}

/** A life with faults may need so many times the calls of one without, as in the sweep. */
const MOST_CALLS = 4;

type Told = Omit<LivedLife, "seconds">;

/** Lives the lives one after the other, in the product as this process has loaded it. */
export async function liveAll(lives: readonly MutantLife[]): Promise<readonly LivedLife[]> {
  const models = new Map<StageName, Promise<LifeStory>>();
  const modelOn = (name: StageName) => {
    const model = models.get(name) ?? stageOf(name).live({ plan: [] });
    models.set(name, model);
    return model;
  };
  const lived: LivedLife[] = [];
  for (const life of lives) {
    const { on = "harvester" } = life;
    const begin = performance.now();
    const told =
      "scenario" in life ? await play(life, stageOf(on)) : await liveOne(life, stageOf(on), await modelOn(on));
    // One of each rule is enough to tell.
    const violations = [...new Map(told.violations.toReversed().map((each) => [each.kind, each])).values()].reverse();
    lived.push({ ...told, violations, seconds: (performance.now() - begin) / 1000 });
  }
  return lived;
}

/** As in the sweep, which stops where the life goes wrong that nothing disturbs. */
async function liveOne(life: Exclude<MutantLife, PlayedLife>, stage: Stage, model: LifeStory): Promise<Told> {
  if ("undisturbed" in life || model.violations.length > 0)
    return { life: "undisturbed", violations: model.violations };
  const { plan, point } = choosePlan(life, model, await stage.visibilityLagMs());
  const { violations } = await stage.live({ plan, model, mostCalls: MOST_CALLS * model.calls });
  return { life: `${planText(plan)}: ${shortText(point)}`, violations };
}

/** The plan of the sweep that the life is lived by. */
function choosePlan(life: SweptLife, model: LifeStory, visibilityLagMs: number): { plan: LifePlan; point: Point } {
  const { at, nth = 0, fault, restarts = false, deletes, deletesLaterBy, launchHangs = false } = life;
  const planning = { visibilityLagMs };
  const planned = [planFaults, planDeletions, planLateEffects].flatMap((plan) => plan(model, planning));
  const chosen = planned
    .flatMap((plan) => {
      const deletion = plan.find(({ what }) => what.startsWith("delete-"));
      const main = plan.find(({ what }) => what === fault) ?? (fault === undefined ? deletion : undefined);
      const point = model.points.find(({ side, number }) => side === main?.side && number === main.number);
      if (main === undefined || point === undefined || !fits(point, at)) return [];
      const others = plan.filter((each) => each !== main && each !== deletion);
      const laterBy = deletion === undefined ? undefined : deletion.number - main.number;
      const isIt =
        main.restarts === restarts &&
        others.length === (launchHangs ? 1 : 0) &&
        deletion?.what === (deletesLaterBy === undefined ? deletes && `delete-${deletes}` : "delete-after") &&
        (deletion === undefined || (deletion.side === main.side && laterBy === (deletesLaterBy ?? 0)));
      return isIt ? [{ plan, point }] : [];
    })
    .at(nth);
  return chosen ?? noSuchLife(life, model.points);
}

async function play(life: PlayedLife, stage: Stage): Promise<Told> {
  const { scenario: name, at: pattern, nth = 0 } = life;
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined)
    throw new Error(`there is no scenario "${name}"; there are ${SCENARIOS.map((each) => each.name).join(", ")}`);
  const model = await stage.play({ scenario });
  if (model.violations.length > 0) return { life: `${name}, before it happens`, violations: model.violations };
  const points = pointsFor(scenario, model);
  const at = points.filter((point) => fits(point, pattern)).at(nth) ?? noSuchLife(life, points);
  const { violations, isPlayed } = await stage.play({ scenario, model, at });
  if (!isPlayed && violations.length === 0) throw new Error(`${name} never happened at ${shortText(at)}`);
  return { life: `${name} ${at.side}#${at.number}: ${shortText(at)}`, violations };
}

function noSuchLife(life: MutantLife, points: readonly Point[]): never {
  throw new Error(`the sweep has no such life: ${JSON.stringify(life)}, at:\n${points.map(fullText).join("\n")}`);
}

function fits(point: Point, pattern: string): boolean {
  return new RegExp(pattern).test(fullText(point));
}

function fullText({ side, method, path }: Point): string {
  return `${side} ${method} ${path}`;
}

/** Without what only differs from life to life. */
function shortText({ method, path }: Point): string {
  return `${method} ${path.replace(/\?.*/, "").replace(/^.*\/(?=[^/]*\/[^/]*$)/, "")}`;
}
