// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LifeStory } from "./life.ts";
import { planText } from "./life-plan.ts";
import { evenly, faultsAt, planChances, planDeletions, planFaults, planOldViews } from "./plan-lives.ts";
import { createTraffic, type Point } from "./traffic.ts";

const traffic = createTraffic();
const list = traffic.number("infrastructure", { method: "GET", path: "/machines" });
const watch = traffic.number("infrastructure", { method: "GET", path: "/machines?watch=true" });
const create = traffic.number("infrastructure", { method: "POST", path: "/machines" });
const patch = traffic.number("kubernetes", { method: "PATCH", path: "/requests/one" });
const points: readonly Point[] = [list, watch, create, patch];
const model: LifeStory = {
  seed: 1,
  plan: [],
  points,
  moments: { asked: 2, running: 3, deleted: 3, gone: 4 },
  violations: [],
  missed: [],
  calls: 3,
  mostMachines: 1,
  simulatedMs: 0,
  kubernetes: new Map(),
  lines: [],
};
const planning = { visibilityLagMs: 0 };

test("each request meets the faults that make a difference to it", () => {
  const has = (point: Point, fault: string, more = {}) =>
    faultsAt(point, { ...planning, ...more }).some((name) => name === fault);
  for (const point of points)
    for (const fault of ["kill-before", "kill-after", "429", "500", "503", "hang", "cut"]) assert.ok(has(point, fault));
  assert.deepEqual(
    points.map((point) => has(point, "twice")),
    [false, false, true, true],
  );
  assert.deepEqual(
    points.map((point) => has(point, "silent")),
    [false, true, false, false],
  );
  assert.deepEqual(
    points.map((point) => has(point, "lag")),
    [false, true, false, false],
  );
  assert.ok(has(list, "lag", { visibilityLagMs: 60_000 }));
  assert.ok(has(list, "lag", { mayBeOld: () => true }));
  assert.ok(!has(watch, "lag", { usesSockets: true }));
});

test("every point is swept with every fault, with and without a restart, and no life twice", () => {
  const texts = planFaults(model, planning).map(planText);
  assert.equal(new Set(texts).size, texts.length);
  for (const point of points)
    for (const fault of faultsAt(point, planning)) {
      const text = `${point.side}#${point.number} ${fault}`;
      assert.ok(texts.includes(text));
      assert.equal(texts.includes(`${text} restart`), !fault.startsWith("kill-"));
    }
});

test("deletions are asked for at the points of creation alone", () => {
  const plans = planDeletions(model, planning);
  assert.ok(plans.map(planText).includes("infrastructure#3 delete-before"));
  assert.ok(plans.map(planText).includes("infrastructure#3 delete-after + infrastructure#3 lose-answer restart"));
  assert.ok(plans.flat().every(({ number, side }) => side === "infrastructure" && number === 3));
});

test("old views are shown after a kill at each write, where anything may be old", () => {
  assert.deepEqual(planOldViews(model, planning), []);
  const texts = planOldViews(model, { ...planning, mayBeOld: () => true }).map(planText);
  assert.deepEqual(texts, [
    "infrastructure#3 kill-before lag",
    "infrastructure#3 kill-after lag",
    "kubernetes#1 kill-before lag",
    "kubernetes#1 kill-after lag",
  ]);
});

test("chance is the same for the same seed", () => {
  const plans = (seed: number) => planChances(model, { ...planning, seed, count: 20 }).map(planText);
  assert.deepEqual(plans(1), plans(1));
  assert.notDeepEqual(plans(1), plans(2));
});

test("a part of the lives is spread evenly over all of them", () => {
  const all = Array.from({ length: 1_000 }, (_, at) => at);
  const some = evenly(all, { count: 10, seed: 1 });
  assert.deepEqual(
    some.map((at) => Math.floor(at / 100)),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  assert.deepEqual(evenly(all, { count: 2_000, seed: 1 }), all);
  for (const count of [1, 2, 80, 333, 501, 777, 999, 1_000])
    for (const seed of [1, 2, 3]) assert.equal(new Set(evenly(all, { count, seed })).size, count);
});
