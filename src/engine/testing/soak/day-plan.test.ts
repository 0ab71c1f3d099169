// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../sweep/seeded-random.ts";
import { planDay } from "./day-plan.ts";

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

test("a day has 24 hours, everything that goes wrong once, and a quiet end", () => {
  for (const seed of SEEDS) {
    const day = planDay(seededRandom(seed), { kills: true });
    assert.equal(day.length, 24);
    const hazards = day.flatMap(({ hazard }) => hazard ?? []).sort();
    assert.deepEqual(hazards, [
      "compaction",
      "hand-over",
      "kill-after",
      "kill-after",
      "kill-before",
      "outage",
      "rotation",
      "watches-break",
      "watches-end",
      "watches-expire",
    ]);
    assert.equal(day.at(-1)?.isQuiet, true);
  }
});

test("a manager that leads is killed and handed over from only on days that have that", () => {
  for (const seed of SEEDS) {
    const hazards = planDay(seededRandom(seed), { kills: false }).flatMap(({ hazard }) => hazard ?? []);
    assert.ok(!hazards.some((hazard) => hazard.startsWith("kill") || hazard === "hand-over"));
    assert.ok(hazards.includes("rival"));
  }
});

test("an hour is quiet where nothing goes wrong in it and nothing went wrong in the one before", () => {
  for (const seed of SEEDS) {
    const day = planDay(seededRandom(seed), { kills: true });
    const isRough = (hour: number) => day[hour]?.hazard !== undefined || (day[hour]?.sky ?? "clear") !== "clear";
    day.forEach(({ isQuiet }, hour) => {
      assert.equal(isQuiet, !isRough(hour) && !isRough(hour - 1));
    });
  }
});
