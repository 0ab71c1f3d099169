// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MUTANTS } from "./mutants.ts";
import { replaced } from "./replace-sources.ts";
import { fatesText, runMutants } from "./run-mutants.ts";

/** The others are for `mutations.full.ts`. */
const QUICK = ["finalizer dropped early", "absence believed too soon", "token not stable"];

const ROOT = join(import.meta.dirname, "../..");

test("every mutant differs from the product", () => {
  assert.ok(MUTANTS.length >= 12);
  assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
  for (const { replacements } of MUTANTS)
    for (const replacement of replacements) {
      assert.notEqual(replacement.from, replacement.to);
      replaced(readFileSync(join(ROOT, replacement.file), "utf8"), replacement);
    }
});

test("a piece of source that is not there, or more than once, makes no mutant", () => {
  const replacement = { file: "a.ts", from: "one", to: "two" };
  assert.equal(replaced("one thing", replacement), "two thing");
  assert.throws(() => replaced("nothing", replacement), /a\.ts has 0 times, and not once: "one"/);
  assert.throws(() => replaced("one by one", replacement), /a\.ts has 2 times/);
});

test("broken engines are caught by the sweep", async (context) => {
  const mutants = MUTANTS.filter(({ name }) => QUICK.includes(name));
  assert.equal(mutants.length, QUICK.length);
  const fates = await runMutants(mutants, context.signal);
  for (const line of fatesText(fates).split("\n")) context.diagnostic(line);
  assert.deepEqual(survivors(fates), []);
});

function survivors(fates: Awaited<ReturnType<typeof runMutants>>): readonly string[] {
  return fates.filter(({ caughtBy }) => caughtBy === undefined).map(({ mutant }) => mutant.name);
}
