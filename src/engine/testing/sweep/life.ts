// SPDX-License-Identifier: Apache-2.0
import { machineRequest } from "../../../api/index.ts";
import { SYSTEM_NAMESPACE } from "../../names.ts";
import type { RunningSimulator } from "../simulator.ts";
import { arrange } from "./arrange.ts";
import { createCanaries } from "./canaries.ts";
import { kubernetesState } from "./kubernetes-state.ts";
import type { Incident, LifePlan } from "./life-plan.ts";
import { TROUBLE_MS } from "./long-trouble.ts";
import { createOracle, type Oracle, type Violation } from "./oracle.ts";
import { type Point, pointText } from "./traffic.ts";
import {
  NETWORK_DATA_CANARY,
  raiseWorld,
  StuckError,
  USER_DATA_CANARY,
  type World,
  type WorldOptions,
} from "./world.ts";

/** How a life goes, and in what world. */
export interface LifeOptions<Sim extends RunningSimulator = RunningSimulator> extends WorldOptions<Sim>, Course {}

/** How a life goes. */
export interface Course {
  readonly plan: LifePlan;
  /** What differs in the MachineRequest's spec. */
  readonly spec?: object;
  /** The same life undisturbed, where there was one: what Kubernetes should be like in the end, and the request at each point. */
  readonly model?: LifeStory | undefined;
  /** Reads of the infrastructure whose answers may be old. */
  readonly oldPaths?: readonly string[];
  /** Most calls to the infrastructure, besides those with which further managers begin, and those of the minutes that it takes longer. */
  readonly mostCalls?: number;
  /** Called before the first manager starts, to have other things happen than plans know of. */
  readonly prepare?: (world: World) => Promise<void> | void;
}

/** What came of a life. */
export interface LifeStory {
  readonly seed: number;
  readonly plan: LifePlan;
  readonly points: readonly Point[];
  /** How many points there were when the request was made, when its machine ran, and when it was deleted. */
  readonly moments: {
    readonly asked: number;
    readonly running: number;
    readonly deleted: number;
    readonly gone: number;
  };
  readonly violations: readonly Violation[];
  /** Incidents whose request never came. */
  readonly missed: LifePlan;
  /** To the infrastructure. */
  readonly calls: number;
  readonly mostMachines: number;
  readonly simulatedMs: number;
  /** Kubernetes in the end. */
  readonly kubernetes: ReadonlyMap<string, string>;
  /** Everything that was logged. */
  readonly lines: readonly string[];
}

const NAME = "web-1";
/** Longer than a late request is on its way. */
const REST_MS = 90_000;
/** Trouble that lasts is over by then, and so are the pauses between tries that have become long. */
const RECOVERY_MS = TROUBLE_MS + 180_000;
/** Longer than that, and the infrastructure takes its time to make something of it. */
const AFTERWARDS_MS = 120_000;
/** Many times what a whole life needs. */
const MOST_AT_ONCE = 5_000;
/** Protections are taken off and numbers brought up to date within that. */
const CLEANING_UP_MS = 5_000;
const PATIENCE_MS = 3_600_000;
/** While something is in trouble. */
export const CALLS_A_MINUTE = 12;
const LONG: ReadonlySet<Incident["what"]> = new Set(["outage", "storm"]);

/** Lives the life of one machine in a world of its own: asked for, running, deleted, gone, with what was planned to go wrong on the way. */
export async function live<Sim extends RunningSimulator>(options: LifeOptions<Sim>): Promise<LifeStory> {
  const world = await raiseWorld({ mostAtOnce: MOST_AT_ONCE, ...options });
  try {
    return await liveIn(world, options);
  } finally {
    await world.stop();
  }
}

async function liveIn(world: World, course: Course): Promise<LifeStory> {
  const { plan, model, oldPaths = [], mostCalls = Infinity } = course;
  const canaries = createCanaries(world.access, [USER_DATA_CANARY, NETWORK_DATA_CANARY]);
  // Where nothing can be seen for long that is what a status should say.
  const never = plan.some(({ what }) => LONG.has(what)) ? ["Failed"] : ["Failed", "Unknown"];
  const oracle = createOracle(world, {
    names: [NAME],
    canaries,
    kubernetes: model?.kubernetes,
    never,
    mostEver: mostEverIn(plan),
  });
  const missed = new Set(plan);
  const moments = { asked: 0, running: 0, deleted: 0, gone: 0 };
  const life: Life = { world, oracle, moments, calmAt: 0 };
  const onMet = (point: Point, met: LifePlan) => {
    const [incident] = met;
    const recorded = model?.points.find(({ side, number }) => side === incident?.side && number === incident.number);
    // What comes after something went wrong may well be something else.
    const isFirst = missed.size === plan.length;
    if (isFirst && recorded !== undefined && requestText(recorded) !== requestText(point))
      oracle.blame("point", `${pointText(point)} was ${pointText(recorded)}`);
    for (const incident of met) missed.delete(incident);
    if (met.some(({ what }) => LONG.has(what))) life.calmAt = world.clock.monotonic() + RECOVERY_MS;
  };
  arrange(plan, { world, remove: () => remove(world), onMet, oldPaths, recorded: model?.points });
  // Nobody but Butler touches the machine: from when its status first says so it runs and has that address, at every moment.
  world.onStill(() => {
    if (!isDeleting(world) && isRunning(world)) oracle.checkStanding(NAME);
  });
  try {
    await run(life, course);
  } catch (error) {
    if (!(error instanceof StuckError)) throw error;
    oracle.blame("stuck", `${error.message}: ${JSON.stringify(world.requestNow(NAME)?.status)}`);
  }
  oracle.checkLeaks();
  const calls = world.traffic.count("infrastructure");
  const longerMs = Math.max(0, world.clock.monotonic() - (model?.simulatedMs ?? 0));
  const longer = CALLS_A_MINUTE * Math.ceil(longerMs / 60_000);
  const most = mostCalls + longer + (world.managers.length - 1) * callsOfStart(model);
  if (calls > most) oracle.blame("calls", `${calls} calls to the infrastructure, more than ${most}`);
  return {
    seed: world.seed,
    plan,
    points: classified(world),
    moments,
    violations: oracle.violations,
    missed: [...missed],
    calls,
    mostMachines: oracle.mostMachines,
    simulatedMs: world.clock.monotonic(),
    kubernetes: kubernetesState(world.plane, world.access),
    lines: world.lines,
  };
}

/** Where a machine is made, deleted, and made once more by a call that was late, that one is deleted too. */
function mostEverIn(plan: LifePlan): number {
  const has = (start: string) => plan.some(({ what }) => what.startsWith(start));
  return has("latest-") || (has("late-") && has("delete-")) ? 2 : 1;
}

function requestText({ method, path }: Point): string {
  return `${method} ${path}`;
}

/** With how many calls a manager begins, trouble at that included. */
function callsOfStart(model: LifeStory | undefined): number {
  const start = model?.points.slice(0, model.moments.asked) ?? [];
  return 2 * start.filter(({ side }) => side === "infrastructure").length;
}

interface Life {
  readonly world: World;
  readonly oracle: Oracle;
  readonly moments: Record<keyof LifeStory["moments"], number>;
  /** When trouble that lasts is over. */
  calmAt: number;
}

/** From the request to its end, and a little longer. */
async function run(life: Life, { spec, prepare }: Course): Promise<void> {
  const { world, oracle } = life;
  const mark = (moment: keyof Life["moments"]) => {
    life.moments[moment] = world.traffic.points.length;
  };
  const rest = async (ms: number) => {
    await world.pass(ms);
    // Trouble may have broken out meanwhile.
    await world.pass(Math.max(0, life.calmAt - world.clock.monotonic()));
  };
  await prepare?.(world);
  world.startManager();
  await world.pass(1);
  mark("asked");
  await world.request(NAME, spec);
  await world.until("Running", () => isDeleting(world) || isRunning(world), PATIENCE_MS);
  mark("running");
  if (!isDeleting(world)) {
    oracle.checkRunning(NAME);
    await rest(REST_MS);
    if (!isDeleting(world)) oracle.checkRunning(NAME);
  }
  mark("deleted");
  await remove(world);
  await world.until("gone", () => world.requestNow(NAME) === undefined, PATIENCE_MS);
  await world.pass(CLEANING_UP_MS);
  mark("gone");
  await rest(AFTERWARDS_MS);
  oracle.checkGone();
}

function isRunning(world: World): boolean {
  return world.requestNow(NAME)?.status?.phase === "Running";
}

/** Or gone. */
function isDeleting(world: World): boolean {
  const request = world.requestNow(NAME);
  return request === undefined || request.metadata.deletionTimestamp !== undefined;
}

/** As a person does; without effect where the request is going already, or is not there yet. */
async function remove(world: World): Promise<void> {
  if (!isDeleting(world)) await world.client.delete(machineRequest, { namespace: SYSTEM_NAMESPACE, name: NAME });
}

/** Only the infrastructure knows which requests to it change something. In a life without faults it has seen them all. */
function classified({ traffic: { points }, sim }: World): readonly Point[] {
  const seen = sim.requests();
  return points.map((point) => {
    const { isWrite, path } = seen[point.number - 1] ?? {};
    return point.side === "infrastructure" && path === point.path
      ? { ...point, isWrite: isWrite ?? point.isWrite }
      : point;
  });
}
