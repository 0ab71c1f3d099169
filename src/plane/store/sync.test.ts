// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "./testing/objects.ts";
import { stormCommand } from "./testing/storm.ts";

const tracer = "strace";
const canTrace = spawnSync(tracer, ["-e", "trace=none", "true"]).status === 0;
const skip = canTrace ? false : `${tracer} is not there or may not trace: that each write is synced is not checked`;

/** The system calls of a storm that are about durability, in order: the log was written, synced, a write was acknowledged. */
function trace(folder: string, writers: number, writesEach: number): string[] {
  const dir = join(folder, "store");
  const log = join(folder, "trace");
  mkdirSync(dir);
  const options = ["-f", "-y", "-s", "64", "-e", "trace=write,pwrite64,fsync,fdatasync", "-o", log];
  const { status, stderr } = spawnSync(tracer, [...options, ...stormCommand(dir, writers, writesEach)], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const kinds: readonly [string, RegExp][] = [
    ["written", /p?write(64)?\(\d+<[^>]*plane\.db-wal>/],
    ["synced", /f(data)?sync\(\d+<[^>]*plane\.db-wal>\) += 0/],
    ["acknowledged", /write\(1<[^>]*>, "\{\\"revision\\"/],
  ];
  const lines = readFileSync(log, "utf8").split("\n");
  return lines.flatMap((line) => kinds.filter(([, pattern]) => pattern.test(line)).map(([kind]) => kind));
}

test("each acknowledgement comes after a sync of all that was written to the log", { skip }, (context) => {
  const calls = trace(temporaryFolder(context), 1, 20);
  let isSynced = false;
  let acknowledged = 0;
  for (const call of calls) {
    if (call === "acknowledged") {
      // One writer: each acknowledgement needs a sync of its own.
      assert.ok(isSynced, `acknowledgement ${acknowledged + 1} came before its sync`);
      acknowledged += 1;
    }
    isSynced = call === "synced";
  }
  assert.ok(acknowledged >= 15, `${acknowledged} acknowledgements`);
});

test("writers that come together share a sync, and still hear of it only afterwards", { skip }, (context) => {
  const calls = trace(temporaryFolder(context), 16, 5);
  const acknowledged = calls.filter((call) => call === "acknowledged").length;
  const synced = calls.filter((call) => call === "synced").length;
  assert.ok(acknowledged > 40 && synced < acknowledged / 4, `${synced} syncs for ${acknowledged} acknowledgements`);
  calls.forEach((call, index) => {
    if (call === "acknowledged") assert.notEqual(calls[index - 1], "written");
  });
});
