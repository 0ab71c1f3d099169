// SPDX-License-Identifier: Apache-2.0
import type { ProviderEntry } from "../../../provider-entry.ts";
import type { RunningSimulator } from "../../simulator.ts";
import { CALLS_A_MINUTE } from "../life.ts";
import { planText } from "../life-plan.ts";
import type { Violation } from "../oracle.ts";
import { evenly } from "../plan-lives.ts";
import { type FailedLife, merged, type ReportedSweep, reportOf, reportText, type SweepReport } from "../report.ts";
import { seededRandom, seedOf } from "../seeded-random.ts";
import type { WorldOptions } from "../world.ts";
import { SCENARIOS } from "./all-scenarios.ts";
import { type PlayPlan, planChancePlays, planPlays } from "./plan-plays.ts";
import { type PlayStory, playScenario } from "./play-scenario.ts";
import type { Circumstances, Scenario } from "./scenario.ts";

/** What may differ from the usual sweep. */
export interface ScenarioSweepOptions<Sim extends RunningSimulator>
  extends Omit<WorldOptions<Sim>, "entry" | "simulator" | "beside"> {
  readonly circumstances?: Circumstances<Sim>;
  /** All there are unless told otherwise. */
  readonly scenarios?: readonly Scenario[];
  /** Most points of each scenario, spread evenly; every one unless told otherwise. */
  readonly pointsEach?: number;
  /** How many lives of each scenario have a fault or two on top of it; 0 unless told otherwise. */
  readonly chancesEach?: number;
  /** Told of every life when it is over. */
  readonly onPlay?: (story: PlayStory) => void;
}

/** What came of the lives of one scenario. */
export interface ScenarioReport {
  readonly name: string;
  /** Lives in which it has happened: in others its request did not come, or there was nothing to be done. */
  readonly played: number;
  readonly report: SweepReport;
}

/** A life in which people, outsiders and faults act may need so many times the calls of one without, and so many a minute. */
const MOST_CALLS = 6;
const WRITES_A_MINUTE = 1;

/**
 * Lives the life of one machine on a simulated infrastructure again and again, each time with somebody doing something at one of its
 * requests, and tells what an oracle saw that must never be. Throws where a life goes wrong in which nothing happens.
 */
export async function sweepScenarios<Sim extends RunningSimulator>(
  entry: ProviderEntry,
  simulator: WorldOptions<Sim>["simulator"],
  options: ScenarioSweepOptions<Sim> = {},
): Promise<readonly ScenarioReport[]> {
  const { scenarios = SCENARIOS, circumstances = {} } = options;
  const possible = scenarios.filter(({ needs }) => needs === undefined || circumstances[needs] !== undefined);
  const reports: ScenarioReport[] = [];
  const models = new Map<string, PlayStory>();
  for (const scenario of possible) {
    const all = { ...options, circumstances, entry, simulator };
    const { setting = "" } = scenario;
    const model = models.get(setting) ?? (await modelOf(scenario, all));
    models.set(setting, model);
    reports.push(await sweepOne(scenario, model, all));
  }
  return reports;
}

type One<Sim extends RunningSimulator> = ScenarioSweepOptions<Sim> &
  Pick<WorldOptions<Sim>, "entry" | "simulator"> & { readonly circumstances: Circumstances<Sim> };

/** The life in which nothing happens. */
async function modelOf<Sim extends RunningSimulator>(scenario: Scenario, options: One<Sim>): Promise<PlayStory> {
  const model = await playScenario({ ...options, scenario });
  const [violation] = model.violations;
  if (violation === undefined) return model;
  throw new Error(`${scenario.name}, when nothing happens: ${violation.kind}: ${violation.text}`);
}

async function sweepOne<Sim extends RunningSimulator>(
  scenario: Scenario,
  model: PlayStory,
  options: One<Sim>,
): Promise<ScenarioReport> {
  const { entry, seed = 1, pointsEach = Number.POSITIVE_INFINITY, chancesEach = 0, onPlay } = options;
  const begin = performance.now();
  const visibilityLagMs = (await entry.load?.())?.provider.visibilityLagMs ?? 0;
  const random = seededRandom(seedOf(seed, scenario.name));
  const plans: readonly PlayPlan[] = [
    ...evenly(planPlays(scenario, model), { count: pointsEach, seed: seedOf(seed, scenario.name) }),
    ...planChancePlays(scenario, model, { count: chancesEach, random, visibilityLagMs }),
  ];
  const stories: PlayStory[] = [];
  for (const { at, plan } of plans) {
    const story = await playScenario({ ...options, scenario, at, plan, model });
    const judged = withCallsJudged(story, model);
    onPlay?.(judged);
    stories.push({ ...judged, points: [], lines: [], kubernetes: new Map() });
  }
  const seconds = (performance.now() - begin) / 1000;
  return {
    name: scenario.name,
    played: stories.filter(({ isPlayed }) => isPlayed).length,
    report: reportFor(stories, { seconds, undisturbedCalls: model.calls }),
  };
}

/** The same with too many calls among its violations: the longer a life takes, the more calls and writes it may need. */
export function withCallsJudged(story: PlayStory, model: PlayStory): PlayStory {
  const minutes = Math.ceil(story.simulatedMs / 60_000);
  const judge = (what: string, count: (of: PlayStory) => number, aMinute: number): readonly Violation[] => {
    const most = MOST_CALLS * count(model) + minutes * aMinute;
    return count(story) <= most ? [] : [{ kind: "calls", text: `${count(story)} ${what}, more than ${most}` }];
  };
  const tooMany = [
    ...judge("calls to the infrastructure", ({ calls }) => calls, CALLS_A_MINUTE),
    ...judge("writes to Kubernetes", writesOf, WRITES_A_MINUTE),
  ];
  return { ...story, violations: [...story.violations, ...tooMany] };
}

/** Without leases, which are renewed every two seconds. */
function writesOf({ points }: PlayStory): number {
  return points.filter(({ side, isWrite, path }) => side === "kubernetes" && isWrite && !path.includes("/leases"))
    .length;
}

function reportFor(
  stories: readonly PlayStory[],
  measured: Pick<SweepReport, "seconds" | "undisturbedCalls">,
): SweepReport {
  const moments = { asked: 0, running: 0, deleted: 0, gone: 0 };
  const report = reportOf(
    stories.map((story) => ({ ...story, moments })),
    measured,
  );
  const failed = stories
    .filter(({ violations }) => violations.length > 0)
    .map(({ title, plan, seed, violations }): FailedLife => {
      const faults = plan.length === 0 ? "" : ` + ${planText(plan)}`;
      return { plan: `${title}${faults}`, seed, violations };
    });
  // Each scenario has points of its own.
  const points = [...new Set(stories.filter(({ isPlayed }) => isPlayed).map(({ title }) => title))];
  return { ...report, failed, points };
}

/** For people: a line for each scenario, then all together. */
export function scenarioReportText(reports: readonly ScenarioReport[], swept: ReportedSweep = {}): string {
  const lines = reports.map(({ name, played, report }) => {
    const bad = report.failed.length === 0 ? "" : `, FAILED ${report.failed.length}`;
    return `${name}: lives ${report.lives}, played ${played}, seconds ${report.seconds.toFixed(1)}${bad}`;
  });
  const seconds = reports.reduce((sum, { report }) => sum + report.seconds, 0);
  const all = { ...merged(reports.map(({ report }) => report)), seconds };
  return [...lines, reportText(all, swept)].join("\n");
}
