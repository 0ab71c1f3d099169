// SPDX-License-Identifier: Apache-2.0
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LivedLife } from "./lives.ts";
import type { Mutant } from "./mutant.ts";

/** What has become of a mutant. */
export interface MutantFate {
  readonly mutant: Mutant;
  readonly lived: LivedLife;
  /** What the oracle saw that it should: the first violation of the expected rule; undefined where the mutant survived. */
  readonly caughtBy: string | undefined;
}

/** One after the other on each core: a life keeps one busy. */
const AT_ONCE = 2;

/** Lets each mutant live its life in a process of its own. Rejects where one does not come to its end. */
export async function runMutants(mutants: readonly Mutant[], signal: AbortSignal): Promise<readonly MutantFate[]> {
  const fates: MutantFate[] = [];
  const left = [...mutants];
  const work = async () => {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      const [lived] = await run([mutant.name], signal);
      if (lived === undefined) throw new Error(`mutant "${mutant.name}" has lived no life`);
      const { rule } = mutant;
      fates.push({ mutant, lived, caughtBy: lived.violations.find(({ kind }) => kind === rule)?.text });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return fates.toSorted((one, other) => mutants.indexOf(one.mutant) - mutants.indexOf(other.mutant));
}

/** Lets the product as it is live the lives of all mutants. */
export function runProduct(signal: AbortSignal): Promise<readonly LivedLife[]> {
  return run([], signal);
}

const MOST_OUTPUT = 64 * 1024 * 1024;
/** One that does not come to its end has gone wrong in a way that proves nothing. */
const TIME_LIMIT_MS = 3 * 60_000;

async function run(names: readonly string[], signal: AbortSignal): Promise<readonly LivedLife[]> {
  const program = join(import.meta.dirname, "live-mutant.ts");
  const options = { signal, maxBuffer: MOST_OUTPUT, timeout: TIME_LIMIT_MS };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...names], options);
  const lived: readonly LivedLife[] = JSON.parse(stdout);
  return lived;
}

/** For people: each mutant, and by what it was caught. */
export function fatesText(fates: readonly MutantFate[]): string {
  const rows = fates.map(({ mutant: { name, rule }, lived: { life, seconds, violations }, caughtBy }) => [
    name,
    caughtBy === undefined
      ? `SURVIVED (${violations.map(({ kind }) => kind).join(", ") || "nothing was seen"})`
      : `${rule}: ${shortened(caughtBy)}`,
    life,
    seconds.toFixed(1),
  ]);
  const head = ["mutant", "caught by", "life", "seconds"];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const LONGEST = 90;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line;
}
