// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { harvesterSimulator as simulator } from "../../../providers/harvester/simulator.ts";
import { sweptEntry as entry } from "../../../providers/harvester/testing/sweep-modes.ts";
import { arrange } from "./arrange.ts";
import { parsePlan } from "./life-plan.ts";
import { raiseWorld } from "./world.ts";

/** How many managers there were, and how many of them live, when the first one was killed at two requests that it sent together. */
async function afterTwoKills(isHeld: boolean): Promise<readonly [number, number]> {
  const world = await raiseWorld({ entry, simulator });
  try {
    arrange(parsePlan("kubernetes#1 kill-after + kubernetes#2 kill-after"), {
      world,
      remove: async () => {},
      onMet: () => {},
      isHeld: () => isHeld,
    });
    world.startManager();
    await world.pass(1_000);
    return [world.managers.length, world.managers.filter(({ isAlive }) => isAlive).length];
  } finally {
    await world.stop();
  }
}

test("a manager that is killed twice at once is followed by one other", async () => {
  assert.deepEqual(await afterTwoKills(false), [2, 1]);
});

test("no manager follows while somebody holds them back", async () => {
  assert.deepEqual(await afterTwoKills(true), [1, 0]);
});
