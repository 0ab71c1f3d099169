// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackage } from "../scripts/build-package.ts";
import { childCpuMs } from "./child-cpu.ts";

const rounds = 11;
const limit = 2.5;
const root = fileURLToPath(new URL("..", import.meta.url));

/** How much CPU `butleradm --help` takes beside an empty Node, from the sources and from the bundle. */
export async function bench(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "butler-bench-"));
  try {
    const packed = await buildPackage(root, join(folder, "package"));
    return compare({
      "node -e 0": ["-e", "0"],
      "butleradm --help, sources": [join(root, "bin/butleradm.js"), "--help"],
      "butleradm --help, bundle": [join(packed, "bin/butleradm.js"), "--help"],
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Interleaved, so that a busy moment of the machine hits all alike. The first of them is what the others are held against. */
function compare(commands: Readonly<Record<string, readonly string[]>>): number {
  const times = new Map(Object.keys(commands).map((name): [string, number[]] => [name, []]));
  // Once unmeasured: the first run fills the compile cache.
  for (const words of Object.values(commands)) childCpuMs(words);
  for (let round = 0; round < rounds; round++) {
    for (const [name, words] of Object.entries(commands)) times.get(name)?.push(childCpuMs(words));
  }
  const medians = [...times].map(([name, list]): [string, number] => [name, median(list)]);
  const base = medians[0]?.[1] ?? 1;
  for (const [name, value] of medians) {
    process.stdout.write(
      `${name.padEnd(28)}${value.toFixed(1).padStart(7)} ms CPU   ratio ${(value / base).toFixed(2)}\n`,
    );
  }
  const isFine = medians.every(([, value]) => value / base <= limit);
  process.stdout.write(`median of ${rounds}, limit ${limit}: ${isFine ? "kept" : "exceeded"}\n`);
  return isFine ? 0 : 1;
}

function median(list: readonly number[]): number {
  return [...list].sort((one, other) => one - other)[Math.floor(list.length / 2)] ?? Number.NaN;
}
