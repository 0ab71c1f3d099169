// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type Random, seededRandom } from "../../../test/seeded-random.ts";
import { machineRequest } from "../../api/index.ts";
import { LostLeadershipError } from "../../kube/index.ts";
import type { Process } from "./hand-over-process.ts";
import { createHandOverWorld, type HandOverWorld, TRAVEL_MS } from "./hand-over-world.ts";

const LEASE_MS = 15_000;
const RETRY_MS = 2_000;
const LONGEST_LOOK_MS = 2.2 * RETRY_MS + 4 * TRAVEL_MS;
/** What is promised: the lease's duration and two looks of a candidate. */
const CRASH_MS = LEASE_MS + 2 * LONGEST_LOOK_MS;
/** After a clean stop: what is under way ends, then one look. */
const STOP_MS = 2_000 + LONGEST_LOOK_MS;
/** Until one that leads no more has ended: nothing is waited for but its last events. */
const END_MS = 15_000;
/** From the lease to the first request to the infrastructure: caches catch up, credentials are read. */
const BEGIN_MS = 1_000;
const SLOTS = 4;
const KINDS = ["kill", "waking early", "short pause", "long pause", "stop", "kill", "long pause"] as const;

type Kind = (typeof KINDS)[number];

/** What the promise is called wherever it is tested. */
export const handOverPromise =
  "whenever a leader is killed, paused or stopped, another acts within the promised time, and nothing ever leaves one that may not act";

/** Has one leader after the other suffer something. Gives how long it took until another acted, one line for each kind of trouble. */
export async function playHandOvers({
  seed,
  troubles,
}: {
  seed: number;
  troubles: number;
}): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const world = await createHandOverWorld(random.next);
  try {
    const tookMs = await sufferAll(world, { random, troubles });
    await leave(world);
    return [...tookMs].map(([kind, all]) => {
      const [longest, middle] = [Math.max(...all), median(all)].map((ms) => `${(ms / 1000).toFixed(1)} s`);
      return `${kind}: ${all.length} times; another acted after ${longest} at the latest, ${middle} in the middle`;
    });
  } finally {
    await world.stop();
  }
}

async function sufferAll(
  world: HandOverWorld,
  { random, troubles }: { readonly random: Random; readonly troubles: number },
): Promise<ReadonlyMap<Kind, readonly number[]>> {
  const tookMs = new Map<Kind, number[]>();
  const tend = keepLives(world, random.chance);
  let born = 0;
  const begin = () => {
    born += 1;
    return world.start(`p${born}`);
  };
  let processes = [begin(), begin()];
  for (let trouble = 0; trouble < troubles; trouble += 1) {
    await goOn(world, tend, 1_000 + random.below(9_000));
    if (random.once(4) && processes.length < 3) processes.push(begin());
    await world.until("all stand for election", () => processes.every((each) => each.hasLooked()), 60_000);
    await world.until("one leads", () => leaderOf(world, processes) !== undefined, CRASH_MS);
    await goOn(world, tend, random.below(4_000));
    const leader = leaderOf(world, processes) ?? assert.fail("nobody leads");
    const others = processes.filter((each) => each !== leader);
    // Most troubles come in the middle of its work, with requests on their way.
    const enough = leader.sent.length + 1 + random.below(6);
    if (!random.once(4)) await goOn(world, tend, 10_000, () => leader.sent.length >= enough);
    const kind = KINDS[trouble % KINDS.length] ?? "kill";
    const took = await suffer(kind, { world, leader, others, tend, chosenMs: random.below(40_000) });
    assert.deepEqual(world.faults, []);
    if (took === undefined) continue;
    tookMs.set(kind, [...(tookMs.get(kind) ?? []), took]);
    processes = [...others, ...(others.length < 2 ? [begin()] : [])];
  }
  return tookMs;
}

interface Trouble {
  readonly world: HandOverWorld;
  readonly leader: Process;
  readonly others: readonly Process[];
  readonly tend: () => Promise<void>;
  readonly chosenMs: number;
}

/** Has the leader suffer that, and sees to what is promised. Gives how long it took until another acted, where one did. */
async function suffer(kind: Kind, trouble: Trouble): Promise<number | undefined> {
  const { world, leader, others, tend, chosenMs } = trouble;
  const now = world.stage.clock.monotonic;
  await world.advance(0);
  const began = now();
  if (kind === "short pause") {
    await sleepThrough(trouble, chosenMs % 5_000);
    await goOn(world, tend, 4_000);
    assert.equal(leader.outcome(), undefined);
    assert.ok(world.lease.holder === leader.name && world.lease.writtenAt > began, "it goes on renewing");
    return undefined;
  }
  if (kind === "kill") leader.kill();
  else if (kind === "stop") leader.stop();
  else await wakeTooLate(trouble, kind === "waking early" ? 10_001 + (chosenMs % 4_500) : CRASH_MS + chosenMs);
  const limitMs = (kind === "stop" ? STOP_MS : CRASH_MS) + BEGIN_MS;
  const actedAt = () => others.flatMap(({ sent }) => sent).find(({ to }) => to === "infrastructure")?.at;
  await world.until("another acts", () => actedAt() !== undefined, began + limitMs - now());
  assert.ok(others.some(({ name }) => name === world.lease.holder));
  const tookMs = (actedAt() ?? assert.fail()) - began;
  assert.ok(tookMs <= limitMs, `another acted after ${tookMs} ms`);
  return tookMs;
}

async function sleepThrough({ world, leader, tend }: Trouble, ms: number): Promise<void> {
  const before = leader.sent.length;
  leader.pause();
  await goOn(world, tend, ms);
  assert.deepEqual(leader.sent.slice(before), []);
  leader.resume();
}

/** Pauses it for longer than its deadline. It ends by itself then, and nothing more leaves it. */
async function wakeTooLate(trouble: Trouble, ms: number): Promise<void> {
  const { world, leader } = trouble;
  const before = leader.sent.length;
  await sleepThrough(trouble, ms);
  await world.until(`${leader.name} has ended`, () => leader.outcome() !== undefined, END_MS);
  const outcome = leader.outcome();
  assert.ok(typeof outcome === "object" && outcome.error instanceof LostLeadershipError);
  assert.deepEqual(leader.sent.slice(before), []);
}

function leaderOf(world: HandOverWorld, processes: readonly Process[]): Process | undefined {
  const leader = processes.find(({ name }) => name === world.lease.holder);
  return leader?.sent.some(({ to }) => to === "infrastructure") ? leader : undefined;
}

/** Requests that come and go all the time: made, up by and by, deleted some time later. Call it now and then. */
function keepLives({ stage, cloud }: HandOverWorld, chance: (probability: number) => boolean): () => Promise<void> {
  return async () => {
    for (const { name, state } of [...cloud.machines.values()])
      if (state === "pending" && chance(0.5)) cloud.boot(name, "127.0.0.5");
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const name = `web-${slot}`;
      const request = await stage.requestNow(name);
      if (request === undefined) await stage.request(name);
      else if (request.metadata.deletionTimestamp === undefined && request.status?.phase === "Running" && chance(0.15))
        await stage.client.delete(machineRequest, { namespace: "butler-system", name });
    }
  };
}

/** Time passes, and lives go on. */
async function goOn(
  world: HandOverWorld,
  tend: () => Promise<void>,
  ...[ms, isEnough = () => false]: readonly [ms: number, isEnough?: () => boolean]
): Promise<void> {
  const end = world.stage.clock.monotonic() + ms;
  for (let leftMs = ms; leftMs > 0 && !isEnough(); leftMs = end - world.stage.clock.monotonic()) {
    await tend();
    await world.advance(Math.min(leftMs, 700), isEnough);
  }
}

/** Every request is deleted, and nothing is left. */
async function leave({ stage, cloud, until, faults }: HandOverWorld): Promise<void> {
  const names = Array.from({ length: SLOTS }, (_, slot) => `web-${slot}`);
  for (const name of names)
    if ((await stage.requestNow(name)) !== undefined)
      await stage.client.delete(machineRequest, { namespace: "butler-system", name });
  await until("nothing is left", () => cloud.machines.size + cloud.disks.size === 0, 10 * 60_000);
  await stage.until("all are gone", async () => {
    const all = await Promise.all(names.map((name) => stage.requestNow(name)));
    return all.every((request) => request === undefined);
  });
  assert.deepEqual(faults, []);
  assert.ok(cloud.mostPerId() <= 1);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
