// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { run } from "./demo.ts";
import { UsageError } from "./io.ts";
import { fakeIo } from "./testing/fake-io.ts";

const launcher = join(import.meta.dirname, "../../bin/butleradm.js");

function playOnce(options: Readonly<Record<string, string>>) {
  const io = Object.assign(fakeIo(), { untilTold: () => new Promise<void>(() => {}) });
  const ended = run(io, { program: "butleradm", arguments: [], commands: [], options: { once: "true", ...options } });
  return { io, ended };
}

/** The folder that a demo said it keeps its kubeconfig in. */
function kubeconfigIn(output: string): string {
  const [, path] = /KUBECONFIG=(\S+)/.exec(output) ?? [];
  assert.ok(path, output);
  return path;
}

describe("butleradm demo", () => {
  test("--once makes the machines, deletes them, proves that nothing is left, and two run side by side", async () => {
    const demos = [playOnce({ machines: "2" }), playOnce({ machines: "4" })];
    for (const { io } of demos)
      assert.match(io.output, /^Butler: \d machines on a simulated Harvester/, "the first line comes at once");
    for (const { io, ended } of demos) {
      assert.equal(await ended, 0, io.complaints);
      assert.match(io.output, /Every machine runs: (\d) requested, \1 on Harvester/);
      assert.match(io.output, /Nothing is left: Harvester is as it was before\.\n$/);
      assert.ok(!existsSync(kubeconfigIn(io.output)), "its folder is gone");
    }
    const [one, other] = demos.map(({ io }) => kubeconfigIn(io.output));
    assert.notEqual(one, other);
  });

  test("a number of machines that cannot be is refused before anything is started", async () => {
    for (const machines of ["0", "-1", "many", "1001", "1.5"]) {
      const { io, ended } = playOnce({ machines });
      await assert.rejects(
        ended,
        (error) => error instanceof UsageError && /--machines: .*from 1 to 1000/.test(error.message),
      );
      assert.equal(io.output, "");
    }
  });

  test("without --once it waits for Ctrl-C, and then ends with 0 and leaves no file", async () => {
    const child = spawn(process.execPath, [launcher, "demo", "--machines", "1"], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for await (const line of createInterface(child.stdout)) {
      output += `${line}\n`;
      if (line.startsWith("Ctrl-C")) child.kill("SIGINT");
    }
    const code = child.exitCode ?? (await new Promise((resolve) => child.once("exit", resolve)));
    assert.equal(code, 0, output);
    assert.ok(!existsSync(kubeconfigIn(output)));
  });
});
