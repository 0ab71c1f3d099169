// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { harvesterSoak } from "../../bench/soak-harvester.ts";
import { line } from "../../bench/soak-table.ts";
import { createCrew } from "../../src/engine/testing/soak/crew.ts";
import { createLockstep } from "../../src/engine/testing/soak/lockstep.ts";
import { createPopulation } from "../../src/engine/testing/soak/population.ts";
import { soak } from "../../src/engine/testing/soak/soak.ts";
import { createWeather } from "../../src/engine/testing/soak/weather.ts";
import { seededRandom } from "../../src/engine/testing/sweep/seeded-random.ts";
import { pointText } from "../../src/engine/testing/sweep/traffic.ts";
import { raiseWorld } from "../../src/engine/testing/sweep/world.ts";

const MACHINES = 500;
/** Another one goes another way; give it in BUTLER_SEED. */
const SEED = Number(process.env.BUTLER_SEED ?? 1);

test("managers in threads of their own do the same things in the same order each time", async () => {
  const first = await stormyHour();
  assert.ok(first.length > 100);
  assert.deepEqual(await stormyHour(), first);
});

/** Every request that managers send while some machines come and go in a storm, in which one manager dies. */
async function stormyHour(): Promise<readonly string[]> {
  const { entry, simulator, providersUrl } = harvesterSoak();
  const world = await raiseWorld({ entry, simulator, seed: SEED });
  const wrongs: string[] = [];
  const crew = createCrew(world, {
    providersUrl,
    provider: entry.name,
    canaries: [],
    onLeak: () => {},
    onDesertion: (name) => wrongs.push(name),
  });
  try {
    const lockstep = createLockstep(world, crew);
    const population = createPopulation(world, seededRandom(SEED));
    createWeather(world.traffic, seededRandom(SEED)).sky = "storm";
    crew.add();
    await population.add(5);
    await lockstep.pass(600_000);
    await population.remove(population.some(3));
    crew.killAt("kill-after");
    await lockstep.pass(3_000_000);
    assert.deepEqual(wrongs, []);
    assert.deepEqual([population.names.size, population.leaving.size], [2, 0]);
    return world.traffic.points.map((point) => pointText(point));
  } finally {
    for (const manager of [...crew.alive]) manager.kill();
    await world.stop();
  }
}

test(`a day with ${MACHINES} machines and all that can go wrong (BUTLER_SEED=${SEED}): every state is explained, no key is forgotten, nothing is left`, async (context) => {
  const began = performance.now();
  const { days, wrongs } = await soak({
    ...harvesterSoak(),
    machines: MACHINES,
    days: 1,
    killsUntilDay: 1,
    seed: SEED,
  });
  for (const day of days) context.diagnostic(line(day));
  context.diagnostic(`${((performance.now() - began) / 1000).toFixed(0)} s`);
  assert.deepEqual(wrongs, []);
});
