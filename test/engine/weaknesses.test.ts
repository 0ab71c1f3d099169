// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { testTitles } from "./test-titles.ts";

test("each weakness W-01 to W-23 of the older controllers has a test that names it", () => {
  const named = new Set(testTitles().flatMap((title) => title.match(/\bW-\d\d\b/g) ?? []));
  const all = Array.from({ length: 23 }, (_, at) => `W-${String(at + 1).padStart(2, "0")}`);
  assert.deepEqual(
    all.filter((weakness) => !named.has(weakness)),
    [],
  );
});
