// SPDX-License-Identifier: Apache-2.0
import { soak } from "../src/engine/testing/soak/soak.ts";
import type { BenchValues } from "./options.ts";
import { harvesterSoak } from "./soak-harvester.ts";
import { heapRatio, line, mostCalls, table, weeksOf } from "./soak-table.ts";

/** What the heap of the manager may be at the end of a week, beside the first. */
const MOST_HEAP = 1.1;
/** Calls to the infrastructure in a day: looking and checking takes some 8,000 however many machines there are, trouble as many again. */
const MOST_CALLS = { perDay: 20_000, perMachineAndDay: 40 };
/** After these days nobody kills the manager that leads: its heap shows what weeks do to it. */
const DAYS_WITH_KILLS = 2;

/**
 * Four simulated weeks with 500 machines, of which some are deleted and made anew each hour, and with all that can go wrong. Gives 0
 * when every state was explained, nothing was forgotten or left, and the manager holds no more memory than after the first week.
 */
export async function bench({ count }: BenchValues): Promise<number> {
  const [machines, days, seed] = [count("machines"), count("days"), count("seed")];
  const began = performance.now();
  const minutes = () => (performance.now() - began) / 60_000;
  print(`${days} simulated days with ${machines} machines, seed ${seed}`);
  const report = await soak({
    ...harvesterSoak(),
    machines,
    days,
    seed,
    killsUntilDay: DAYS_WITH_KILLS,
    onDay: (day) => print(`day ${day.day}, after ${minutes().toFixed(1)} min: ${line(day)}`),
  });
  const weeks = weeksOf(report.days);
  print(`\n${table(weeks)}`);
  const [ratio, calls] = [heapRatio(weeks), mostCalls(weeks)];
  const callLimit = MOST_CALLS.perDay + MOST_CALLS.perMachineAndDay * machines;
  const verdicts: readonly (readonly [string, boolean])[] = [
    [`what must not be, and was: ${report.wrongs.length}`, report.wrongs.length === 0],
    [`heap of any week beside the first: ${ratio.toFixed(2)}, most ${MOST_HEAP}`, ratio <= MOST_HEAP],
    [`calls to the infrastructure per day: ${calls.toFixed(0)}, most ${callLimit}`, calls <= callLimit],
  ];
  for (const wrong of report.wrongs) print(`WRONG ${wrong}`);
  for (const [text, isKept] of verdicts) print(`${text}: ${isKept ? "kept" : "MISSED"}`);
  print(`${(report.days.length / minutes()).toFixed(2)} simulated days per minute, ${minutes().toFixed(1)} min in all`);
  return verdicts.every(([, isKept]) => isKept) ? 0 : 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
