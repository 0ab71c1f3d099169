// SPDX-License-Identifier: Apache-2.0
import { type Period, together } from "../src/engine/testing/soak/ledger.ts";

const WEEK = 7;
const MEGABYTE = 1_000_000;
const DAY_MS = 86_400_000;

/** The days of each week as one. */
export function weeksOf(days: readonly Period[]): readonly Period[] {
  const weeks = Array.from({ length: Math.ceil(days.length / WEEK) }, (_, week) =>
    days.slice(week * WEEK, (week + 1) * WEEK),
  );
  return weeks.map(together);
}

/** What each week's heap is beside the first one's, the greatest. */
export function heapRatio(weeks: readonly Period[]): number {
  const first = weeks[0]?.heapBytes ?? Number.NaN;
  return Math.max(...weeks.map(({ heapBytes }) => heapBytes / first));
}

/** Calls to the infrastructure per day, in the week that had most. */
export function mostCalls(weeks: readonly Period[]): number {
  return Math.max(...weeks.map(({ calls, days }) => calls / days));
}

/** One line about a period. */
export function line(period: Period): string {
  const { asked, deleted, made, faults, calls, writes, heapBytes, managerAgeMs, delays } = period;
  const age = (managerAgeMs / DAY_MS).toFixed(1);
  return [
    `${asked} requests made, ${deleted} deleted, ${made} machines`,
    `${sum(faults)} faults`,
    `${calls} calls (${callsPerMachineDay(period).toFixed(1)} per machine and day)`,
    `${writes} writes`,
    `heap ${(heapBytes / MEGABYTE).toFixed(1)} MB after ${age} days`,
    `${delays.length} changes by an outsider noticed, the last after ${longest(period, true)}, in trouble ${longest(period, false)}`,
  ].join(", ");
}

/** The weeks, one column each. */
export function table(weeks: readonly Period[]): string {
  const row = (name: string, of: (week: Period) => string) =>
    `${name.padEnd(44)}${weeks.map((week) => of(week).padStart(11)).join("")}\n`;
  const faults = [...new Set(weeks.flatMap((week) => [...week.faults.keys(), ...week.fates.keys()]))].sort();
  return [
    row("", ({ day }) => `to day ${day}`),
    row("requests made", ({ asked }) => `${asked}`),
    row("requests deleted", ({ deleted }) => `${deleted}`),
    row("machines made", ({ made }) => `${made}`),
    row("calls to the infrastructure", ({ calls }) => `${calls}`),
    row("  per machine and day", (week) => callsPerMachineDay(week).toFixed(1)),
    row("requests to Kubernetes", ({ requests }) => `${requests}`),
    row("writes to Kubernetes", ({ writes }) => `${writes}`),
    row("heap of the manager, MB", ({ heapBytes }) => (heapBytes / MEGABYTE).toFixed(1)),
    row("  its age, days", ({ managerAgeMs }) => (managerAgeMs / DAY_MS).toFixed(1)),
    row("changes by an outsider, noticed", ({ delays }) => `${delays.length}`),
    row("  the last after, quiet hours", (week) => longest(week, true)),
    row("  the last after, others", (week) => longest(week, false)),
    ...["VMRunning", "VMStopped", "VMLost"].map((reason) =>
      row(`requests ${reason} at the end`, ({ reasons }) => `${reasons.get(reason) ?? 0}`),
    ),
    ...faults.map((name) => row(name, (week) => `${week.faults.get(name) ?? week.fates.get(name) ?? 0}`)),
  ].join("");
}

function callsPerMachineDay({ calls, machines, days }: Period): number {
  return calls / machines / days;
}

function longest({ delays }: Period, isQuiet: boolean): string {
  const fitting = delays.filter((delay) => delay.isQuiet === isQuiet).map(({ ms }) => ms);
  return fitting.length === 0 ? "-" : `${(Math.max(...fitting) / 1000).toFixed(0)} s`;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, count) => all + count, 0);
}
