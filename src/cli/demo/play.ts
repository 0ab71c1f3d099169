// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../../api/index.ts";
import { type Cache, createCache, systemClock } from "../../kube/index.ts";
import { exitCodes, type Io } from "../io.ts";
import { makeUnreliable } from "./faults.ts";
import { CONFIG_NAME, NAMESPACE } from "./machines.ts";
import { createScreen, type Screen } from "./screen.ts";
import { applyCluster, deleteCluster, raiseWorld, type World } from "./world.ts";

/** How the demo is played. */
export interface Wish {
  /** Resolves when the user has seen enough. */
  readonly told: Promise<void>;
  readonly machines: number;
  /** Whether it ends by itself, with everything deleted. */
  readonly isOnce: boolean;
  readonly hasFaults: boolean;
}

const INTERRUPTED = 130;

/** A machine takes seconds; whoever waits for this long has found a fault. */
const PATIENCE_MS = 5 * 60_000;

/** How waiting for something ended. */
type Outcome = "reached" | "told" | "late";

/** One performance: the world, what is seen of it, and who may end it. */
interface Stage {
  readonly io: Io;
  readonly world: World;
  readonly wish: Wish;
  readonly view: Cache<MachineRequest>;
  readonly screen: Screen;
  /** How many requests to the infrastructure have gone wrong. */
  readonly faults: () => number;
}

/** Plays the demo to its end and gives the exit code. Leaves no process, port or file behind. */
export async function play(io: Io, wish: Wish): Promise<number> {
  const world = await raiseWorld((line) => {
    if (!io.isTerminal) io.complain(line);
  });
  const viewing = new AbortController();
  const view = createCache(world.client, machineRequest, { namespace: NAMESPACE });
  const closed = view.start(viewing.signal);
  try {
    await view.synced;
    const faults = wish.hasFaults ? makeUnreliable(world.simulator, Math.random) : () => 0;
    const screen = createScreen(io, systemClock.now);
    return await perform({ io, world, wish, view, screen, faults });
  } finally {
    viewing.abort(new Error("the demo is over"));
    await closed;
    await world.stop();
  }
}

async function perform(stage: Stage): Promise<number> {
  const { io, world, wish, view, screen } = stage;
  const { machines, isOnce } = wish;
  introduce(io, world);
  view.subscribe(screen.changed);
  await applyCluster(world, machines);
  const up = await waitUntil(stage, () => view.size === machines && view.list().every(isRunning));
  if (up === "told") return isOnce ? INTERRUPTED : exitCodes.fine;
  if (up === "late") return complainOf(stage);
  io.write(`\nEvery machine runs: ${machines} requested, ${world.simulator.machines().length} on Harvester.\n`);
  if (!isOnce) {
    io.write("Ctrl-C ends the demo.\n");
    await Promise.race([wish.told, world.controllers]);
    return exitCodes.fine;
  }
  io.write("\nDeleting them.\n");
  await deleteCluster(world, machines);
  const down = await waitUntil(stage, () => view.size === 0);
  if (down === "told") return INTERRUPTED;
  return down === "late" ? complainOf(stage) : prove(stage);
}

function introduce(io: Io, { plane, simulator }: World): void {
  io.write(`Kubernetes API on ${plane.url}, Harvester on ${simulator.url}. From another terminal:

  export KUBECONFIG=${plane.kubeconfigPath ?? ""}
  kubectl get mr -n ${NAMESPACE} -w
  kubectl describe mr -n ${NAMESPACE} demo-cp-0
  kubectl describe providerconfig -n ${NAMESPACE} ${CONFIG_NAME}

`);
}

/** Waits until this holds, the user has seen enough, or patience is at its end. Rejects when the controllers give up. */
async function waitUntil({ view, wish, world, screen }: Stage, holds: () => boolean): Promise<Outcome> {
  let finish: (outcome: Outcome) => void = () => {};
  const outcome = new Promise<Outcome>((resolve) => {
    finish = resolve;
  });
  const calm = systemClock.after(PATIENCE_MS, () => finish("late"));
  const look = () => {
    if (holds()) finish("reached");
  };
  const unsubscribe = view.subscribe(look);
  look();
  void wish.told.then(() => finish("told"));
  try {
    return await Promise.race([outcome, world.controllers.then((): Outcome => "told")]);
  } finally {
    calm();
    unsubscribe();
    screen.rest();
  }
}

function isRunning({ status }: MachineRequest): boolean {
  return status?.phase === "Running";
}

function complainOf({ io, view }: Stage): number {
  for (const { metadata, status } of view.list()) {
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    io.complain(`${metadata.name}: ${status?.phase}: ${ready?.message ?? "no reason is told"}\n`);
  }
  return exitCodes.problems;
}

/** Compares everything that is on the infrastructure with what was there at the start. */
function prove({ io, world, wish, faults }: Stage): number {
  const left = world.simulator.leftovers();
  if (left.length > 0) {
    io.complain(`Left behind on Harvester:\n${left.map((what) => `  ${what}\n`).join("")}`);
    return exitCodes.problems;
  }
  const bad = wish.hasFaults ? ` ${faults()} requests to it went wrong on the way.` : "";
  io.write(`\nNothing is left: Harvester is as it was before.${bad}\n`);
  return exitCodes.fine;
}
