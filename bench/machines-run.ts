// SPDX-License-Identifier: Apache-2.0
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startChild } from "./machines-child.ts";
import { counted, type Phase, sum, type Watched } from "./machines-counted.ts";
import { measureLatency } from "./machines-latency.ts";
import { type Manager, startManager } from "./machines-manager.ts";
import { furnish, type Kubernetes } from "./machines-servers.ts";
import type { MachinesTable } from "./machines-table.ts";
import { tellGrowth, tellLife } from "./machines-tell.ts";

/** What the processes run. */
export interface Programs {
  readonly folder: string;
  /** The launcher of the published package. */
  readonly launcher: string;
  readonly plane: string;
  readonly simulator: string;
  readonly driver: string;
  readonly bare: string;
}

interface Plan {
  readonly programs: Programs;
  readonly sizes: readonly number[];
  readonly table: MachinesTable;
}

/** Everything that a measurement works with. All are there all the time, and take turns. */
export interface Stage extends Watched {
  readonly table: MachinesTable;
}

/** How long the driver saw something take. */
export interface Took {
  readonly ms: number;
}

/** What came of one number of machines. */
export interface Measured {
  readonly size: number;
  /** Of so many rounds together. */
  readonly rounds: number;
  readonly created: Phase;
  readonly deleted: Phase;
  readonly bareCreated: Phase;
  readonly bareDeleted: Phase;
  readonly memoryKb: number;
  readonly bareMemoryKb: number;
  /** While nothing happened. */
  readonly atRest: Phase;
  readonly bareAtRest: Phase;
  readonly leftovers: readonly string[];
}

const WARM = 200;
/** Long enough for what is done every few seconds; with many machines for what is done every minute as well. */
const restMs = (machines: number) => (machines < 10_000 ? 10_000 : 60_000);
/** A stretch as long as this gives a steady figure. */
const LEAST_MACHINES = 2_000;
const MOST_ROUNDS = 3;
const LATENCY_MACHINES = 1_000;

/** Measures with one Kubernetes, one number of machines after the other. */
export async function measureOn(kubernetes: Kubernetes, { programs, sizes, table }: Plan): Promise<void> {
  const simulator = startChild([programs.simulator]);
  const driver = startChild([programs.driver]);
  const bare = startChild(["--expose-gc", programs.bare]);
  let manager: Manager | undefined;
  try {
    const { settings, admin: harvesterKubeconfig } = await furnish(kubernetes, simulator);
    const { kubeconfig } = kubernetes;
    await driver.ask("open", { kubeconfig });
    await bare.ask("open", { kubeconfig, harvesterKubeconfig, settings });
    manager = await startManager(programs.launcher, { kubeconfig, folder: join(programs.folder, "manager") });
    const stage = { table, kubernetes, simulator, driver, bare, manager };
    // Code is compiled and connections are made beforehand, everybody's alike.
    for (const areCopies of [true, false]) await live(stage, { names: namesOf("warm", WARM), areCopies });
    const measured: Measured[] = [];
    for (const size of sizes) {
      const one = await measure(stage, size);
      measured.push(one);
      tellLife(table, one);
      if (size === LATENCY_MACHINES) await measureLatency(stage, { size, perSecond: rate(one.created, one) });
    }
    tellGrowth(table, measured);
  } finally {
    await manager?.stop();
    for (const child of [bare, driver, simulator]) await child.stop();
  }
}

function rate({ ms }: Phase, { size, rounds }: Measured): number {
  return (size * rounds * 1000) / ms;
}

function namesOf(mark: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${mark}-${at}`);
}

interface Lives {
  readonly names: readonly string[];
  /** Whether they are the bare client's. */
  readonly areCopies: boolean;
}

async function live({ driver }: Stage, lives: Lives): Promise<void> {
  await driver.ask<Took>("create", { ...lives, phase: "Running" });
  await driver.ask<Took>("delete", lives);
}

/** What is going on, for people who wait. */
export function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

/** In rounds, so that a busy moment of the machine hits both alike. They take turns in beginning. */
async function measure(stage: Stage, size: number): Promise<Measured> {
  const rounds = Math.min(MOST_ROUNDS, Math.max(1, Math.ceil(LEAST_MACHINES / size)));
  const ours: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    progress(`${size} machines, round ${round + 1} of ${rounds}`);
    const names = namesOf(`m${size}-${round}`, size);
    const turns = round % 2 === 0 ? [theirs, ours] : [ours, theirs];
    for (const turn of turns) turn.push(await playRound(stage, { names, areCopies: turn === theirs }));
  }
  return {
    size,
    rounds,
    created: sum(ours.map(({ created }) => created)),
    deleted: sum(ours.map(({ deleted }) => deleted)),
    bareCreated: sum(theirs.map(({ created }) => created)),
    bareDeleted: sum(theirs.map(({ deleted }) => deleted)),
    memoryKb: middle(ours.map(({ memoryKb }) => memoryKb)),
    bareMemoryKb: middle(theirs.map(({ memoryKb }) => memoryKb)),
    atRest: sum(ours.map(({ atRest }) => atRest)),
    bareAtRest: sum(theirs.map(({ atRest }) => atRest)),
    leftovers: await stage.simulator.ask<readonly string[]>("leftovers"),
  };
}

/** With few machines a single collection of something else is as large as all of them. */
function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

interface Round extends Pick<Measured, "created" | "deleted" | "atRest" | "memoryKb"> {}

async function playRound(stage: Stage, lives: Lives): Promise<Round> {
  const { driver, manager, bare } = stage;
  const memoryInUse = () => (lives.areCopies ? bare.ask<number>("memory") : manager.memoryKb());
  const before = await memoryInUse();
  const created = await counted(stage, () => driver.ask<Took>("create", { ...lives, phase: "Running" }));
  const memoryKb = (await memoryInUse()) - before;
  const atRest = await counted(stage, async () => {
    const ms = restMs(lives.names.length);
    await delay(ms);
    return { ms };
  });
  const deleted = await counted(stage, () => driver.ask<Took>("delete", lives));
  return { created, deleted, atRest, memoryKb: memoryKb / lives.names.length };
}
