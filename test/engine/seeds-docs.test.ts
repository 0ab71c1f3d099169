// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MACHINE_PHASES } from "../../src/api/machine-request.ts";
import { ANNOTATIONS } from "../../src/engine/identity.ts";
import { findKind } from "../../src/kinds.ts";
import { parseYaml } from "../../src/lib/yaml.ts";
import { compileResource } from "../../src/schema/index.ts";
import type { JsonObject } from "../rules/changes.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const page = read("docs/concepts/machine-request.md");

test("every YAML block of docs/concepts/machine-request.md is valid", () => {
  const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  assert.ok(blocks.length > 0);
  for (const { value } of blocks.flatMap((text) => parseYaml(text))) {
    const object = value as JsonObject;
    const kind = findKind(String(object.kind));
    assert.ok(kind);
    const { problems, unknownFields } = compileResource(kind.schema(), { scope: kind.scope }).admit(object, {
      strict: true,
    });
    assert.deepEqual({ problems, unknownFields }, { problems: [], unknownFields: [] });
  }
});

test("docs/concepts/machine-request.md has every phase, and every annotation that people steer with", () => {
  for (const phase of Object.keys(MACHINE_PHASES)) assert.match(page, new RegExp(`^\\| \`${phase}\` \\|`, "m"));
  for (const name of ["retry", "paused", "abandon"] as const)
    assert.ok(page.includes(`\`${ANNOTATIONS[name]}\``), name);
});

test("docs/concepts/machine-request.md has every reason and event that the engine tells about machines", () => {
  const files = globSync(
    "src/engine/{*account,machine-*,hindrance,connections,find-credentials,closed-config,guard}.ts",
    {
      cwd: ROOT,
    },
  ).filter((file) => !file.endsWith(".test.ts"));
  assert.ok(files.length > 6);
  const words = files.flatMap((file) => [
    ...[...read(file).matchAll(/reason: "([A-Z]\w+)"/g)].map(([, word = ""]) => word),
    ...[...read(file).matchAll(/(?:yes|no|fine|happened|wentWrong)\("([A-Z]\w+)"/g)].map(([, word = ""]) => word),
    ...[...read(file).matchAll(/(?:none|return)\(?\s*(?:"\w+",\s*)?"([A-Z][a-z]\w+)"/g)].map(([, word = ""]) => word),
  ]);
  // A machine that suffers tells from what.
  const untold = new Set(["VMDegraded"]);
  const missing = [...new Set(words)].filter((word) => !untold.has(word) && !page.includes(`\`${word}\``));
  assert.deepEqual(missing, []);
});

test("docs/concepts/errors.md and docs/concepts/providers.md have every kind of error that the API knows", () => {
  const schema = findKind("mr")?.schema().properties?.status?.properties?.lastError?.properties?.kind;
  const kinds = schema?.enum?.map(String) ?? [];
  assert.equal(kinds.length, 6);
  for (const kind of kinds) assert.match(read("docs/concepts/errors.md"), new RegExp(`^\\| \`${kind}\` \\|`, "m"));
  for (const kind of kinds.filter((each) => each !== "internal"))
    assert.match(read("docs/concepts/providers.md"), new RegExp(`^\\| \`${kind}\` \\|`, "m"));
});

test("links of docs/concepts lead somewhere", () => {
  for (const file of globSync("docs/concepts/*.md", { cwd: ROOT }))
    for (const [, target = ""] of read(file).matchAll(/\]\(([^)#]+)[^)]*\)/g))
      if (!target.includes(":"))
        assert.ok(globSync(join(ROOT, "docs/concepts", target)).length === 1, `${file}: ${target}`);
});
