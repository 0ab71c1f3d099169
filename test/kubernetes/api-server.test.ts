// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startApiServer } from "./api-server.ts";

/** A folder with an `etcd` that notes where it was started and then does as told. */
function assetsWith(t: TestContext, etcd: string) {
  const assets = mkdtempSync(join(tmpdir(), "butler-fake-etcd-"));
  t.after(() => rmSync(assets, { recursive: true }));
  const notes = join(assets, "notes");
  writeFileSync(join(assets, "etcd"), `#!/bin/sh\necho "$PWD" >>"${notes}"\n${etcd}\n`);
  chmodSync(join(assets, "etcd"), 0o755);
  return { assets, startedIn: () => readFileSync(notes, "utf8").trim().split("\n") };
}

test("ports that were taken in between are tried again with others, but not for ever", async (t) => {
  const { assets, startedIn } = assetsWith(t, 'echo "listen: bind: address already in use"; exit 1');
  await assert.rejects(startApiServer({ assets }), /^Error: etcd ended before it was ready \(exit code 1\)/);
  assert.equal(startedIn().length, 5);
  assert.deepEqual(startedIn().filter(existsSync), [], "the folder is gone");
});

test("a program that never gets ready is waited for only so long, then ended", async (t) => {
  const { assets, startedIn } = assetsWith(t, 'echo "still thinking"; exec /bin/sleep 600');
  const start = startApiServer({ assets, readyWithinMs: 1000 });
  await assert.rejects(start, { message: "etcd was not ready within 1000 ms; its log ends:\nstill thinking" });
  assert.deepEqual(startedIn().filter(existsSync), [], "the folder is gone");
});

test("a program that is not there is named", async () => {
  const start = startApiServer({ assets: join(tmpdir(), "butler-no-such-folder") });
  await assert.rejects(start, /^Error: start ".*butler-no-such-folder\/etcd": .*ENOENT/);
});
