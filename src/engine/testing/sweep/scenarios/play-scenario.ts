// SPDX-License-Identifier: Apache-2.0
import { machineRequest } from "../../../../api/index.ts";
import { LAUNCH_ANNOTATION, SYSTEM_NAMESPACE } from "../../../names.ts";
import type { RunningSimulator, SimulatedAccess } from "../../simulator.ts";
import { arrange } from "../arrange.ts";
import { createCanaries } from "../canaries.ts";
import { FAULTS } from "../fault.ts";
import { kubernetesState } from "../kubernetes-state.ts";
import type { LifeStory } from "../life.ts";
import type { LifePlan } from "../life-plan.ts";
import { createOracle, type Oracle } from "../oracle.ts";
import { type Point, pointText } from "../traffic.ts";
import { raiseWorld, StuckError, USER_DATA_CANARY, type World, type WorldOptions } from "../world.ts";
import { type Circumstances, type Moment, type Play, playText, type Scenario, type Scene } from "./scenario.ts";

/** How a scenario is played, and in what world. */
export interface PlayOptions<Sim extends RunningSimulator = RunningSimulator> extends WorldOptions<Sim> {
  readonly scenario: Scenario;
  readonly circumstances: Circumstances<Sim>;
  /** The request at which it happens; left out, it never does. */
  readonly at?: Pick<Point, "side" | "number">;
  /** Faults on top of it. */
  readonly plan?: LifePlan;
  /** The same without the act and without faults. */
  readonly model?: PlayStory | undefined;
  /** Most calls to the infrastructure. */
  readonly mostCalls?: number;
}

/** What came of it. */
export interface PlayStory extends Omit<LifeStory, "moments"> {
  /** To be repeated alone. */
  readonly title: string;
  /** How many points there were at each moment. */
  readonly moments: Readonly<Record<Moment, number>>;
  /** Whether the thing has happened. */
  readonly isPlayed: boolean;
}

const NAME = "web-1";
const REST_MS = 90_000;
const AFTERWARDS_MS = 120_000;
/** Many times what a whole life needs. */
const MOST_AT_ONCE = 5_000;
const CLEANING_UP_MS = 5_000;
const PATIENCE_MS = 2 * 3_600_000;

/** Plays a scenario once, in a world of its own: the machine is asked for, runs, is deleted and gone, and somewhere on the way it happens. */
export async function playScenario<Sim extends RunningSimulator>(options: PlayOptions<Sim>): Promise<PlayStory> {
  const world = await raiseWorld({ mostAtOnce: MOST_AT_ONCE, ...options });
  const others: World[] = [];
  const { rotate, elsewhere } = options.circumstances;
  const means: Means = {
    async another() {
      const other = await raiseWorld({ ...options, beside: world });
      others.push(other);
      return other;
    },
    rotate: () => rotate?.(world.sim) ?? nothingLikeIt(),
    elsewhere: async () => (await elsewhere?.(world.sim)) ?? nothingLikeIt(),
  };
  try {
    return await playIn(world, { ...options, means });
  } finally {
    for (const other of others) await other.stop();
    await world.stop();
  }
}

function nothingLikeIt(): never {
  throw new Error("this infrastructure has no such thing");
}

type Means = Pick<Scene, "another" | "rotate" | "elsewhere">;

interface Playing extends Omit<PlayOptions, "entry" | "simulator" | "access" | "circumstances"> {
  readonly means: Means;
}

async function playIn(world: World, options: Playing): Promise<PlayStory> {
  const { scenario, plan = [], at, model, mostCalls = Number.POSITIVE_INFINITY } = options;
  let oracle: Oracle | undefined;
  const blame: Oracle["blame"] = (kind, text) => oracle?.blame(kind, text);
  const secrets: SimulatedAccess[] = [];
  let play: Play | undefined;
  const { means } = options;
  const scene = sceneOf(world, { means, blame, secrets, oracle: () => oracle, play: () => play });
  play = await scenario.begin(scene);
  await world.still();
  const { never, mostEver = 1 } = scenario;
  const { most, isStranger, mayDiffer } = play;
  oracle = createOracle(world, {
    names: [NAME],
    canaries: createCanaries(world.access, [USER_DATA_CANARY]),
    kubernetes: model?.kubernetes,
    mostEver,
    ...(never === undefined ? {} : { never }),
    ...(most === undefined ? {} : { most }),
    ...(isStranger === undefined ? {} : { isStranger }),
    ...(mayDiffer === undefined ? {} : { mayDiffer }),
  });
  const missed = new Set(plan);
  const stage: Stage = {
    scene,
    play,
    acted: false,
    isMoot: false,
    isHeld: false,
    moments: noMoments(),
    callOff: () => {},
  };
  arrange(plan, {
    world,
    remove: scene.remove,
    onMet: (_point, met) => {
      for (const incident of met) missed.delete(incident);
    },
    isHeld: () => stage.isHeld,
  });
  stage.callOff = arrangeAct(stage, options);
  const note = () => noteMoments(stage);
  world.onServed(note);
  world.onStill(note);
  try {
    await course(stage);
    oracle.checkGone();
  } catch (error) {
    if (!(error instanceof StuckError)) throw error;
    blame("stuck", `${error.message}: ${JSON.stringify(scene.request()?.status ?? {})}`);
  } finally {
    await play.stop?.();
  }
  oracle.checkLeaks();
  for (const access of secrets) checkSecret(world, access, blame);
  const calls = world.traffic.count("infrastructure");
  if (calls > mostCalls) blame("calls", `${calls} calls to the infrastructure, more than ${mostCalls}`);
  return {
    title: playText(scenario, at),
    seed: world.seed,
    plan,
    points: world.traffic.points,
    moments: stage.moments,
    isPlayed: stage.acted && !stage.isMoot,
    violations: oracle.violations,
    missed: [...missed],
    calls,
    mostMachines: oracle.mostMachines,
    simulatedMs: world.clock.monotonic(),
    kubernetes: kubernetesState(world.plane, world.access),
    lines: world.lines,
  };
}

interface Stage {
  readonly scene: Scene;
  readonly play: Play;
  /** It has happened. */
  acted: boolean;
  /** There was nothing to be done. */
  isMoot: boolean;
  /** It happens now, and no manager may run meanwhile. */
  isHeld: boolean;
  readonly moments: Record<Moment, number>;
  /** It does not happen any more. */
  callOff: () => void;
}

function noMoments(): Record<Moment, number> {
  return {
    start: 0,
    asked: 0,
    launched: 0,
    fixed: 0,
    exists: 0,
    running: 0,
    deleted: 0,
    leaving: 0,
    released: 0,
    gone: 0,
  };
}

/** Writes down the moments that show on the servers, when they come. */
function noteMoments({ scene, moments }: Stage): void {
  const { metadata, status } = scene.request() ?? {};
  const machines = scene.machines();
  const has = {
    launched: metadata?.annotations?.[LAUNCH_ANNOTATION] !== undefined,
    fixed: !["Pending", "Failed", undefined].includes(status?.phase),
    exists: machines.length > 0,
    leaving: moments.exists > 0 && machines.every(({ isDeleting }) => isDeleting),
    released: moments.launched > 0 && !scene.isThere(),
  };
  for (const moment of ["launched", "fixed", "exists", "leaving", "released"] as const)
    if (has[moment] && moments[moment] === 0) moments[moment] = scene.world.traffic.points.length;
}

/** Has it happen when its request comes. */
function arrangeAct(
  stage: Stage,
  { at, scenario, model, plan = [] }: Pick<Playing, "at" | "scenario" | "model" | "plan">,
): () => void {
  if (at === undefined) return () => {};
  const { scene, play } = stage;
  const { world } = scene;
  const act = async (point: Point) => {
    try {
      stage.isMoot = (await play.act(point)) === false;
    } catch (error) {
      scene.blame("stuck", `the scenario itself: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
    }
    stage.acted = true;
  };
  const check = (point: Point) => {
    const recorded = model?.points.find(({ side, number }) => side === point.side && number === point.number);
    if (plan.length === 0 && recorded !== undefined && pointText(recorded) !== pointText(point))
      scene.blame("point", `${pointText(point)} was ${pointText(recorded)}`);
  };
  const on = ({ side, number }: Point) => at.side === side && at.number === number;
  if (!scenario.kills)
    return world.disturb({
      on,
      async before(point) {
        check(point);
        await act(point);
      },
    });
  return world.disturb({
    on,
    fault: FAULTS["kill-before"],
    before: check,
    onOver(point) {
      for (const manager of world.managers) manager.kill();
      const leave = world.traffic.enter();
      stage.isHeld = true;
      void act(point).finally(() => {
        stage.isHeld = false;
        world.startManager();
        leave();
      });
    },
  });
}

/** Asked for, running, deleted, gone; as soon as it has happened the scenario says how it goes on. */
async function course(stage: Stage): Promise<void> {
  const { scene, play, moments } = stage;
  const { world } = scene;
  const mark = (moment: Moment) => {
    moments[moment] = world.traffic.points.length;
  };
  const restUnlessActed = async (ms: number) => {
    const end = world.clock.monotonic() + ms;
    await world.until("rest", () => stage.acted || world.clock.monotonic() >= end, ms);
  };
  if (play.start === undefined) world.startManager();
  else await play.start();
  await world.pass(1);
  mark("asked");
  await world.request(NAME);
  await scene.until("Running", () => stage.acted || scene.isRunning());
  mark("running");
  if (!stage.acted) {
    scene.checkRunning();
    await restUnlessActed(REST_MS);
    if (!stage.acted) scene.checkRunning();
  }
  mark("deleted");
  if (!stage.acted) {
    await scene.remove();
    await scene.until("gone", () => stage.acted || !scene.isThere());
    if (!stage.acted) await restUnlessActed(CLEANING_UP_MS);
  }
  mark("gone");
  // What has not happened by now comes too late.
  stage.callOff();
  if (stage.acted && !stage.isMoot) await play.afterwards?.();
  await ending(scene, play);
}

/** Whatever has happened: the machine runs unless its request is being deleted, and then it goes. */
async function ending(scene: Scene, play: Play): Promise<void> {
  const { world } = scene;
  if (scene.isThere() && !scene.isDeleting()) {
    await scene.until("Running", () => scene.isDeleting() || scene.isRunning());
    await world.pass(REST_MS);
    if (!scene.isDeleting()) scene.checkRunning();
    await scene.remove();
  }
  await scene.until("gone", () => !scene.isThere());
  await play.tidy?.();
  await world.pass(CLEANING_UP_MS);
  await world.pass(AFTERWARDS_MS);
}

interface SceneParts extends Pick<Scene, "blame" | "secrets"> {
  readonly means: Means;
  readonly oracle: () => Oracle | undefined;
  readonly play: () => Play | undefined;
}

function sceneOf(world: World, parts: SceneParts): Scene {
  const { blame, secrets } = parts;
  const request = () => world.requestNow(NAME);
  const isThere = () => request() !== undefined;
  const isDeleting = () => request()?.metadata.deletionTimestamp !== undefined;
  return {
    world,
    name: NAME,
    ...parts.means,
    secrets,
    blame,
    request,
    isThere,
    isDeleting,
    isRunning: () => request()?.status?.phase === "Running",
    reasonOf: (type, status) =>
      request()?.status?.conditions?.find((each) => each.type === type && each.status === status)?.reason,
    machines: () => world.sim.machines().filter((each) => parts.play()?.isStranger?.(each) !== true),
    checkRunning: () => parts.oracle()?.checkRunning(NAME),
    async remove() {
      if (isThere() && !isDeleting())
        await world.client.delete(machineRequest, { namespace: SYSTEM_NAMESPACE, name: NAME });
    },
    until: (what, holds, withinMs = PATIENCE_MS) => world.until(what, holds, withinMs),
  };
}

function checkSecret(world: World, access: SimulatedAccess, blame: Oracle["blame"]): void {
  const canaries = createCanaries(access, []);
  for (const line of world.lines) if (canaries.isIn(line)) blame("leak", `a secret is in the log: ${line.trim()}`);
  for (const object of world.plane.dump().values())
    if (canaries.isShownBy(JSON.stringify(object))) blame("leak", `a secret is in ${JSON.stringify(object)}`);
}
