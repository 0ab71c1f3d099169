// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { suites } from "./cases/index.ts";
import { readGoldens } from "./framework/goldens.ts";

/** How many cases each category promises at least. */
const MINIMUM: Readonly<Record<string, number>> = {
  rest: 40,
  watch: 30,
  apply: 40,
  patch: 20,
  schema: 40,
  garbage: 20,
  selectors: 20,
  printing: 10,
  auth: 10,
};

test("every category has at least as many cases as promised", (t) => {
  for (const { category, cases } of suites) t.diagnostic(`${category}: ${cases.length} cases`);
  assert.deepEqual(suites.map(({ category }) => category).toSorted(), Object.keys(MINIMUM).toSorted());
  const short = suites.filter(({ category, cases }) => cases.length < (MINIMUM[category] ?? 0));
  assert.deepEqual(
    short.map(({ category }) => category),
    [],
  );
});

test("no two cases of a category have the same name", () => {
  for (const { category, cases } of suites) {
    const names = cases.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
      category,
    );
  }
});

test("a real server's answers are recorded for every case, and for nothing else", () => {
  for (const { category, cases } of suites) {
    const names = cases.map(({ name }) => name);
    assert.deepEqual(Object.keys(readGoldens(category)).toSorted(), names.toSorted(), category);
  }
});
