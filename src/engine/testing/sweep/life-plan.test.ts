// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { type LifePlan, parsePlan, planText } from "./life-plan.ts";

test("a plan can be written down and read again", () => {
  const plans: readonly LifePlan[] = [
    [],
    [{ side: "infrastructure", number: 7, what: "lose-answer", restarts: false }],
    [
      { side: "kubernetes", number: 12, what: "429-retry-after", restarts: true },
      { side: "infrastructure", number: 3, what: "delete-after", restarts: false },
    ],
  ];
  for (const plan of plans) assert.deepEqual(parsePlan(planText(plan)), plan);
  assert.equal(planText(plans[2] ?? []), "kubernetes#12 429-retry-after restart + infrastructure#3 delete-after");
});

test("what is no plan is refused", () => {
  for (const text of ["", "infrastructure 7 cut", "moon#7 cut", "kubernetes#7 burn", "kubernetes#7 cut later"])
    assert.throws(() => parsePlan(text), /is no incident/);
});
