// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kube/index.ts";
import { createGuard, createTraffic, type Entry, type GuardOptions, type MarkedMachine } from "./guard.ts";

const { signal } = new AbortController();

function guarded(more: Partial<GuardOptions> & { releasedIds?: readonly string[] } = {}) {
  const clock = manualClock();
  const called: string[] = [];
  const guard = createGuard({
    clock,
    config: '"butler-system/prod"',
    limits: () => ({ maxConcurrentCreates: 2 }),
    closed: () => undefined,
    marked: () => [],
    requested: () => [],
    requestedNearby: () => more.requested?.() ?? [],
    isRequest: () => true,
    released: { record: async () => {}, ids: async () => new Set(more.releasedIds ?? []) },
    traffic: createTraffic(clock, (owner) => called.push(owner)),
    ...more,
  });
  return { clock, called, enter: (id: string) => guard.enter(id, { signal, owner: `team-a/${id}` }) };
}

const machines = (...ids: string[]): readonly MarkedMachine[] =>
  ids.map((machineId) => ({ machineId, name: `vm-${machineId}`, owner: `team-a/${machineId}` }));

test("only so many create calls are under way at once; a turn is given back once", async () => {
  const { enter } = guarded();
  const [one, two, three] = await Promise.all(["a", "b", "c"].map(enter));
  assert.deepEqual([one?.state, two?.state, three?.state], ["entered", "entered", "refused"]);
  assert.ok(three?.state === "refused" && three.reason === "TooManyCreates" && !three.isTold);
  if (one?.state === "entered") {
    one.leave();
    assert.equal((await enter("c")).state, "entered");
    one.leave();
  }
  assert.equal((await enter("d")).state, "refused");
});

test("whoever was refused is called when a place is free: in the order they came, and one for each place", async () => {
  const { enter, called, clock } = guarded({ limits: () => ({ maxConcurrentCreates: 1 }) });
  const first = await enter("a");
  for (const id of ["b", "c", "d"]) assert.equal((await enter(id)).state, "refused");
  assert.deepEqual(called, []);
  if (first.state === "entered") first.leave();
  assert.deepEqual(called, ["team-a/b"]);
  // Somebody else was quicker: who was called keeps their place in the line.
  const quicker = await enter("e");
  assert.equal((await enter("b")).state, "refused");
  if (quicker.state === "entered") quicker.leave();
  assert.deepEqual(called, ["team-a/b", "team-a/b"]);
  const second = await enter("b");
  // Who does not ask any more is passed over.
  await clock.advance(130_000);
  assert.equal((await enter("d")).state, "refused");
  if (second.state === "entered") second.leave();
  assert.deepEqual(called.slice(2), ["team-a/d"]);
});

const told = (entry: Entry) => (entry.state === "refused" ? [entry.isTold, entry.isOrderly] : entry.state);

test("who waits longer than a minute in a line that stands still is told so, and that nothing is wrong", async () => {
  const { enter, clock } = guarded({ limits: () => ({ maxConcurrentCreates: 1 }) });
  const first = await enter("a");
  assert.deepEqual(told(await enter("b")), [false, true]);
  await clock.advance(60_000);
  assert.deepEqual(told(await enter("b")), [true, true]);
  if (first.state === "entered") first.leave();
  assert.equal(told(await enter("b")), "entered");
});

test("where nobody has a turn for half a minute, those who wait are told after one", async () => {
  const { enter, clock } = guarded({ limits: () => ({ maxConcurrentCreates: 1 }) });
  const slow = await enter("a");
  assert.deepEqual(told(await enter("b")), [false, true]);
  await clock.advance(59_000);
  if (slow.state === "entered") slow.leave();
  assert.equal(told(await enter("c")), "entered");
  await clock.advance(1_000);
  assert.deepEqual(told(await enter("b")), [true, true]);
});

test("in a line that moves only who waits longer than five minutes is told so", async () => {
  const { enter, clock } = guarded({ limits: () => ({ maxConcurrentCreates: 1 }) });
  for (let minute = 0; minute < 6; minute += 1) {
    const other = await enter(`other-${minute}`);
    assert.deepEqual(told(await enter("b")), [false, true], `before a turn is had in minute ${minute}`);
    await clock.advance(29_000);
    if (other.state === "entered") other.leave();
    await enter(`another-${minute}`).then((entry) => entry.state === "entered" && entry.leave());
    await clock.advance(29_000);
  }
  await enter("other");
  assert.deepEqual(told(await enter("b")), [true, true]);
});

test("create calls that are under way through an earlier connection count", async () => {
  const traffic = createTraffic(manualClock(), () => {});
  const [before, after] = [guarded({ traffic }), guarded({ traffic })];
  for (const id of ["a", "b"]) assert.equal((await before.enter(id)).state, "entered");
  assert.equal((await after.enter("c")).state, "refused");
});

test("the same machine is not created twice at once", async () => {
  const { enter } = guarded();
  await enter("a");
  assert.equal((await enter("a")).state, "refused");
});

test("limits.maxMachines counts what is there, what is requested and what was just let in", async () => {
  const { enter } = guarded({
    limits: () => ({ maxMachines: 3, maxConcurrentCreates: 10 }),
    marked: () => machines("a"),
    requested: () => ["a", "b", undefined],
  });
  assert.equal((await enter("c")).state, "entered");
  const stopped = await enter("d");
  assert.ok(stopped.state === "refused" && stopped.isTold);
  assert.equal(stopped.reason, "MachineLimitReached");
  assert.match(stopped.message, /allows 3 machines \(spec.limits.maxMachines\) and has 3/);
  assert.equal((await enter("a")).state, "entered");
});

test("creation stops, and says which machines are too many, when there are more than requests and released ones", async () => {
  const surroundings = { marked: () => machines("a", "x", "y"), requested: () => ["a", "b"] };
  const frozen = await guarded(surroundings).enter("b");
  assert.ok(frozen.state === "refused" && frozen.isTold);
  assert.equal(frozen.reason, "TooManyMachines");
  assert.match(
    frozen.message,
    /there are 3 machines of this installation for 2 MachineRequests; without a request: "vm-x", "vm-y"/,
  );
  assert.equal((await guarded({ ...surroundings, releasedIds: ["x"] }).enter("b")).state, "entered");
  assert.equal(
    (await guarded({ ...surroundings, requestedNearby: () => ["a", "b", "x"] }).enter("b")).state,
    "entered",
  );
});

test("creation stops when a machine stands whose request is gone, though others make up for it in number", async () => {
  const isRequest = (owner: string) => owner !== "team-a/x";
  const surroundings = { marked: () => machines("a", "x"), requested: () => ["a", "b", undefined], isRequest };
  const frozen = await guarded(surroundings).enter("b");
  assert.ok(frozen.state === "refused" && frozen.isTold);
  assert.equal(frozen.reason, "TooManyMachines");
  assert.match(frozen.message, /whose MachineRequests are gone, 1 in all: "vm-x"; the owner in the mark of each says/);
  assert.doesNotMatch(frozen.message, /team-a/, "who else has requests is nobody's business");
  assert.equal((await guarded({ ...surroundings, releasedIds: ["x"] }).enter("b")).state, "entered");
});

test("nothing is made through a ProviderConfig that is on its way out", async () => {
  const { enter } = guarded({ closed: () => ({ reason: "ProviderConfigDeleting", message: "going" }) });
  const closed = await enter("a");
  assert.ok(closed.state === "refused" && closed.reason === "ProviderConfigDeleting");
});
