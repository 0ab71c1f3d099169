// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../clock.ts";
import { createQueue, type Queue } from "./queue.ts";

function takeAll(queue: Queue): string[] {
  const keys: string[] = [];
  for (let taken = queue.take(); taken !== undefined; taken = queue.take()) keys.push(taken.key);
  return keys;
}

test("a key waits once however often it is added", () => {
  const queue = createQueue({ clock: manualClock(), concurrency: 9 });
  for (const key of ["a", "b", "a", "a"]) queue.add(key);
  assert.equal(queue.depth, 2);
  assert.deepEqual(takeAll(queue), ["a", "b"]);
});

test("a key that is added while it is worked on comes again afterwards, once", () => {
  const queue = createQueue({ clock: manualClock(), concurrency: 9 });
  queue.add("a");
  queue.take();
  queue.add("a");
  queue.add("a");
  assert.equal(queue.take(), undefined);
  queue.done("a");
  assert.deepEqual(takeAll(queue), ["a"]);
  queue.done("a");
  assert.equal(queue.take(), undefined);
});

test("of several delays the one that ends first counts, and what was called off leaves nothing behind", async () => {
  const clock = manualClock();
  const queue = createQueue({ clock });
  for (const afterMs of [5000, 1000, 3000]) queue.add("a", { afterMs });
  assert.equal(queue.delayed, 1);
  await clock.advance(999);
  assert.equal(queue.take(), undefined);
  await clock.advance(1);
  assert.equal(queue.take()?.key, "a");
  queue.done("a");
  assert.equal(clock.waiting, 0);
  for (let round = 0; round < 1000; round += 1) {
    queue.add("a", { afterMs: 3_600_000 });
    queue.add("a");
    queue.take();
    queue.done("a");
  }
  assert.deepEqual([queue.delayed, clock.waiting], [0, 0]);
});

test("a delay asked for during the work counts from then", async () => {
  const clock = manualClock();
  const queue = createQueue({ clock });
  queue.add("a");
  queue.take();
  queue.add("a", { afterMs: 1000 });
  await clock.advance(400);
  queue.done("a");
  await clock.advance(599);
  assert.equal(queue.take(), undefined);
  await clock.advance(1);
  assert.equal(queue.take()?.key, "a");
});

test("pauses of a failing key double up to the limit, with jitter, and begin anew after a success", () => {
  const low = createQueue({ clock: manualClock(), random: () => 0, backoff: { baseMs: 100, maxMs: 1000 } });
  const pauses = (queue: Queue, count: number) => Array.from({ length: count }, () => queue.retry("a"));
  assert.deepEqual(pauses(low, 6), [50, 100, 200, 400, 500, 500]);
  low.forget("a");
  assert.equal(low.failures("a"), 0);
  assert.deepEqual(pauses(low, 1), [50]);
  const high = createQueue({ clock: manualClock(), random: () => 0.999, backoff: { baseMs: 100, maxMs: 1000 } });
  for (const pauseMs of pauses(high, 60)) assert.ok(pauseMs <= 1000);
});

test("groups take turns: a thousand keys of one do not keep another waiting", () => {
  const queue = createQueue({ clock: manualClock(), concurrency: 4, groupOf: (key) => key.charAt(0) });
  for (let index = 0; index < 1000; index += 1) queue.add(`a${index}`);
  queue.add("b0");
  queue.add("c0");
  assert.deepEqual(takeAll(queue), ["a0", "b0", "c0", "a1"]);
});

test("a group whose work never ends holds no more than its own places", () => {
  const queue = createQueue({
    clock: manualClock(),
    concurrency: 4,
    groupOf: (key) => key.charAt(0),
    groups: { inFlight: 2 },
  });
  for (let index = 0; index < 10; index += 1) queue.add(`a${index}`);
  for (let index = 0; index < 3; index += 1) queue.add(`b${index}`);
  assert.deepEqual(takeAll(queue), ["a0", "b0", "a1", "b1"]);
  queue.done("b0");
  assert.deepEqual(takeAll(queue), ["b2"]);
  queue.done("b1");
  assert.equal(queue.take(), undefined);
  queue.done("a0");
  assert.deepEqual(takeAll(queue), ["a2"]);
});

test("a group starts no more than its rate and its burst, and others do not wait for it", async () => {
  const clock = manualClock();
  let calls = 0;
  const queue = createQueue({
    clock,
    concurrency: 99,
    groupOf: (key) => key.charAt(0),
    groups: { perSecond: 2, burst: 3 },
    onReady: () => {
      calls += 1;
    },
  });
  for (let index = 0; index < 6; index += 1) queue.add(`a${index}`);
  queue.add("b0");
  assert.deepEqual(takeAll(queue), ["a0", "b0", "a1", "a2"]);
  calls = 0;
  await clock.advance(499);
  assert.deepEqual(takeAll(queue), []);
  await clock.advance(1);
  assert.equal(calls, 1);
  assert.deepEqual(takeAll(queue), ["a3"]);
  await clock.advance(1000);
  assert.deepEqual(takeAll(queue), ["a4", "a5"]);
});

test("a parked key gives its place away and is not given out until it is done", () => {
  const queue = createQueue({ clock: manualClock() });
  queue.add("a");
  queue.add("b");
  queue.take();
  queue.park("a");
  queue.add("a");
  assert.deepEqual([queue.take()?.key, queue.parked, queue.active], ["b", 1, 1]);
  queue.done("b");
  assert.equal(queue.take(), undefined);
  queue.done("a");
  assert.equal(queue.take()?.key, "a");
});

test("draining gives out nothing more and waits for what is under way", async () => {
  const clock = manualClock();
  const queue = createQueue({ clock, concurrency: 2 });
  for (const key of ["a", "b", "c"]) queue.add(key);
  queue.add("d", { afterMs: 10 });
  takeAll(queue);
  let isDrained = false;
  const drained = queue.drain().then(() => {
    isDrained = true;
  });
  queue.done("a");
  queue.add("e");
  await clock.advance(20);
  assert.deepEqual([isDrained, queue.take(), queue.depth, clock.waiting], [false, undefined, 0, 0]);
  queue.done("b");
  await drained;
  await createQueue().drain();
});

test("a hundred thousand keys are added, taken and done in no time to speak of", () => {
  const queue = createQueue({ clock: manualClock(), concurrency: 8, groupOf: (key) => key.slice(-2) });
  for (let index = 0; index < 100_000; index += 1) queue.add(`key-${index}`, { afterMs: index % 3 });
  let count = 0;
  for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
    count += 1;
    queue.done(taken.key);
  }
  assert.equal(count, 33_334);
  assert.equal(queue.delayed, 66_666);
});
