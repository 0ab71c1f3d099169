// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createClient } from "../client/client.ts";
import { LostLeadershipError } from "../errors.ts";
import { createElection } from "./election.ts";
import { type Candidate, createWorld, type World } from "./testing/election-world.ts";

const LEASE_MS = 15_000;
const RENEW_MS = 10_000;
/** Two looks of a candidate at 2.2 periods each: one may just have missed the last renewal, one the end of the wait. */
const LONGEST_LOOKS_MS = 2 * 2.2 * 2_000;
/** The world goes in steps of this. */
const STEP_MS = 50;

async function twoCandidates(options: { skewMs?: number; workMs?: number } = {}) {
  const world = createWorld();
  const leader = world.start("a", { ...(options.workMs === undefined ? {} : { workMs: options.workMs }) });
  await world.until(leader.manager.isLeader, 1_000);
  const other = world.start("b", { skewMs: options.skewMs ?? 0 });
  await world.advance(20_000);
  assert.ok(leader.manager.isLeader());
  assert.equal(other.pieces(), 0);
  return { world, leader, other };
}

function assertLost(candidate: Candidate) {
  const outcome = candidate.outcome();
  assert.ok(typeof outcome === "object" && outcome.error instanceof LostLeadershipError);
}

/** The other leads not before the lease has run out, and soon after. */
async function assertHandOver({ world, other }: { world: World; other: Candidate }) {
  const { renewedAt } = world.lease();
  await world.until(other.manager.isLeader, LEASE_MS + LONGEST_LOOKS_MS + STEP_MS);
  const waitedMs = world.clock.monotonic() - renewedAt;
  assert.ok(waitedMs >= LEASE_MS, `took over after ${waitedMs} ms`);
  assert.equal(world.lease().holder, other.name);
  assert.equal(world.lease().transitions, 1);
  await world.until(() => other.pieces() > 0, 1_000);
}

test("of several processes one leads, and it goes on leading", async () => {
  const { world, leader } = await twoCandidates();
  await world.advance(60_000);
  assert.ok(leader.manager.isLeader());
  assert.deepEqual(
    { ...world.lease(), renewedAt: 0 },
    { holder: "a", transitions: 0, duration: LEASE_MS / 1000, renewedAt: 0 },
  );
});

test("a leader that stops gives the lease back, and the next one leads within 2.2 retry periods", async () => {
  const { world, leader, other } = await twoCandidates();
  leader.stop();
  await world.until(() => leader.outcome() !== undefined, 1_000);
  assert.equal(leader.outcome(), "fine");
  const { holder, duration, transitions } = world.lease();
  assert.deepEqual({ holder, duration, transitions }, { holder: "", duration: 1, transitions: 0 });
  await world.until(other.manager.isLeader, 2.2 * 2_000 + STEP_MS);
  assert.equal(world.lease().transitions, 1);
});

test("a leader that is killed is followed after its lease has run out, within the promised time", async () => {
  const stage = await twoCandidates();
  stage.leader.kill();
  await assertHandOver(stage);
});

for (const network of ["no requests", "no answers"] as const)
  test(`a leader cut off (${network}) starts and sends nothing after the renew deadline, long before another leads`, async () => {
    const { world, leader, other } = await twoCandidates();
    const lastHeardAt = world.lease().renewedAt;
    leader.network = network;
    await world.until(() => leader.outcome() !== undefined, RENEW_MS + STEP_MS);
    assertLost(leader);
    assert.ok((leader.workedAt() ?? 0) < lastHeardAt + RENEW_MS);
    const before = leader.pieces();
    leader.network = "open";
    await assertHandOver({ world, other });
    assert.equal(leader.pieces(), before);
  });

test("a renewal whose answer is lost does not prolong leadership: the deadline counts from the last one that was confirmed", async () => {
  const { world, leader } = await twoCandidates();
  await world.advance(1_000);
  const confirmedAt = world.lease().renewedAt;
  leader.network = "no answers";
  await world.until(() => !leader.manager.isLeader(), RENEW_MS + STEP_MS);
  assert.ok(world.lease().renewedAt > confirmedAt, "the server did keep a later renewal");
  assert.ok(world.clock.monotonic() <= confirmedAt + RENEW_MS + STEP_MS);
});

test("a process that was paused in the middle of its work starts nothing and sends nothing when it wakes up", async () => {
  const { world, leader, other } = await twoCandidates({ workMs: 500 });
  leader.pause();
  const before = leader.pieces();
  await world.until(other.manager.isLeader, LEASE_MS + LONGEST_LOOKS_MS + STEP_MS);
  await world.advance(30_000);
  leader.resume();
  // The world fails the test where a write of a process arrives that does not hold the lease.
  await world.advance(5_000);
  assert.equal(leader.pieces(), before);
  assertLost(leader);
  assert.ok(other.manager.isLeader());
});

for (const skewMs of [-3_600_000, 3_600_000, 365 * 86_400_000])
  test(`wall clocks that differ by ${skewMs / 3_600_000} hours change nothing`, async () => {
    const { world, leader, other } = await twoCandidates({ skewMs });
    leader.jump(-7_200_000);
    other.jump(86_400_000);
    await world.advance(60_000);
    assert.ok(leader.manager.isLeader());
    assert.equal(other.pieces(), 0);
    leader.kill();
    await assertHandOver({ world, leader, other } as { world: World; other: Candidate });
  });

test("a wall clock that stands still does not make a living leader look dead", async () => {
  const { world, leader, other } = await twoCandidates();
  for (let step = 0; step < 400; step += 1) {
    await world.advance(100);
    leader.jump(-100);
  }
  assert.ok(leader.manager.isLeader());
  assert.equal(other.pieces(), 0);
});

test("monotonic clocks may differ in speed by the margin between the two deadlines", async () => {
  const world = createWorld();
  const slow = world.start("a", { rate: 0.75 });
  await world.until(slow.manager.isLeader, 1_000);
  const fast = world.start("b", { rate: 1.1 });
  await world.advance(20_000);
  slow.network = "no answers";
  await world.until(fast.manager.isLeader, 60_000);
  assertLost(slow);
});

test("a lease that is deleted or taken away ends leadership at the next renewal", async () => {
  const { world, leader, other } = await twoCandidates();
  other.kill();
  world.removeLease();
  await world.until(() => leader.outcome() !== undefined, 2_000 + STEP_MS);
  assertLost(leader);
});

test("a lease whose duration somebody has shortened is waited for as long as ever", async () => {
  const { world, leader, other } = await twoCandidates();
  leader.network = "no requests";
  world.changeLease({ leaseDurationSeconds: 1 });
  // The world fails the test where both may work.
  await world.until(other.manager.isLeader, LEASE_MS + LONGEST_LOOKS_MS + STEP_MS);
  assertLost(leader);
});

test("a lease that has changed hands more often than can be counted is taken all the same", async () => {
  const { world, leader, other } = await twoCandidates();
  leader.kill();
  world.changeLease({ leaseTransitions: 2 ** 31 - 1 });
  await world.until(other.manager.isLeader, LEASE_MS + LONGEST_LOOKS_MS + STEP_MS);
  assert.equal(world.lease().transitions, 2 ** 31 - 1);
});

test("a process that wakes up after its deadline does not renew: nobody would wait for it in vain", async () => {
  const { world, leader } = await twoCandidates();
  const { renewedAt } = world.lease();
  leader.pause();
  await world.advance(RENEW_MS + 1_000);
  leader.resume();
  await world.advance(500);
  assertLost(leader);
  assert.equal(world.lease().renewedAt, renewedAt);
});

test("of three processes there is always one as long as one is left", async () => {
  const world = createWorld();
  const candidates = ["a", "b", "c"].map((name, at) =>
    world.start(name, { skewMs: (at - 1) * 1e9, random: () => at / 3 }),
  );
  const leading = () => candidates.find(({ manager }) => manager.isLeader());
  for (const expected of [0, 1, 2]) {
    await world.until(() => leading() !== undefined, LEASE_MS + LONGEST_LOOKS_MS + STEP_MS);
    assert.equal(world.lease().transitions, expected);
    await world.advance(5_000);
    leading()?.kill();
  }
});

test("whatever is paused, cut off, killed and jumped, no two of three lead, none writes without the lease, and one leads in the end", async () => {
  const trouble = fc.record({
    who: fc.integer({ min: 0, max: 2 }),
    what: fc.constantFrom("pause", "resume", "no requests", "no answers", "open", "jump", "restart", "stop"),
    forMs: fc.integer({ min: 100, max: 20_000 }),
  });
  const property = fc.asyncProperty(fc.array(trouble, { minLength: 5, maxLength: 15 }), async (troubles) => {
    const world = createWorld();
    let born = 0;
    const start = (at: number) => {
      born += 1;
      return world.start(`${at}-${born}`, { skewMs: at * 1e8, random: () => (born % 7) / 7, workMs: 150 });
    };
    const candidates = [start(0), start(1), start(2)];
    for (const { who, what, forMs } of troubles) {
      const candidate = candidates[who];
      if (candidate === undefined) continue;
      if (what === "pause") candidate.pause();
      else if (what === "resume") candidate.resume();
      else if (what === "jump") candidate.jump(forMs * 1000 - 1e7);
      else if (what === "stop") candidate.stop();
      else if (what === "restart") {
        candidate.kill();
        candidates[who] = start(who);
      } else candidate.network = what;
      await world.advance(forMs);
    }
    for (const [at, candidate] of candidates.entries()) {
      candidate.resume();
      candidate.network = "open";
      if (candidate.outcome() !== undefined) candidates[at] = start(at);
    }
    await world.until(
      () => candidates.some(({ manager }) => manager.isLeader()),
      LEASE_MS + LONGEST_LOOKS_MS + RENEW_MS,
    );
  });
  await fc.assert(property, { numRuns: 12 });
});

test("times that contradict each other are refused", () => {
  const client = createClient({ server: "http://nowhere" });
  const election = (times: object) => () =>
    createElection({ client, namespace: "n", name: "l", identity: "me", ...times });
  assert.throws(election({ renewDeadlineMs: 15_000 }), RangeError);
  assert.throws(election({ retryPeriodMs: 9_000 }), RangeError);
  assert.throws(election({ retryPeriodMs: 0 }), RangeError);
  assert.throws(election({ leaseDurationMs: 15_500 }), RangeError);
  assert.throws(election({ identity: "" }), RangeError);
});
