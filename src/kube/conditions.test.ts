// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "./clock.ts";
import { findCondition, isConditionTrue, removeCondition, setCondition } from "./conditions.ts";
import type { Condition } from "./core.ts";

const clock = manualClock(Date.UTC(2026, 0, 1));
const START = "2026-01-01T00:00:00Z";
const ready = { type: "Ready", status: "False", reason: "Creating", message: "It is being made." } as const;

test("a new condition comes last with the time of now", () => {
  const first: Condition[] = [{ type: "Synced", status: "True", lastTransitionTime: START }];
  assert.deepEqual(setCondition(first, ready, { clock }), [...first, { ...ready, lastTransitionTime: START }]);
  assert.equal(first.length, 1);
});

test("the time of a condition changes with its status and with nothing else", async () => {
  const before = setCondition(undefined, ready, { clock });
  await clock.advance(60_000);
  const reworded = setCondition(before, { ...ready, message: "Still.", observedGeneration: 2 }, { clock });
  assert.notEqual(reworded, before);
  assert.equal(findCondition(reworded, "Ready")?.lastTransitionTime, START);
  const turned = setCondition(reworded, { ...ready, status: "True" }, { clock });
  assert.equal(findCondition(turned, "Ready")?.lastTransitionTime, "2026-01-01T00:01:00Z");
  assert.equal(isConditionTrue(turned, "Ready"), true);
});

test("conditions go back into a status without a cast, and lists that nobody may change stay so", () => {
  const status: { conditions?: Condition[] } = {};
  status.conditions = setCondition(status.conditions, ready, { clock });
  status.conditions = removeCondition(status.conditions, "Other");
  const fixed: readonly Condition[] = status.conditions;
  // @ts-expect-error the answer can be the very list that was given
  const open: Condition[] = setCondition(fixed, ready, { clock });
  assert.equal(open, fixed);
});

test("where nothing changes the very same list comes back", () => {
  const list = setCondition(undefined, ready, { clock });
  assert.equal(setCondition(list, { ...ready }, { clock }), list);
  assert.equal(removeCondition(list, "Other"), list);
  assert.deepEqual(removeCondition(list, "Ready"), []);
});
