// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const butleradm = join(import.meta.dirname, "..", "..", "bin", "butleradm.js");
const folder = mkdtempSync(join(tmpdir(), "butler-program-"));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const signal of ["SIGINT", "SIGTERM"] as const)
  test(`butleradm plane ends cleanly on ${signal}, exit code 0`, { timeout: 60_000 }, async () => {
    const child = spawn(process.execPath, [butleradm, "plane", "--dir", join(folder, signal)]);
    after(() => child.kill("SIGKILL"));
    let output = "";
    let complaints = "";
    child.stderr.on("data", (chunk) => {
      complaints += chunk;
    });
    for await (const chunk of child.stdout) {
      output += chunk;
      if (output.includes("Ctrl-C")) break;
    }
    const ended = once(child, "exit");
    child.kill(signal);
    assert.deepEqual(await ended, [0, null]);
    assert.equal(complaints, "");
  });
