// SPDX-License-Identifier: Apache-2.0
import type { RunningSimulator } from "../simulator.ts";
import { seededRandom, seedOf } from "../sweep/seeded-random.ts";
import { raiseWorld, USER_DATA_CANARY, type WorldOptions } from "../sweep/world.ts";
import { createAudit } from "./audit.ts";
import { type Cast, playHour, playLastHour } from "./course.ts";
import { createCrew } from "./crew.ts";
import { planDay } from "./day-plan.ts";
import type { Hazards } from "./hazards.ts";
import { createLedger, type Period } from "./ledger.ts";
import { createLockstep } from "./lockstep.ts";
import { createOutsider } from "./outsider.ts";
import { createPopulation } from "./population.ts";
import { createWeather } from "./weather.ts";

/** A soak: many machines, many days, and much that goes wrong. */
export interface SoakOptions<Sim extends RunningSimulator> extends Pick<WorldOptions<Sim>, "entry" | "simulator"> {
  /** The module that exports the list `providers`, as a URL: managers run in threads and load it there. */
  readonly providersUrl: string;
  readonly hazards: Hazards<Sim>;
  readonly seed: number;
  readonly machines: number;
  readonly days: number;
  /** On which days, from 1, managers that lead are killed and handed over from. The one that leads afterwards stays to the end. */
  readonly killsUntilDay: number;
  /** Told at the end of each day; its heap is that of the manager that leads. */
  readonly onDay?: (day: Period) => void;
}

/** What came of a soak. */
export interface SoakReport {
  readonly days: readonly Period[];
  /** What must never be, and was. */
  readonly wrongs: readonly string[];
}

/** A watch that has gone silent is begun anew within ten minutes, and a look that failed is repeated within one. */
export const LONGEST_UNNOTICED_MS = 12 * 60_000;
/** While something goes wrong: that, twice, and the lease of a manager that died. */
export const LONGEST_IN_TROUBLE_MS = 30 * 60_000;

const HOUR_MS = 3_600_000;

/** Soaks, deletes everything, and looks whether anything is left. The same options give the same course. */
export async function soak<Sim extends RunningSimulator>(options: SoakOptions<Sim>): Promise<SoakReport> {
  const { machines, days, seed } = options;
  const wrongs = new Set<string>();
  const { cast, ledger, setQuiet, stop } = await prepare(options, (wrong) => wrongs.add(wrong));
  const periods: Period[] = [];
  try {
    const { population, lockstep, outsider, random, audit } = cast;
    await begin(cast, machines);
    for (let day = 1; day <= days; day += 1) {
      const plan = planDay(seededRandom(seedOf(seed, `day ${day}`)), { kills: day <= options.killsUntilDay });
      for (const hour of plan.slice(0, -1)) {
        setQuiet(hour.isQuiet);
        await playHour(hour, cast);
      }
      setQuiet(true);
      await playLastHour(cast, Math.ceil(machines / 25 + random()));
      const { wrongs: found, reasons } = audit.inspect();
      for (const wrong of [...found, ...unnoticed(outsider.unnoticed)]) wrongs.add(`day ${day}: ${wrong}`);
      const period = await ledger.close(day, reasons);
      for (const wrong of late(period)) wrongs.add(`day ${day}: ${wrong}`);
      periods.push(period);
      options.onDay?.(period);
    }
    await population.remove([...population.names]);
    const isGone = (name: string) => cast.world.requestNow(name) === undefined;
    await lockstep.until("everything is gone", allOf([...population.leaving], isGone), 2 * HOUR_MS);
    await lockstep.pass(5 * 60_000);
    for (const left of cast.world.sim.leftovers()) wrongs.add(`left behind: ${left}`);
  } finally {
    await stop();
  }
  return { days: periods, wrongs: [...wrongs] };
}

async function prepare<Sim extends RunningSimulator>(options: SoakOptions<Sim>, onWrong: (wrong: string) => void) {
  const { entry, simulator, seed, machines, hazards, providersUrl } = options;
  const world = await raiseWorld({ entry, simulator, seed });
  const crew = createCrew(world, {
    providersUrl,
    provider: entry.name,
    canaries: [USER_DATA_CANARY],
    onLeak: () => onWrong("a secret is in the log"),
    onDesertion: (name, error) => onWrong(`${name} ended: ${error}`),
  });
  const lockstep = createLockstep(world, crew);
  const random = seededRandom(seedOf(seed, "course"));
  const population = createPopulation(world, seededRandom(seedOf(seed, "population")));
  const weather = createWeather(world.traffic, seededRandom(seedOf(seed, "weather")));
  let isQuiet = true;
  const outsider = createOutsider(world, { hazards, isQuiet: () => isQuiet });
  const audit = createAudit(world, population);
  lockstep.onStill(outsider.look);
  const churn = Math.max(1, Math.round(machines / 80));
  const cast: Cast<Sim> = {
    world,
    lockstep,
    crew,
    population,
    outsider,
    weather,
    audit,
    hazards,
    random,
    onWrong,
    churn,
  };
  return {
    cast,
    ledger: createLedger(cast),
    setQuiet(quiet: boolean) {
      isQuiet = quiet;
    },
    async stop() {
      for (const manager of [...crew.alive]) manager.kill();
      await world.stop();
    },
  };
}

/** The first machines come up while nothing goes wrong. */
async function begin({ crew, population, lockstep, world }: Cast, machines: number): Promise<void> {
  crew.add();
  await lockstep.pass(1_000);
  await population.add(machines);
  const isUp = (name: string) => world.requestNow(name)?.status?.phase === "Running";
  await lockstep.until("the first machines run", allOf([...population.names], isUp), 2 * HOUR_MS);
}

/** Whether something has been so of each of them; whoever it was so of is not looked at again. */
function allOf(names: string[], isSo: (name: string) => boolean): () => boolean {
  return () => {
    for (let last = names.at(-1); last !== undefined && isSo(last); last = names.at(-1)) names.pop();
    return names.length === 0;
  };
}

function unnoticed(names: ReadonlySet<string>): readonly string[] {
  return [...names].map((name) => `nobody has noticed what was done to ${name}`);
}

function late({ delays }: Period): readonly string[] {
  const isLate = ({ ms, isQuiet }: Period["delays"][number]) =>
    ms > (isQuiet ? LONGEST_UNNOTICED_MS : LONGEST_IN_TROUBLE_MS);
  return delays
    .filter(isLate)
    .map(({ name, what, ms }) => `${name} was ${what}: told after ${Math.round(ms / 1000)} s`);
}
