// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { findManifests } from "./find-manifests.ts";
import { fakeIo } from "./testing/fake-io.ts";

describe("finding manifests", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "butler-find-"));
    for (const file of ["b.yaml", "a.yml", "c.json", "notes.txt", "sub/z.yaml", "sub/.hidden.yaml", ".git/x.yaml"]) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), `# ${file}`);
    }
    await mkdir(join(folder, "node_modules/x"), { recursive: true });
    await writeFile(join(folder, "node_modules/x/y.yaml"), "");
    await mkdir(join(folder, "empty"));
    await symlink(folder, join(folder, "sub/loop"));
    await writeFile(join(folder, "latin.txt"), Buffer.from([0x61, 0xe9, 0x0a]));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const find = async (...names: string[]) => {
    const { manifests, failures } = await findManifests(names, fakeIo({ directory: folder, stdin: "a: 1" }));
    return { names: manifests.map(({ name }) => name), manifests, failures };
  };

  test("a folder gives its manifests in alphabetical order, without hidden ones and node_modules", async () => {
    assert.deepEqual(await find("."), {
      ...(await find(".")),
      names: ["a.yml", "b.yaml", "c.json", "sub/z.yaml"],
      failures: [],
    });
    assert.deepEqual((await find("sub/")).names, ["sub/z.yaml"]);
  });

  test("a pipe in a folder is no manifest, whatever its name", async (t) => {
    const made = spawnSync("mkfifo", [join(folder, "empty/pipe.yaml")]);
    if (made.status !== 0) return t.skip("no mkfifo here");
    assert.deepEqual((await find("empty")).names, []);
    await rm(join(folder, "empty/pipe.yaml"));
  });

  test("a named file is read whatever its name, and only once", async () => {
    const { manifests } = await find("notes.txt", "b.yaml", "./notes.txt", ".");
    assert.deepEqual(
      manifests.map(({ name, isNamed }) => [name, isNamed]),
      [
        ["notes.txt", true],
        ["b.yaml", true],
        ["a.yml", false],
        ["c.json", false],
        ["sub/z.yaml", false],
      ],
    );
  });

  test("- is standard input", async () => {
    assert.deepEqual((await find("-")).manifests, [{ name: "<stdin>", text: "a: 1", isNamed: true }]);
  });

  test("what cannot be read is told, and the rest is read all the same", async () => {
    const { names, failures } = await find("nope.yaml", "latin.txt", "empty", "a.yml/x", "b.yaml");
    assert.deepEqual(names, ["b.yaml"]);
    assert.deepEqual(failures, [
      'cannot read "nope.yaml": there is no such file or folder',
      'cannot read "latin.txt": it is not UTF-8 text',
      'no manifests (*.yaml, *.yml, *.json) in folder "empty"',
      'cannot read "a.yml/x": a part of the path is not a folder',
    ]);
  });
});
