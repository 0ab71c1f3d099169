// SPDX-License-Identifier: Apache-2.0
import type { Cast } from "./course.ts";
import type { Delay } from "./outsider.ts";

/** What happened in a day, or in several. */
export interface Period {
  /** The last of them, from 1. */
  readonly day: number;
  readonly days: number;
  readonly machines: number;
  /** Requests made and deleted, and machines made. */
  readonly asked: number;
  readonly deleted: number;
  readonly made: number;
  /** Faults by side and kind, and what became of managers. */
  readonly faults: ReadonlyMap<string, number>;
  readonly fates: ReadonlyMap<string, number>;
  /** Requests to the infrastructure and to Kubernetes, and of the latter those that write, leases left out. */
  readonly calls: number;
  readonly requests: number;
  readonly writes: number;
  /** What the manager that leads holds after a collection at the end, and how old it is then. */
  readonly heapBytes: number;
  readonly managerAgeMs: number;
  readonly delays: readonly Delay[];
  /** How many requests are in which state at the end. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** Writes down what happens. */
export interface Ledger {
  /** Everything since it was last closed. */
  close(day: number, reasons: ReadonlyMap<string, number>): Promise<Period>;
}

/** Begins to write down. */
export function createLedger({ world, crew, population, weather, audit, outsider }: Cast): Ledger {
  let writes = 0;
  world.onServed((side, { method, path }, { status }) => {
    if (side === "kubernetes" && method !== "GET" && status < 300 && !path.includes("/leases")) writes += 1;
  });
  const now = () => ({
    asked: population.asked,
    deleted: population.deleted,
    made: audit.machinesEver,
    calls: world.traffic.count("infrastructure"),
    requests: world.traffic.count("kubernetes"),
    writes,
  });
  let before = { ...now(), faults: new Map(weather.faults), fates: new Map(crew.fates) };
  return {
    async close(day, reasons) {
      const [leader] = crew.alive;
      const { heapBytes = 0 } = (await leader?.measure()) ?? {};
      const after = { ...now(), faults: new Map(weather.faults), fates: new Map(crew.fates) };
      const period: Period = {
        day,
        days: 1,
        machines: population.names.size,
        asked: after.asked - before.asked,
        deleted: after.deleted - before.deleted,
        made: after.made - before.made,
        faults: difference(after.faults, before.faults),
        fates: difference(after.fates, before.fates),
        calls: after.calls - before.calls,
        requests: after.requests - before.requests,
        writes: after.writes - before.writes,
        heapBytes,
        managerAgeMs: world.clock.monotonic() - (leader?.startedAtMs ?? 0),
        delays: outsider.takeDelays(),
        reasons,
      };
      before = after;
      world.traffic.forget();
      return period;
    },
  };
}

function difference(after: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...after].map(([key, count]) => [key, count - (before.get(key) ?? 0)]));
}

/** Several days as one. There must be at least one. */
export function together(days: readonly Period[]): Period {
  const last = days.at(-1);
  if (last === undefined) throw new Error("there is no day");
  const sum = (of: (day: Period) => number) => days.reduce((all, day) => all + of(day), 0);
  const merged = (of: (day: Period) => ReadonlyMap<string, number>) => {
    const all = new Map<string, number>();
    for (const day of days) for (const [key, count] of of(day)) all.set(key, (all.get(key) ?? 0) + count);
    return all;
  };
  return {
    ...last,
    days: sum((day) => day.days),
    asked: sum((day) => day.asked),
    deleted: sum((day) => day.deleted),
    made: sum((day) => day.made),
    calls: sum((day) => day.calls),
    requests: sum((day) => day.requests),
    writes: sum((day) => day.writes),
    faults: merged((day) => day.faults),
    fates: merged((day) => day.fates),
    delays: days.flatMap(({ delays }) => delays),
  };
}
