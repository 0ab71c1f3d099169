// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import type { Call } from "../call.ts";
import type { MachineHave, MachineWant, Sighting } from "../provider.ts";
import type { MachineRule } from "./contract-rule.ts";
import { differences, refusal, type Stage } from "./contract-stage.ts";
import type { FaultEffect } from "./simulator.ts";

/** More writes than any provider needs to make one machine. */
const MOST_WRITES = 40;
const MOST_REQUESTS = 120;
const MOST_TURNS = 600;

/** After so long an infrastructure has nothing left to do of its own accord. */
const QUIET_AFTER_MS = 600_000;

/** Whether there is one machine, none, or more than one: M1 to M5. */
export const rulesOfExistence: readonly MachineRule[] = [
  { number: "M1", promise: "nothing there gives undefined", play: nothingThere },
  { number: "M2", promise: "create twice, also from a fresh connection, leaves one machine", play: createTwice },
  { number: "M2", promise: "a create whose answers are lost one by one leaves one machine", play: lostAnswers },
  { number: "M2", promise: "a create whose requests arrive twice leaves one machine", play: doubledRequests },
  { number: "M2", promise: "a create for a machine that is there makes nothing where it is gone", play: onlyExisting },
  { number: "M3", promise: "a stranger's machine is refused and untouched", play: stranger },
  { number: "M3", promise: "a machine of another request or installation is refused and untouched", play: otherOwner },
  { number: "M4", promise: "delete of nothing succeeds", play: deleteNothing },
  { number: "M5", promise: "delete while creating leaves nothing", play: deleteWhileCreating },
  { number: "M5", promise: "delete after a create that was cut at any request leaves nothing", play: deleteAfterCut },
  { number: "M5", promise: "delete that is cut at any request is continued by another", play: cutDelete },
  { number: "M5", promise: "delete after a create whose writes arrive late leaves nothing", play: deleteAfterLate },
];

async function nothingThere({ connect, call, want }: Stage): Promise<void> {
  const { machines } = await connect();
  assert.deepEqual(await machines.find(want("web-1"), call()), {}, "find");
  assert.deepEqual(await machines.list(call()), [], "list");
  if (machines.watch === undefined) return;
  const ended = new AbortController();
  const first = await firstOf(machines.watch(call(ended.signal)));
  ended.abort();
  assert.deepEqual(first, { type: "all-told" }, "watch");
}

async function firstOf(sightings: AsyncIterable<Sighting>): Promise<Sighting | undefined> {
  for await (const sighting of sightings) return sighting;
  return undefined;
}

async function createTwice(stage: Stage): Promise<void> {
  const { connect, call, sim, until } = stage;
  const wanted = stage.want("web-1");
  const [one, other] = [await connect(), await connect()];
  await Promise.allSettled([one.machines.create(wanted, call()), other.machines.create(wanted, call())]);
  await one.machines.create(wanted, call());
  await one.machines.create(wanted, call());
  const fresh = await connect();
  await fresh.machines.create(wanted, call());
  const { have } = await until(fresh, wanted, isUp);
  assert.equal(sim.machines().length, 1, "there must be one machine");
  assert.equal(have?.providerId, sim.machines()[0]?.id, "its providerId must be the infrastructure's own");
  assert.deepEqual(have?.mark, wanted.mark, "it must carry the whole mark");
  assert.deepEqual(have?.labels, wanted.labels, "it must have the wanted labels");
  assert.equal(new Set(have?.addresses).size, have?.addresses.length, "no address may be told twice");
  await fresh.machines.create(wanted, call());
  const again = await fresh.machines.find(wanted, call());
  assert.equal(again.have?.state, "running", "create of a machine that runs must leave it running");
  assert.equal(sim.machines().length, 1, "there must still be one machine");
  await stage.deleteAll(one, wanted);
  assert.deepEqual(sim.leftovers(), [], "nothing may be left");
}

async function onlyExisting(stage: Stage): Promise<void> {
  const { connect, call, sim, until } = stage;
  const machines = await connect();
  const wanted = stage.want("web-1");
  const existing = "00000000-0000-4000-8000-000000000000";
  assert.deepEqual(await machines.machines.create({ ...wanted, existing }, call()), {}, "of a machine that is gone");
  assert.deepEqual(sim.leftovers(), [], "nothing may be made");
  await machines.machines.create(wanted, call());
  const { have } = await until(machines, wanted, isUp);
  const standing = { ...wanted, existing: have?.providerId ?? "" };
  const labels = { ...wanted.labels, tier: "new" };
  const aligned = await machines.machines.create({ ...standing, labels }, call());
  assert.equal(aligned.have?.providerId, have?.providerId, "of a machine that is there: it must be told");
  assert.deepEqual(aligned.have?.labels, labels, "its labels must be brought in line");
  assert.deepEqual(await machines.machines.create({ ...wanted, existing }, call()), {}, "of another that has its name");
  assert.equal(sim.machines().length, 1, "there must be one machine");
  await stage.deleteAll(machines, wanted);
  assert.deepEqual(sim.leftovers(), [], "nothing may be left");
}

function lostAnswers(stage: Stage): Promise<void> {
  return withFaultAtEachWrite(stage, { type: "lose-answer" });
}

function doubledRequests(stage: Stage): Promise<void> {
  return withFaultAtEachWrite(stage, { type: "twice" });
}

/** Makes and deletes a machine once for each write that it takes, with a fault at that write. */
async function withFaultAtEachWrite(stage: Stage, effect: FaultEffect): Promise<void> {
  const { connect, call, sim, until } = stage;
  for (let at = 1; at <= MOST_WRITES; at += 1) {
    const wanted = stage.want(`web-${at}`);
    const connection = await connect();
    let writes = 0;
    const takeBack = sim.inject({
      on: ({ isWrite }) => {
        if (isWrite) writes += 1;
        return isWrite && writes === at;
      },
      times: 1,
      effect,
    });
    const first = await connection.machines.create(wanted, call()).then(
      () => undefined,
      (error: unknown) => error,
    );
    takeBack();
    if (first !== undefined) {
      const error = await refusal(Promise.reject(first), `create with a fault at write ${at}`);
      assert.equal(error.kind, "unavailable", `write ${at}: ${error.message}`);
      assert.equal(error.mayHaveActed, true, `write ${at}: nobody knows whether it had an effect`);
      await connection.machines.create(wanted, call());
    }
    await until(connection, wanted, isUp);
    assert.equal(named(stage, wanted).length, 1, `fault at write ${at}: there must be one machine`);
    await stage.deleteAll(connection, wanted);
    assert.deepEqual(sim.leftovers(), [], `fault at write ${at}: nothing may be left`);
    if (writes < at) return;
  }
  assert.fail(`a machine takes more than ${MOST_WRITES} writes`);
}

async function stranger(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  const wanted = stage.want("web-1");
  await sim.addStranger(wanted.name);
  await stage.pass(QUIET_AFTER_MS);
  const before = sim.state();
  const { machines } = await connect();
  const found = await machines.find(wanted, call());
  assert.equal(found.have, undefined, "find must not take it for ours");
  assert.notEqual(found.stranger, undefined, "find must tell that the name is taken");
  const error = await refusal(machines.create(wanted, call()), "create");
  assert.equal(error.kind, "invalid", error.message);
  assert.equal(error.reason, "NameConflict", error.message);
  await machines.delete(haveOf(wanted), call());
  await stage.pass(60_000);
  assert.deepEqual(await machines.list(call()), [], "list must not show it");
  assert.deepEqual(differences(before, sim.state()), [], "it must be untouched");
}

async function otherOwner(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  const wanted = stage.want("web-1");
  const ours = await connect();
  await ours.machines.create(wanted, call());
  await stage.until(ours, wanted, isUp);
  await stage.pass(QUIET_AFTER_MS);
  const before = sim.state();
  const elsewhere = "99999999-8888-4777-8666-555555555555";
  const others = [
    { what: "another request", want: stage.want("web-1", { mark: { machineId: elsewhere, owner: "default/copy" } }) },
    { what: "a copy of the annotations", want: stage.want("web-1", { mark: { owner: "default/copy" } }) },
    { what: "another installation", want: stage.want("web-1", { mark: { installation: elsewhere } }) },
  ];
  for (const { what, want: other } of others) {
    const { machines } = await connect({ installation: other.mark.installation });
    const found = await machines.find(other, call());
    assert.equal(found.have, undefined, `${what}: find must not take it for its own`);
    assert.deepEqual(found.stranger?.mark, wanted.mark, `${what}: find must tell whose it is`);
    const error = await refusal(machines.create(other, call()), `${what}: create`);
    assert.equal(error.kind, "invalid", error.message);
    assert.match(error.reason, /^(NameConflict|IdentityConflict)$/, error.message);
    assert.ok(error.message.includes(wanted.mark.owner), `${what}: the message must name the owner: ${error.message}`);
    await machines.delete(haveOf(other), call());
  }
  const { machines } = await connect({ installation: elsewhere });
  assert.deepEqual(await machines.list(call()), [], "list must not show machines of another installation");
  await stage.pass(60_000);
  assert.deepEqual(differences(before, sim.state()), [], "it must be untouched");
}

async function deleteNothing(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  const wanted = stage.want("web-1");
  const { machines } = await connect();
  const before = sim.state();
  await machines.delete(haveOf(wanted), call());
  await machines.delete({ ...haveOf(wanted), state: "remains", providerId: undefined }, call());
  assert.deepEqual(differences(before, sim.state()), []);
}

async function deleteWhileCreating(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  const connection = await connect();
  for (const [index, afterMs] of [0, 1, 1_000, 5_000, 20_000, 60_000, 300_000].entries()) {
    const wanted = stage.want(`web-${index}`, { extraDisks: [{ sizeGb: 5 }] });
    await connection.machines.create(wanted, call());
    if (afterMs > 0) await stage.pass(afterMs);
    await stage.deleteAll(connection, wanted);
    assert.deepEqual(sim.leftovers(), [], `deleted ${afterMs} ms after create: nothing may be left`);
    assert.deepEqual(await connection.machines.list(call()), [], `deleted ${afterMs} ms after create: list`);
  }
  for (const how of ["removed", "stopped"] as const) {
    const wanted = stage.want(`gone-${how}`, { extraDisks: [{ sizeGb: 5 }] });
    await connection.machines.create(wanted, call());
    await stage.until(connection, wanted, isUp);
    await (how === "removed" ? sim.removeMachine(wanted.name) : sim.stopMachine(wanted.name));
    await stage.pass(1_000);
    await stage.deleteAll(connection, wanted);
    assert.deepEqual(sim.leftovers(), [], `${how} behind our back: nothing may be left`);
  }
}

/** The call of a process that is killed when it is about to send its request number `at`. */
function mortalCall({ call }: Stage, at: number): Call & { readonly isDead: () => boolean } {
  const { signal, outside } = call();
  let sent = 0;
  return {
    signal,
    isDead: () => sent >= at,
    outside(verb, send) {
      sent += 1;
      return sent >= at ? Promise.reject(new Error("the process was killed")) : outside(verb, send);
    },
  };
}

async function deleteAfterCut(stage: Stage): Promise<void> {
  const { connect, sim } = stage;
  for (let at = 1; at <= MOST_REQUESTS; at += 1) {
    const wanted = stage.want(`web-${at}`);
    const call = mortalCall(stage, at);
    await (await connect()).machines.create(wanted, call).catch(() => {});
    await stage.pass(at % 2 === 0 ? 5_000 : 1);
    await stage.deleteAll(await connect(), wanted);
    assert.deepEqual(sim.leftovers(), [], `killed at request ${at} of create: nothing may be left`);
    if (!call.isDead()) return;
  }
  assert.fail(`a machine takes more than ${MOST_REQUESTS} requests`);
}

async function cutDelete(stage: Stage): Promise<void> {
  const { connect, sim } = stage;
  for (let at = 1; at <= MOST_REQUESTS; at += 1) {
    const wanted = stage.want(`web-${at}`, { extraDisks: [{ sizeGb: 5 }] });
    const maker = await connect();
    await maker.machines.create(wanted, stage.call());
    await stage.until(maker, wanted, isUp);
    const call = mortalCall(stage, at);
    const { machines } = await connect();
    for (let turns = 0; turns < MOST_TURNS && !call.isDead(); turns += 1) {
      const { have } = await maker.machines.find(wanted, stage.call());
      if (have === undefined) break;
      await machines.delete(have, call).catch(() => {});
      await stage.pass(2_000);
    }
    await stage.deleteAll(await connect(), wanted);
    assert.deepEqual(sim.leftovers(), [], `killed at request ${at} of delete: nothing may be left`);
    if (!call.isDead()) return;
  }
  assert.fail(`the end of a machine takes more than ${MOST_REQUESTS} requests`);
}

/** A request may reach the infrastructure so long after its caller gave up; the engine waits longer than that. */
const LATE_MS = 30_000;

async function deleteAfterLate(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  for (let at = 1; at <= MOST_WRITES; at += 1) {
    const wanted = stage.want(`web-${at}`);
    let writes = 0;
    const takeBack = sim.inject({
      on: ({ isWrite }) => {
        if (isWrite) writes += 1;
        return isWrite && writes === at;
      },
      times: 1,
      effect: { type: "late", byMs: LATE_MS },
    });
    const connection = await connect();
    await connection.machines.create(wanted, call()).catch(() => {});
    takeBack();
    // Sometimes it is tried again before the late one comes.
    if (at % 2 === 0) await connection.machines.create(wanted, call()).catch(() => {});
    await stage.pass(2 * LATE_MS);
    assert.ok(named(stage, wanted).length <= 1, `write ${at} came late: there must not be two machines`);
    await stage.deleteAll(connection, wanted);
    await stage.pass(2 * LATE_MS);
    assert.deepEqual(sim.leftovers(), [], `write ${at} came late: nothing may be left`);
    if (writes < at) return;
  }
  assert.fail(`a machine takes more than ${MOST_WRITES} writes`);
}

/** Whether the machine runs and has an address. */
export function isUp({ have }: { readonly have?: MachineHave }): boolean {
  return have?.state === "running" && have.addresses.length > 0;
}

function named({ sim }: Stage, { name }: MachineWant) {
  return sim.machines().filter((machine) => machine.name === name);
}

/** The machine as somebody remembers it who believes that it is there. */
export function haveOf({ name, mark, labels }: MachineWant): MachineHave {
  return { name, mark, providerId: "remembered", state: "running", addresses: [], labels };
}
