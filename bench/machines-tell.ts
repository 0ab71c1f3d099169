// SPDX-License-Identifier: Apache-2.0
import { type Counts, type Phase, total } from "./machines-counted.ts";
import type { Measured } from "./machines-run.ts";
import type { MachinesTable, Reach } from "./machines-table.ts";

/** The machine, and the Secret with its user data. */
const CREATES = 2;
/** Launch, Creating, Running; and Deleting, Deleted, the finalizer. */
const WRITES = 3;
/** What all machines share: lists, watches, rights, the ProviderConfig's own status. */
const SHARED = 60;

/** All that was measured of one number of machines. */
export function tellLife(table: MachinesTable, measured: Measured): void {
  const { size, rounds, created, deleted, bareCreated, bareDeleted, leftovers } = measured;
  const machines = size * rounds;
  const create: Both = { machines, ours: created, theirs: bareCreated };
  const remove: Both = { machines, ours: deleted, theirs: bareDeleted };
  table.tell(`\n${size} machines${rounds === 1 ? "" : `, ${rounds} times`}`);
  tellRates(table, "created", create);
  tellOutside(table, create, { most: CREATES + SHARED / machines });
  tellWrites(table, create, { driver: "POST machinerequests", events: 2 });
  tellRates(table, "deleted", remove);
  tellOutside(table, remove);
  tellWrites(table, remove, { driver: "DELETE machinerequests", events: 1 });
  tellUse(table, measured);
  table.add("left on the infrastructure", {
    value: leftovers.length,
    unit: "objects",
    reach: { most: 0 },
    ratio: { to: "the machines made", value: leftovers.length / machines },
  });
}

/** What the manager takes for itself. */
function tellUse(table: MachinesTable, measured: Measured): void {
  const { size, rounds, bareCreated, bareDeleted, atRest, bareAtRest, memoryKb, bareMemoryKb } = measured;
  const life = lifeCpuMs(measured);
  const bareLife = (bareCreated.cpu.bare + bareDeleted.cpu.bare) / (size * rounds);
  table.add("CPU of the manager per life", { value: life, unit: "ms", ratio: bareRatio(life, bareLife) });
  const rest = (atRest.cpu.manager / atRest.spanMs) * 100;
  const bareRest = (bareAtRest.cpu.bare / bareAtRest.spanMs) * 100;
  const unit = "% of a core";
  table.add(`CPU of the bare client at rest with ${size} machines`, { value: bareRest, unit });
  table.add(`CPU of the manager at rest with ${size} machines`, {
    value: rest,
    unit,
    ratio: bareRatio(rest, bareRest),
  });
  table.add("memory of the bare client per machine, after collection", { value: bareMemoryKb, unit: "KiB" });
  table.add("memory of the manager per machine, after collection", {
    value: memoryKb,
    unit: "KiB",
    ratio: bareRatio(memoryKb, bareMemoryKb),
  });
}

/** No number where the bare client took nothing that could be measured: CPU time is counted in hundredths of a second. */
function bareRatio(ours: number, theirs: number) {
  return { to: "the bare client's", value: theirs > 0 ? ours / theirs : Number.NaN };
}

function lifeCpuMs({ created, deleted, size, rounds }: Measured): number {
  return (created.cpu.manager + deleted.cpu.manager) / (size * rounds);
}

/** What the manager did and what the bare client did, for as many machines each. */
interface Both {
  readonly machines: number;
  readonly ours: Phase;
  readonly theirs: Phase;
}

function tellRates(table: MachinesTable, what: string, { machines, ours, theirs }: Both): void {
  const perSecond = (machines * 1000) / ours.ms;
  const least = (machines * 1000) / theirs.ms;
  table.add(`${what} by the bare client`, { value: least, unit: "machines/s" });
  table.tell(`  CPU ms each: ${cpuText(theirs, machines)}`);
  table.add(`${what} by the manager`, {
    value: perSecond,
    unit: "machines/s",
    ratio: { ...bareRatio(perSecond, least), reach: { least: 0.6 } },
  });
  table.tell(`  CPU ms each: ${cpuText(ours, machines)}`);
}

function cpuText({ cpu }: Phase, machines: number): string {
  return Object.entries(cpu)
    .filter(([, ms]) => ms / machines >= 0.01)
    .map(([name, ms]) => `${name} ${(ms / machines).toFixed(2)}`)
    .join(", ");
}

function tellOutside(table: MachinesTable, { machines, ours, theirs }: Both, reach?: Reach): void {
  const value = total(ours.outside) / machines;
  table.add("outside calls per machine", {
    value,
    unit: "",
    ...(reach === undefined ? {} : { reach }),
    ratio: bareRatio(value, total(theirs.outside) / machines),
  });
  table.tell(`  manager: ${perMachine(ours.outside, machines)}`);
  table.tell(`  bare client: ${perMachine(theirs.outside, machines)}`);
}

interface Writes {
  /** What the driver sends itself, once for each machine. */
  readonly driver: string;
  readonly events: number;
}

function tellWrites(table: MachinesTable, { machines, ours, theirs }: Both, { driver, events }: Writes): void {
  const own = writesOf(ours, { [driver]: machines });
  const bare = writesOf(theirs, { [driver]: machines });
  const add = (name: string, count: (counts: Counts) => number, reach: Reach) => {
    const value = count(own) / machines;
    table.add(name, { value, unit: "", reach, ratio: bareRatio(value, count(bare) / machines) });
  };
  const told = (counts: Counts) => counts["POST events"] ?? 0;
  add("Kubernetes writes per machine, besides events", (counts) => total(counts) - told(counts), {
    most: WRITES + SHARED / machines,
  });
  add("events per machine", told, { least: events, most: events * 1.02 });
  table.tell(`  manager: ${perMachine(own, machines)}; besides, to say who leads: ${leasesText(ours)}`);
  table.tell(`  bare client: ${perMachine(bare, machines)}`);
}

function leasesText({ inside, spanMs }: Phase): string {
  const count = total(Object.fromEntries(Object.entries(inside).filter(([name]) => isLease(name))));
  return `${((count * 1000) / spanMs).toFixed(2)} writes and reads of Leases a second`;
}

function isLease(name: string): boolean {
  return name.endsWith(" leases");
}

/** What was written to Kubernetes, without what the driver has sent itself. */
function writesOf({ inside }: Phase, driver: Counts): Counts {
  return Object.fromEntries(
    Object.entries(inside)
      // Whoever leads says so, whatever there is to do.
      .filter(([name]) => !name.startsWith("GET") && !isLease(name))
      .map(([name, count]): [string, number] => [name, count - (driver[name] ?? 0)])
      .filter(([, count]) => count !== 0),
  );
}

function perMachine(counts: Counts, machines: number): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${(count / machines).toFixed(3)}`)
    .join(", ");
}

/** What many machines cost each, beside few. */
export function tellGrowth(table: MachinesTable, measured: readonly Measured[]): void {
  const first = measured[0];
  const last = measured.at(-1);
  if (first === undefined || last === undefined || first === last) return;
  table.tell(`\n${last.size} machines against ${first.size}`);
  const reach = { most: 1.2 };
  const to = `that at ${first.size}`;
  const life = lifeCpuMs(last);
  table.add("CPU of the manager per life", {
    value: life,
    unit: "ms",
    ratio: { to, value: life / lifeCpuMs(first), reach },
  });
  // What belongs to no machine would be a large part of what a hundred seem to take: each step is held against the first.
  const steps = measured.slice(1).map((more, at) => marginal(measured[at] ?? first, more));
  for (const { name, value } of steps) {
    const beside =
      steps[0]?.name === name ? {} : { ratio: { to: "the first", value: value / (steps[0]?.value ?? 0), reach } };
    table.add(name, { value, unit: "KiB", ...beside });
  }
}

function marginal(before: Measured, more: Measured): { readonly name: string; readonly value: number } {
  const value = (more.memoryKb * more.size - before.memoryKb * before.size) / (more.size - before.size);
  return { name: `memory of the manager per machine, from ${before.size} to ${more.size}`, value };
}
