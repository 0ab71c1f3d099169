// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { machineRequest } from "../../src/api/index.ts";
import { seededRandom } from "../seeded-random.ts";
import { type Moment, randomMoment } from "./kill-trap.ts";
import { raiseWorld, type World } from "./kill-world.ts";
import { leaveNothing } from "./leave-nothing.ts";
import { requestObject } from "./life-objects.ts";
import { CONFIG, NAMESPACE } from "./lives-world.ts";
import { type ManagerProcess, startManager } from "./manager-process.ts";
import { beginLives } from "./many-lives.ts";
import { callWitness, type Witness } from "./witness.ts";

const KILLS = 50;
const LIVES = 20;
/** The same moments each time; give another number in BUTLER_SEED to look further. */
const SEED = Number(process.env.BUTLER_SEED ?? 20260301);

test(`${KILLS} kills of a manager in the middle of ${LIVES} lives each (BUTLER_SEED=${SEED}): never two machines, none lost, nothing left`, async (context) => {
  const began = performance.now();
  const world = await raiseWorld(SEED);
  context.after(() => world.stop());
  const witness = await callWitness(world);
  context.after(() => witness.stop());
  const lives = beginLives(world, witness, { count: LIVES, seed: SEED + 1000 });
  const random = seededRandom(SEED);
  const moments: Moment[] = [];
  let fewest = Number.POSITIVE_INFINITY;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const moment = randomMoment(random);
    moments.push(moment);
    fewest = Math.min(fewest, await killOnce(world, witness, moment));
  }
  const killed = performance.now();
  const manager = await start(world);
  context.after(() => manager.end("killed"));
  await explained(context, manager, async () => {
    await Promise.all([lives.finish(), rest(world, witness)]);
    await leaveNothing(world, witness);
  });
  await manager.end("asked");
  assert.equal(manager.ended(), "exit code 0");
  witness.checkFaults();
  assert.equal(witness.mostAtOnce, 1);
  const seconds = (from: number, to: number) => `${Math.round((to - from) / 1000)} s`;
  context.diagnostic(
    `killed with ${fewest} or more requests, at ${countsOf(moments.map(({ side, fate, counts }) => `${fate} ${side} ${counts}`))}`,
  );
  context.diagnostic(
    `${[...lives.ended.values()].reduce((sum, each) => sum + each, LIVES)} lives, deleted when ` +
      `${[...lives.ended].map(([age, number]) => `${age}: ${number}`).join(", ")}, at rest: ${LIVES}; ` +
      `${witness.machinesMade} machines, never two for one request; ${lives.doubtful} waited for a create call that nobody knew the answer of; ` +
      `${seconds(began, killed)} of kills, ${seconds(killed, performance.now())} until the last was gone`,
  );
});

/** One manager from its start to its end by force. Gives the number of requests that were there then. */
async function killOnce(world: World, witness: Witness, moment: Moment): Promise<number> {
  const manager = await start(world);
  let isKilled = false;
  let underWay = 0;
  world.trap.arm(moment, () => {
    process.kill(manager.pid, "SIGKILL");
    isKilled = true;
    underWay = world.requests.size;
    witness.wake();
  });
  try {
    await witness.until(
      () => `killed at ${JSON.stringify(moment)}`,
      () => isKilled,
    );
  } finally {
    await manager.end("killed");
  }
  assert.equal(manager.ended(), "SIGKILL", await manager.log());
  witness.checkFaults();
  return underWay;
}

function start({ plane }: World): Promise<ManagerProcess> {
  return startManager(plane.kubeconfig, ["--providers", "harvester", "--leader-elect=false"]);
}

/** After the last kill: as many machines as requests, all at rest, then none. */
async function rest({ client }: World, witness: Witness): Promise<void> {
  const names = Array.from({ length: LIVES }, (_, number) => `rest${number}`);
  for (const name of names)
    await client.create(machineRequest, requestObject({ name, namespace: NAMESPACE, config: CONFIG }));
  const areRunning = () => names.every((name) => witness.get(name)?.status?.phase === "Running");
  await witness.until(() => "all that rest run", areRunning);
  for (const name of names) await witness.checkRunning(name);
  for (const name of names) await client.delete(machineRequest, { namespace: NAMESPACE, name });
  await witness.until(
    () => "all that rested are gone",
    () => names.every((name) => witness.get(name) === undefined),
  );
  for (const name of names) witness.checkGone(name);
}

async function explained(context: TestContext, manager: ManagerProcess, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    context.diagnostic((await manager.log()).trimEnd().split("\n").slice(-40).join("\n"));
    throw error;
  }
}

function countsOf(texts: readonly string[]): string {
  return [...Map.groupBy(texts, (text) => text)]
    .map(([text, all]) => `${text}: ${all.length}`)
    .toSorted()
    .join(", ");
}
