// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// Node tells a process its own use only, so the child has to tell.
const reporter = fileURLToPath(new URL("report-cpu.cjs", import.meta.url));

/** The CPU time, user and system, that Node takes to run with these arguments, in milliseconds. Throws if it fails. */
export function childCpuMs(words: readonly string[]): number {
  const { status, output } = spawnSync(process.execPath, ["--require", reporter, ...words], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`node ${words.join(" ")} ended with ${status}`);
  return Number(output[3]) / 1000;
}
