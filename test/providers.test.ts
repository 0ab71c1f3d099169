// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { providers } from "../src/providers/index.ts";

const root = join(import.meta.dirname, "..");
const runnable = providers.filter(({ load }) => load !== undefined);

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

test("every folder of a provider is in the list, and every one that can run is loaded by it", () => {
  const folders = globSync("src/providers/*/settings.ts", { cwd: root }).map((path) => basename(dirname(path)));
  assert.deepEqual(providers.map(({ name }) => name).sort(), folders.sort());
  const running = globSync("src/providers/*/index.ts", { cwd: root }).map((path) => basename(dirname(path)));
  assert.deepEqual(runnable.map(({ name }) => name).sort(), running.sort());
});

for (const { name, title, load, simulator } of runnable) {
  test(`${title}: what the list loads is that provider and its simulator`, async () => {
    assert.equal((await load?.())?.provider.name, name);
    assert.ok(simulator !== undefined, "a provider that can run has a simulator");
    assert.equal((await simulator()).simulator.name, name);
  });

  test(`${title}: it runs the contract suite`, () => {
    assert.match(read(`src/providers/${name}/${name}.test.ts`), /^machineContract\(/m);
  });

  test(`${title}: its readme says what its users need, and is a page of the documents`, () => {
    const readme = read(`src/providers/${name}/readme.md`);
    for (const heading of ["Requirements", "Permissions", "Resources created", "Configuration", "Troubleshooting"])
      assert.match(readme, new RegExp(`^## ${heading}$`, "m"));
    assert.ok(existsSync(join(root, `docs/getting-started/${name}.md`)));
    assert.match(read("docs/concepts/providers.md"), new RegExp(`^\\| ${title} \\| \`${name}\` \\|.*\\| yes \\|`, "m"));
  });
}
