// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds } from "../kinds.ts";
import { parseYaml } from "../lib/yaml.ts";
import { run } from "./crds.ts";
import { fakeIo } from "./testing/fake-io.ts";

async function crds(kind?: string): Promise<string> {
  const io = fakeIo();
  assert.equal(await run(io, { program: "butleradm", commands: [], arguments: [], options: { kind } }), 0);
  return io.output;
}

function objects(stream: string): unknown[] {
  return parseYaml(stream).flatMap((document) => (document.isEmpty ? [] : [document.value]));
}

test("the stream has every definition, as a YAML reader sees it, once and always the same", async () => {
  const stream = await crds();
  assert.deepEqual(
    objects(stream),
    kinds.map((kind) => JSON.parse(JSON.stringify(kind.crd()))),
  );
  assert.equal(await crds(), stream);
});

test("--kind takes kind, plural, singular and short name in any case", async () => {
  for (const { kind, plural, singular, shortNames } of kinds) {
    for (const name of [kind, plural, singular, ...shortNames, kind.toUpperCase()]) {
      const [only, ...others] = objects(await crds(name));
      assert.equal(JSON.parse(JSON.stringify(only)).spec.names.kind, kind);
      assert.deepEqual(others, []);
    }
  }
});
