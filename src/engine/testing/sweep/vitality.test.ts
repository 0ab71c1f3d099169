// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../kube/index.ts";
import { createVitality } from "./vitality.ts";

test("the waits of a process that runs end when their time has come", async () => {
  const clock = manualClock();
  const { clock: own } = createVitality(clock);
  const rung: string[] = [];
  own.after(10, () => rung.push("first"));
  const cancel = own.after(20, () => rung.push("called off"));
  cancel();
  own.after(30, () => rung.push("second"));
  await clock.advance(30);
  assert.deepEqual(rung, ["first", "second"]);
});

test("the waits of a process that sleeps end in their order when it wakes, and its time has gone on", async () => {
  const clock = manualClock();
  const vitality = createVitality(clock);
  const rung: string[] = [];
  vitality.clock.after(10, () => rung.push(`first at ${vitality.clock.monotonic()}`));
  const cancel = vitality.clock.after(15, () => rung.push("called off"));
  vitality.clock.after(20, () => rung.push("second"));
  vitality.clock.after(500, () => rung.push("third"));
  vitality.sleep();
  await clock.advance(100);
  assert.deepEqual(rung, []);
  cancel();
  vitality.wake();
  await clock.advance(0);
  assert.deepEqual(rung, ["first at 100", "second"]);
  await clock.advance(400);
  assert.deepEqual(rung.at(-1), "third");
});

test("nothing reaches a dead process, and it leaves no waits behind", async () => {
  const clock = manualClock();
  const vitality = createVitality(clock);
  const rung: string[] = [];
  vitality.clock.after(10, () => rung.push("in vain"));
  let deaths = 0;
  vitality.onDeath(() => {
    deaths += 1;
  });
  vitality.die();
  vitality.die();
  vitality.wake();
  vitality.clock.after(10, () => rung.push("in vain"));
  void vitality.awake()?.then(() => rung.push("awake"));
  await clock.advance(100);
  assert.deepEqual([rung, deaths, clock.waiting], [[], 1, 0]);
});
