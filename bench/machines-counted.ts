// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from "node:timers/promises";
import { type Child, cpuMs } from "./machines-child.ts";
import type { Manager } from "./machines-manager.ts";
import type { Kubernetes } from "./machines-servers.ts";

/** The processes, each of which is looked at. */
export interface Watched {
  readonly kubernetes: Kubernetes;
  readonly simulator: Child;
  readonly driver: Child;
  readonly bare: Child;
  readonly manager: Manager;
}

const PROCESSES = ["manager", "bare", "driver", "simulator", "kubernetes"] as const;

/** Numbers by name. */
export type Counts = Readonly<Record<string, number>>;

/** What everybody did for a while. */
export interface Phase {
  /** How long it took. */
  readonly ms: number;
  /** From the first look to the last: until all was quiet. CPU time is of all of it. */
  readonly spanMs: number;
  /** CPU time by process, in milliseconds. */
  readonly cpu: Readonly<Record<(typeof PROCESSES)[number], number>>;
  /** Requests to the infrastructure, by what they were. */
  readonly outside: Counts;
  /** Requests to Kubernetes: `PUT machinerequests/status`. */
  readonly inside: Counts;
}

/** Does something and counts what everybody did meanwhile, until all is quiet again. */
export async function counted(watched: Watched, run: () => Promise<{ readonly ms: number }>): Promise<Phase> {
  const before = await look(watched);
  const { ms } = await run();
  await quiet(watched);
  const after = await look(watched);
  const cpu = Object.fromEntries(PROCESSES.map((name) => [name, after.cpu[name] - before.cpu[name]]));
  return {
    ms,
    spanMs: after.at - before.at,
    cpu: { manager: 0, bare: 0, driver: 0, simulator: 0, kubernetes: 0, ...cpu },
    outside: difference(before.outside, after.outside),
    inside: difference(before.inside, after.inside),
  };
}

async function look({ kubernetes, simulator, driver, bare, manager }: Watched) {
  return {
    at: performance.now(),
    cpu: {
      manager: await cpuMs([manager.pid]),
      bare: await cpuMs([bare.pid]),
      driver: await cpuMs([driver.pid]),
      simulator: await cpuMs([simulator.pid]),
      kubernetes: await kubernetes.cpuMs(),
    },
    outside: await simulator.ask<Counts>("counts"),
    inside: await kubernetes.counts(),
  };
}

/** Events are written a little later than what they tell of. */
async function quiet({ kubernetes }: Watched): Promise<void> {
  const count = async () => (await kubernetes.counts())["POST events"] ?? 0;
  for (let last = -1, now = await count(); now !== last; now = await count()) {
    last = now;
    await delay(500);
  }
}

function difference(before: Counts, after: Counts): Counts {
  const entries = Object.entries(after).map(([name, count]): [string, number] => [name, count - (before[name] ?? 0)]);
  return Object.fromEntries(entries.filter(([, count]) => count !== 0));
}

/** All of them together. */
export function sum(phases: readonly Phase[]): Phase {
  return phases.reduce((one, other) => ({
    ms: one.ms + other.ms,
    spanMs: one.spanMs + other.spanMs,
    cpu: { ...one.cpu, ...added(one.cpu, other.cpu) },
    outside: added(one.outside, other.outside),
    inside: added(one.inside, other.inside),
  }));
}

function added(one: Counts, other: Counts): Counts {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

/** All of the counts together. */
export function total(counts: Counts): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}
