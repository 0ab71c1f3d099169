// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createClient, loadKubeconfig, persistentVolumeClaim } from "../kube/index.ts";
import { run } from "./run.ts";
import { fakeIo } from "./testing/fake-io.ts";

const folder = mkdtempSync(join(tmpdir(), "butler-cli-simulate-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("prints what makes Butler use it, writes a kubeconfig only its owner may read, and leaves nothing when told to end", async () => {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const { promise: up, resolve: isUp } = Promise.withResolvers<void>();
  const io = fakeIo({ directory: folder, home: folder });
  const { write } = io;
  io.untilTold = () => told;
  io.write = (text) => {
    write(text);
    isUp();
  };
  const code = run("butleradm", ["simulate", "harvester", "--pace", "0"], io);
  await up;
  const url = /https:\/\/127\.0\.0\.1:(\d+)/.exec(io.output)?.[0] ?? "";
  const path = /KUBECONFIG=(\S+)/.exec(io.output)?.[1] ?? "";
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.ok(readFileSync(path, "utf8").includes(url));
  const client = createClient(loadKubeconfig({ path }));
  assert.deepEqual((await client.list(persistentVolumeClaim)).items, []);
  await client.close();
  const checked = fakeIo({ stdin: io.output });
  assert.deepEqual([await run("butleradm", ["validate", "-"], checked), checked.output], [0, ""]);
  tell();
  assert.deepEqual([await code, io.complaints], [0, ""]);
  assert.ok(!existsSync(path));
});

for (const [words, says] of [
  [["simulate", "harvestr"], /PROVIDER: "harvestr" is not one of harvester \(did you mean "harvester"\?\)/],
  [["simulate", "harvester", "--port", "x"], /--port: "x" is not a port/],
  [["simulate", "harvester", "--pace", "-1"], /--pace: "-1" is not a number from 0 to 100/],
] as const) {
  test(`refuses "${words.join(" ")}" and says what is possible`, async () => {
    const io = fakeIo({ directory: folder, home: folder });
    assert.equal(await run("butleradm", [...words], io), 2);
    assert.match(io.complaints, says);
  });
}
