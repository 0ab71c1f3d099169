// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { openStore } from "../index.ts";
import { objectOf } from "./objects.ts";

/** Short, so that rows are deleted during the storm; longer than what one storm writes, so that nothing of it is missed. */
export const STORM_HISTORY = 1000;

/** What a storm says on its standard output, a line each: the revision it found, then every write that was acknowledged. */
export type StormLine =
  | { readonly opened: number }
  | { readonly revision: number; readonly key: string; readonly value: unknown; readonly isDeleted: boolean };

/** Runs in a process of its own: writes until it is killed or has done all, and says what was acknowledged. */
export async function storm(dir: string, writers: number, writesEach: number): Promise<void> {
  const store = openStore({ dir }, { historyLength: STORM_HISTORY });
  say({ opened: store.revision });
  await Promise.all(Array.from({ length: writers }, writeOn));

  async function writeOn(_: unknown, writer: number): Promise<void> {
    for (let count = 0; count < writesEach; count++) {
      // Writers meet on the same keys, and every third write finds something to delete.
      const key = `/things/default/t${(count * 7 + writer) % 40}`;
      let isDeleted = false;
      const entry = await store.write(key, (current, revision) => {
        isDeleted = current !== undefined && count % 3 === 0;
        return isDeleted ? "delete" : { put: objectOf(key, revision, textOf(writer, count)) };
      });
      if (entry !== undefined) say({ revision: entry.revision, key, value: entry.object.value, isDeleted });
    }
  }
}

/** Of different lengths, up to several pages. */
function textOf(writer: number, count: number): string {
  return `${writer} ${count} ${"x".repeat((count * 997) % 5000)}`;
}

/** Synchronous: what is said is with the reader before anything else happens. */
function say(line: StormLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** The command that runs a storm. */
export function stormCommand(dir: string, writers: number, writesEach: number): [string, ...string[]] {
  const script = `import { storm } from ${JSON.stringify(import.meta.url)};
    const [dir, writers, writesEach] = process.argv.slice(1);
    await ${storm.name}(dir, Number(writers), Number(writesEach));`;
  return [process.execPath, "--input-type=module", "--eval", script, dir, String(writers), String(writesEach)];
}

/** Starts a storm and kills it, without mercy, as soon as it has said so many lines. Gives all that it said. */
export async function killedStorm(dir: string, lineCount: number): Promise<StormLine[]> {
  const [command, ...words] = stormCommand(dir, 8, 1000);
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  let lines = 0;
  for await (const chunk of child.stdout) {
    text += chunk;
    lines += String(chunk).split("\n").length - 1;
    if (lines >= lineCount) child.kill("SIGKILL");
  }
  await ended(child);
  // The last line may have been cut by the kill.
  return text
    .split("\n")
    .slice(0, -1)
    .map((line): StormLine => JSON.parse(line));
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once("exit", resolve));
}
