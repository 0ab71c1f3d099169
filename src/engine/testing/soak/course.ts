// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../../../api/index.ts";
import { secret as secretKind } from "../../../kube/index.ts";
import { SYSTEM_NAMESPACE } from "../../names.ts";
import type { RunningSimulator } from "../simulator.ts";
import type { World } from "../sweep/world.ts";
import type { Audit } from "./audit.ts";
import type { Crew } from "./crew.ts";
import type { HourPlan } from "./day-plan.ts";
import type { Hazards } from "./hazards.ts";
import type { Lockstep } from "./lockstep.ts";
import { type Outsider, readyReason } from "./outsider.ts";
import type { Population } from "./population.ts";
import type { Weather } from "./weather.ts";

/** Who takes part. */
export interface Cast<Sim extends RunningSimulator = RunningSimulator> {
  readonly world: World<Sim>;
  readonly lockstep: Lockstep;
  readonly crew: Crew;
  readonly population: Population;
  readonly outsider: Outsider;
  readonly weather: Weather;
  readonly audit: Audit;
  readonly hazards: Hazards<Sim>;
  readonly random: () => number;
  readonly onWrong: (wrong: string) => void;
  /** How many machines are deleted and made anew each hour. */
  readonly churn: number;
}

interface Act {
  readonly minute: number;
  readonly run: () => Promise<void> | void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Plays one hour: people come and go, somebody meddles with machines, and what was planned goes wrong. */
export async function playHour<Sim extends RunningSimulator>(plan: HourPlan, cast: Cast<Sim>): Promise<void> {
  cast.weather.sky = plan.sky;
  await play([...churnActs(cast), ...meddlingActs(cast), ...hazardActs(plan, cast), ...glances(cast)], cast);
  cast.weather.sky = "clear";
}

/** Plays the last hour of a day, in which nothing goes wrong and nobody changes their mind; a sample of machines is meddled with. */
export async function playLastHour(cast: Cast, sample: number): Promise<void> {
  const { population, outsider } = cast;
  const stopSome = async () => {
    for (const name of population.some(sample, runs)) await outsider.stop(name);
  };
  const removeOne = async () => {
    for (const name of population.some(1, runs)) await outsider.remove(name);
  };
  const acts: Act[] = [
    { minute: 1, run: () => outsider.startAll() },
    { minute: 10, run: stopSome },
    { minute: 25, run: () => outsider.startAll() },
    { minute: 40, run: removeOne },
    { minute: 41, run: () => stopOne(cast) },
  ];
  await play([...acts, ...glances(cast)], cast);
}

async function play(acts: readonly Act[], { lockstep }: Pick<Cast, "lockstep">): Promise<void> {
  let nowMs = 0;
  for (const { minute, run } of acts.toSorted((one, other) => one.minute - other.minute)) {
    await lockstep.pass(minute * MINUTE_MS - nowMs);
    nowMs = minute * MINUTE_MS;
    await run();
  }
  await lockstep.pass(HOUR_MS - nowMs);
}

const GLANCES = [19, 39, 59];

function glances({ audit, onWrong }: Cast): readonly Act[] {
  return GLANCES.map((minute) => ({
    minute,
    run() {
      for (const wrong of audit.glance()) onWrong(wrong);
    },
  }));
}

function runs(request: MachineRequest): boolean {
  return request.status?.phase === "Running" && readyReason(request) === "VMRunning";
}

function churnActs({ population, outsider, random, churn }: Cast): readonly Act[] {
  const change = async (count: number) => {
    const left = outsider.unnoticed;
    await population.remove(population.some(count, ({ metadata: { name = "" } }) => !left.has(name)));
    await population.add(count);
  };
  const react = async () => {
    for (const name of outsider.takeRemoved()) {
      if (!population.names.has(name)) continue;
      if (random() < 0.5) await population.retry([name]);
      else {
        await population.remove([name]);
        await population.add(1);
      }
    }
  };
  return [
    { minute: 2 + 20 * random(), run: () => change(Math.ceil(churn / 2)) },
    { minute: 30 + 20 * random(), run: () => change(Math.floor(churn / 2)) },
    { minute: 7, run: react },
    { minute: 55 * random(), run: () => population.relabel(population.some(2, runs)) },
  ];
}

async function stopOne({ population, outsider }: Pick<Cast, "population" | "outsider">): Promise<void> {
  const left = outsider.unnoticed;
  const fits = (request: MachineRequest) => runs(request) && !left.has(request.metadata.name ?? "");
  for (const name of population.some(1, fits)) await outsider.stop(name);
}

function meddlingActs(cast: Cast): readonly Act[] {
  const { population, outsider, random } = cast;
  const removeOne = async () => {
    const left = outsider.unnoticed;
    const fits = (request: MachineRequest) => runs(request) && !left.has(request.metadata.name ?? "");
    if (random() < 0.3) for (const name of population.some(1, fits)) await outsider.remove(name);
  };
  return [
    { minute: 10 + 10 * random(), run: () => stopOne(cast) },
    { minute: 20 + 20 * random(), run: removeOne },
    { minute: 45, run: () => outsider.startAll() },
  ];
}

function hazardActs<Sim extends RunningSimulator>(plan: HourPlan, cast: Cast<Sim>): readonly Act[] {
  const { world, hazards, crew, outsider, random } = cast;
  const { sim } = world;
  const minute = 10 + 10 * random();
  const at = (run: Act["run"]): readonly Act[] => [{ minute, run }];
  switch (plan.hazard) {
    case undefined:
      return [];
    case "outage":
      world.clock.after(HOUR_MS, outsider.excuse);
      return [{ minute: 0, run: () => hazards.outage(sim, HOUR_MS) }];
    case "rotation":
      return [
        { minute, run: () => hazards.expireCredentials(sim) },
        { minute: minute + 5 + 10 * random(), run: () => renew(cast) },
      ];
    case "watches-end":
      return at(() => hazards.cutWatches(sim, "end"));
    case "watches-break":
      return at(() => hazards.cutWatches(sim, "break"));
    case "watches-expire":
      return at(() => hazards.cutWatches(sim, "expire"));
    case "compaction":
      return at(() => world.plane.compact());
    case "kill-before":
    case "kill-after": {
      const { hazard } = plan;
      return at(() => crew.killAt(hazard));
    }
    case "hand-over":
      return [
        { minute, run: crew.add },
        { minute: minute + 10, run: crew.handOver },
      ];
    case "rival":
      return [
        { minute, run: crew.add },
        { minute: minute + 20, run: crew.killYoungest },
      ];
  }
}

async function renew<Sim extends RunningSimulator>({ world, hazards, outsider }: Cast<Sim>): Promise<void> {
  const { secret } = hazards.renewCredentials(world.sim);
  const data = Object.fromEntries(
    Object.entries(secret).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  await world.client.mergePatch(secretKind, { namespace: SYSTEM_NAMESPACE, name: "credentials" }, { data });
  outsider.excuse();
}
