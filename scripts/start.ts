// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../bin/butleradm.js", import.meta.url));

/** What `npm start` runs: the demo, with whatever was written after `--`. */
const { status, signal } = spawnSync(process.execPath, [launcher, "demo", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exitCode = status ?? (signal === null ? 1 : 130);
