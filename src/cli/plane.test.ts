// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { run } from "./run.ts";
import { fakeIo } from "./testing/fake-io.ts";

const folder = mkdtempSync(join(tmpdir(), "butler-cli-plane-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** An `Io` for a command that runs until it is told to end, by the test. */
function heldIo() {
  let tell = () => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let isUp = () => {};
  const up = new Promise<void>((resolve) => {
    isUp = resolve;
  });
  const io = fakeIo({ directory: folder, home: folder });
  const { write } = io;
  io.untilTold = () => told;
  io.write = (text) => {
    write(text);
    isUp();
  };
  return { io, tell, up };
}

test("says where it serves and how to point kubectl at it, and ends fine when told to", async () => {
  const { io, tell, up } = heldIo();
  const code = run("butleradm", ["plane", "--dir", "own plane"], io);
  await up;
  const path = join(folder, "own plane", "kubeconfig");
  assert.match(io.output, /^Kubernetes API on https:\/\/127\.0\.0\.1:\d+, kept in /);
  assert.ok(io.output.includes(`export KUBECONFIG='${path}'`));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const url = /https:\S+(?=,)/.exec(io.output)?.[0] ?? "";
  assert.ok(readFileSync(path, "utf8").includes(url));
  tell();
  assert.deepEqual([await code, io.complaints], [0, ""]);
});

test("keeps its state in the user's own folder unless told otherwise", async () => {
  const { io, tell, up } = heldIo();
  const code = run("butleradm", ["plane"], io);
  await up;
  assert.ok(statSync(join(folder, ".butler", "plane", "plane.db")).isFile());
  tell();
  assert.equal(await code, 0);
});

test("a folder that is in use is one line and exit code 1", async () => {
  const { io, tell, up } = heldIo();
  const code = run("butleradm", ["plane", "--dir", "shared"], io);
  await up;
  const second = fakeIo({ directory: folder, home: folder });
  assert.equal(await run("butleradm", ["plane", "--dir", "shared"], second), 1);
  assert.match(second.complaints, /^butleradm: [^\n]*plane\.db[^\n]*\n$/);
  assert.equal(second.output, "");
  tell();
  await code;
});

test("a port that is in use is one line and exit code 1, and the folder is free again", async () => {
  const { io, tell, up } = heldIo();
  const code = run("butleradm", ["plane", "--dir", "first"], io);
  await up;
  const port = /:(\d+),/.exec(io.output)?.[1] ?? "";
  for (let attempt = 0; attempt < 2; attempt++) {
    const second = fakeIo({ directory: folder, home: folder });
    assert.equal(await run("butleradm", ["plane", "--dir", "second", "--port", port], second), 1);
    assert.equal(
      second.complaints,
      `butleradm: port ${port} is in use by another process; choose another with --port\n`,
    );
  }
  tell();
  await code;
});

test("a port that is none is refused", async () => {
  for (const port of ["x", "-1", "65536", "1.5", ""]) {
    const io = fakeIo({ directory: folder, home: folder });
    assert.equal(await run("butleradm", ["plane", `--port=${port}`], io), 2);
    assert.match(io.complaints, /is not a port/);
  }
});
