// SPDX-License-Identifier: Apache-2.0
import { type Counts, type Phase, total } from "./machines-counted.ts";
import type { Measured } from "./machines-run.ts";
import type { MachinesTable } from "./machines-table.ts";

/** The machine, and the Secret with its user data. */
const CREATES = 2;
/** Launch, Creating, Running; and Deleting, Deleted, the finalizer. */
const WRITES = 3;
/** What all machines share: lists, watches, rights, the ProviderConfig's own status. */
const SHARED = 60;

/** All that was measured of one number of machines. */
export function tellLife(table: MachinesTable, measured: Measured): void {
  const { size, rounds, created, deleted, bareCreated, bareDeleted, atRest, memoryKb, leftovers } = measured;
  const machines = size * rounds;
  table.tell(`\n${size} machines${rounds === 1 ? "" : `, ${rounds} times`}`);
  tellRates(table, "created", { machines, ours: created, theirs: bareCreated });
  tellOutside(table, created, { machines, reach: { most: CREATES + SHARED / machines } });
  tellWrites(table, created, { machines, driver: { "POST machinerequests": machines }, events: 2 });
  tellRates(table, "deleted", { machines, ours: deleted, theirs: bareDeleted });
  tellOutside(table, deleted, { machines });
  tellWrites(table, deleted, { machines, driver: { "DELETE machinerequests": machines }, events: 1 });
  const life = lifeCpuMs(measured);
  const bareLife = (bareCreated.cpu.bare + bareDeleted.cpu.bare) / machines;
  table.add("CPU of the manager per life", {
    value: life,
    unit: "ms",
    ratio: { to: "the bare client's", value: life / bareLife },
  });
  const restShare = (atRest.cpu.manager / atRest.ms) * 100;
  table.add(`CPU of the manager at rest with ${size} machines`, { value: restShare, unit: "% of a core" });
  table.add("memory of the manager per machine, after collection", { value: memoryKb, unit: "KiB" });
  table.add("left on the infrastructure", { value: leftovers.length, unit: "objects", reach: { most: 0 } });
}

function lifeCpuMs({ created, deleted, size, rounds }: Measured): number {
  return (created.cpu.manager + deleted.cpu.manager) / (size * rounds);
}

interface Rates {
  readonly machines: number;
  readonly ours: Phase;
  readonly theirs: Phase;
}

function tellRates(table: MachinesTable, what: string, { machines, ours, theirs }: Rates): void {
  const perSecond = (machines * 1000) / ours.ms;
  const least = (machines * 1000) / theirs.ms;
  table.add(`${what} by the bare client`, { value: least, unit: "machines/s" });
  table.tell(`  CPU ms each: ${cpuText(theirs, machines)}`);
  table.add(`${what} by the manager`, {
    value: perSecond,
    unit: "machines/s",
    ratio: { to: "the bare client's", value: perSecond / least },
    reach: { least: 0.6 },
  });
  table.tell(`  CPU ms each: ${cpuText(ours, machines)}`);
}

function cpuText({ cpu }: Phase, machines: number): string {
  return Object.entries(cpu)
    .filter(([, ms]) => ms / machines >= 0.01)
    .map(([name, ms]) => `${name} ${(ms / machines).toFixed(2)}`)
    .join(", ");
}

interface Outside {
  readonly machines: number;
  readonly reach?: { readonly most: number };
}

function tellOutside(table: MachinesTable, { outside }: Phase, { machines, reach }: Outside): void {
  const value = total(outside) / machines;
  table.add("outside calls per machine", { value, unit: "", ...(reach === undefined ? {} : { reach }) });
  table.tell(`  ${perMachine(outside, machines)}`);
}

interface Writes {
  readonly machines: number;
  /** What the driver has sent itself. */
  readonly driver: Counts;
  readonly events: number;
}

function tellWrites(table: MachinesTable, { inside }: Phase, { machines, driver, events }: Writes): void {
  const own = Object.fromEntries(
    Object.entries(inside)
      // Whoever leads says so, whatever there is to do.
      .filter(([name]) => !name.startsWith("GET") && !name.endsWith("leases"))
      .map(([name, count]): [string, number] => [name, count - (driver[name] ?? 0)])
      .filter(([, count]) => count !== 0),
  );
  const { "POST events": told = 0, ...others } = own;
  table.add("Kubernetes writes per machine, besides events", {
    value: total(others) / machines,
    unit: "",
    reach: { most: WRITES + SHARED / machines },
  });
  table.add("events per machine", { value: told / machines, unit: "", reach: { least: events, most: events * 1.02 } });
  table.tell(`  ${perMachine(own, machines)}`);
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
    ratio: { to, value: life / lifeCpuMs(first) },
    reach,
  });
  for (const [at, { size, memoryKb }] of measured.entries()) {
    const before = measured[at - 1];
    if (before === undefined) continue;
    const value = (memoryKb * size - before.memoryKb * before.size) / (size - before.size);
    const ratio = { to, value: value / first.memoryKb };
    table.add(`memory per machine, from ${before.size} to ${size}`, { value, unit: "KiB", ratio, reach });
  }
}
