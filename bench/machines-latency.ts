// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from "node:timers/promises";
import { progress, type Stage } from "./machines-run.ts";

interface Pace {
  readonly size: number;
  /** What was reached. */
  readonly perSecond: number;
}

/** From the moment an address is known until the status says Running, while addresses come at half of what was reached. */
export async function measureLatency({ driver, simulator, table }: Stage, { size, perSecond }: Pace): Promise<void> {
  progress("addresses one by one");
  const names = Array.from({ length: size }, (_, at) => `late-${at}`);
  const pace = perSecond / 2;
  await simulator.ask("hold", { isHeld: true });
  await driver.ask("create", { names, phase: "Creating" });
  await simulator.ask("settled");
  await delay(3_000);
  await driver.ask("expect", { phase: "Running", count: size });
  const probing = driver.ask<readonly number[]>("probe", { ms: (900 * size) / pace, everyMs: 50 });
  const known = await simulator.ask<readonly number[]>("release", { names, perSecond: pace });
  const running = await driver.ask<Readonly<Record<string, number>>>("times");
  const roundTrip = quantile(await probing, 0.5);
  const late = names.map((name, at) => (running[name] ?? Number.NaN) - (known[at] ?? Number.NaN));
  table.add("one status write meanwhile, p50", { value: roundTrip, unit: "ms" });
  for (const share of [0.5, 0.99]) {
    const value = quantile(late, share);
    table.add(`address known until Running, at ${pace.toFixed(0)}/s, p${share * 100}`, {
      value,
      unit: "ms",
      ratio: {
        to: "a status write",
        value: value / roundTrip,
        ...(share === 0.99 ? { reach: { most: 10 } } : {}),
      },
    });
  }
  await driver.ask("delete", { names });
  await simulator.ask("hold", { isHeld: false });
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
