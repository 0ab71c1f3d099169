// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { MUTANTS } from "./mutants.ts";
import { fatesText, runMutants, runProduct } from "./run-mutants.ts";

test("every broken engine and provider is caught by the sweep, by the life and the rule that are named for it", async (context) => {
  const fates = await runMutants(MUTANTS, context.signal);
  for (const line of fatesText(fates).split("\n")) context.diagnostic(line);
  const survivors = fates.filter(({ caughtBy }) => caughtBy === undefined).map(({ mutant }) => mutant.name);
  assert.deepEqual(survivors, []);
});

test("the product lives the very same lives without blame", async (context) => {
  const lived = await runProduct(context.signal);
  const seconds = lived.reduce((sum, each) => sum + each.seconds, 0);
  context.diagnostic(`lives ${lived.length}, seconds ${seconds.toFixed(1)}`);
  assert.deepEqual(
    lived.filter(({ violations }) => violations.length > 0),
    [],
  );
});
