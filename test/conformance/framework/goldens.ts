// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Suite, Transcript } from "./types.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** What a real server answered, by the case's name. */
export type Goldens = Readonly<Record<string, Transcript>>;

/** The recorded answers of a category; empty where nothing was recorded yet. */
export function readGoldens(category: string): Goldens {
  const path = pathOf(category);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Goldens) : {};
}

/** Writes what was answered now. Cases that did not run keep what they had; cases that are no more are dropped. */
export function writeGoldens({ category, cases }: Suite, answered: ReadonlyMap<string, Transcript>): void {
  const before = readGoldens(category);
  const entries = cases.flatMap(({ name }) => {
    const transcript = answered.get(name) ?? before[name];
    return transcript === undefined ? [] : [[name, transcript] as const];
  });
  writeFileSync(pathOf(category), `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
  execFileSync(join(ROOT, "node_modules", ".bin", "biome"), ["format", "--write", pathOf(category)], {
    stdio: "ignore",
  });
}

function pathOf(category: string): string {
  return join(import.meta.dirname, "..", "goldens", `${category}.json`);
}
