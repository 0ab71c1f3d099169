// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock, sleep, sleeplessClock, systemClock } from "./clock.ts";

test("a manual clock calls back in order of time, then of start, standing at each one's time", async () => {
  const clock = manualClock(1000);
  const calls: [string, number][] = [];
  const note = (name: string) => () => calls.push([name, clock.monotonic()]);
  clock.after(20, note("b"));
  clock.after(10, note("a"));
  clock.after(20, note("c"));
  clock.after(31, note("late"));
  clock.after(5, () => clock.after(5, note("nested")));
  await clock.advance(30);
  assert.deepEqual(calls, [
    ["a", 10],
    ["nested", 10],
    ["b", 20],
    ["c", 20],
  ]);
  assert.equal(clock.monotonic(), 30);
  assert.equal(clock.now(), 1030);
  assert.equal(clock.waiting, 1);
  assert.equal(clock.nextInMs, 1);
});

test("a wait that is called off never ends, and a jump of the wall clock moves no wait", async () => {
  const clock = manualClock(0);
  let calls = 0;
  const cancel = clock.after(10, () => {
    calls += 1;
  });
  clock.jump(3_600_000);
  await clock.advance(9);
  assert.equal(calls, 0);
  assert.equal(clock.now(), 3_600_009);
  cancel();
  await clock.advance(10);
  assert.equal(calls, 0);
  assert.equal(clock.nextInMs, undefined);
});

test("promises that a wait sets off run before the next wait ends", async () => {
  const clock = manualClock();
  const calls: string[] = [];
  clock.after(1, () => void Promise.resolve().then(() => calls.push("first")));
  clock.after(2, () => calls.push("second"));
  await clock.advance(2);
  assert.deepEqual(calls, ["first", "second"]);
});

test("a test can wait until the code waits", async () => {
  const clock = manualClock();
  const reached = clock.untilWaiting(2);
  clock.after(1, () => {});
  clock.after(1, () => {});
  await reached;
});

test("sleep ends early with the signal's reason and leaves no wait behind", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const asleep = sleep(clock, 1000, controller.signal);
  controller.abort(new Error("enough"));
  await assert.rejects(asleep, { message: "enough" });
  assert.equal(clock.waiting, 0);
  await assert.rejects(sleep(clock, 1, controller.signal), { message: "enough" });
  const whole = sleep(clock, 5, new AbortController().signal);
  await clock.advance(5);
  await whole;
});

test("the system clock measures, and takes delays that Node's timers do not", () => {
  const before = systemClock.monotonic();
  let called = false;
  const cancel = systemClock.after(2 ** 40, () => {
    called = true;
  });
  cancel();
  assert.ok(systemClock.monotonic() >= before);
  assert.ok(Math.abs(systemClock.now() - Date.now()) < 60_000);
  assert.equal(called, false);
});

test("the monotonic clock goes on while the computer sleeps, and never back", () => {
  let now = 0;
  let monotonic = 0;
  const clock = sleeplessClock(
    () => now,
    () => monotonic,
  );
  const pass = (ms: number) => {
    now += ms;
    monotonic += ms;
  };
  pass(5_000);
  assert.equal(clock(), 5_000);
  now += 600_000;
  assert.equal(clock(), 605_000, "slept for ten minutes");
  pass(1_000);
  assert.equal(clock(), 606_000);
  now -= 3_600_000;
  assert.equal(clock(), 606_000, "set back by an hour");
  now += 900;
  pass(100);
  assert.equal(clock(), 606_100, "a correction of less than a second");
});
