// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** What `npm run check` runs, each named after what it finds. */
const checks: readonly { name: string; command: string; args: readonly string[] }[] = [
  { name: "types", command: "tsc", args: ["-p", "."] },
  { name: "lint and format", command: "biome", args: ["ci", "--colors=off"] },
  { name: "dead code and unused packages", command: "knip", args: [] },
  { name: "import directions", command: "node", args: ["--test", "test/boundaries.test.ts"] },
  { name: "generated files", command: "node", args: ["scripts/generate.ts", "--check"] },
];

const root = join(import.meta.dirname, "..");
const bin = join(root, "node_modules", ".bin");
const failed: string[] = [];
for (const { name, command, args } of checks) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(join(bin, command), args, { cwd: root, encoding: "utf8" });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok    " : "FAILED"}  ${name} (${seconds} s)`);
  if (status !== 0) {
    failed.push(name);
    console.log(`${stdout}${stderr}`);
  }
}
if (failed.length > 0) {
  console.log(`check failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
