// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ProgramName } from "../src/cli/command.ts";
import { commandsOf } from "../src/cli/table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const demonstrated: readonly string[] = ["validate", "examples"];

function listing(program: ProgramName): string {
  const rows = commandsOf(program).map(({ name, summary }) => `  bin/${program}.js ${name.padEnd(12)}${summary}\n`);
  return rows.join("");
}

function start(): number {
  process.stdout.write(`Butler makes virtual machines on six infrastructures, and Talos clusters of them, from Kubernetes objects.

What there is so far, for operators:
${listing("butleradm")}
For tenants:
${listing("butlerctl")}
Each explains itself with --help. One of them, on the examples:

$ bin/butleradm.js ${demonstrated.join(" ")}
`);
  const launcher = fileURLToPath(new URL("../bin/butleradm.js", import.meta.url));
  const { status } = spawnSync(process.execPath, [launcher, ...demonstrated], { cwd: root, stdio: "inherit" });
  return status ?? 1;
}

process.exitCode = start();
