// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextCheckMs } from "./check-pace.ts";

const slowest = () => 1;
const quickest = () => 0;

test("the longer all is fine the rarer the checks, from two to ten minutes, half of it left to chance", () => {
  const fine = (streak: number, random = slowest) => nextCheckMs({ streak, trouble: undefined }, random) / 60_000;
  assert.deepEqual([fine(1), fine(2), fine(3), fine(4), fine(99)], [2, 4, 8, 10, 10]);
  assert.equal(fine(1, quickest), 1);
});

test("what passes by itself is looked at soon, what somebody must mend a little later, and nobody is hurried who asks for time", () => {
  assert.equal(nextCheckMs({ streak: 1, trouble: "unavailable" }, slowest), 5_000);
  assert.equal(nextCheckMs({ streak: 20, trouble: "unavailable" }, slowest), 60_000);
  assert.equal(nextCheckMs({ streak: 1, trouble: "denied" }, slowest), 30_000);
  assert.equal(nextCheckMs({ streak: 20, trouble: "invalid" }, slowest), 300_000);
  assert.ok(nextCheckMs({ streak: 1, trouble: "throttled", retryAfterMs: 90_000 }, quickest) > 90_000);
  assert.ok(nextCheckMs({ streak: 1, trouble: "throttled" }, quickest) > 60_000);
});
