// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import type { Call } from "../call.ts";
import type { Machines, Sighting } from "../provider.ts";
import type { MachineRule } from "./contract-rule.ts";
import { deepFreeze, differences, type Stage } from "./contract-stage.ts";
import { haveOf, isUp } from "./rules-of-existence.ts";

/** How a provider behaves while nothing is wrong: M6, M7, M11 and M12. */
export const rulesOfManners: readonly MachineRule[] = [
  { number: "M6", promise: "find, list, watch and check send only reads", play: onlyReads },
  { number: "M7", promise: "inputs stay unchanged", play: unchangedInputs },
  { number: "M11", promise: "an aborted signal ends the call quickly", play: abortedSignal },
  { number: "M11", promise: "a process that may no longer act sends nothing", play: refusedOutside },
  { number: "M12", promise: "one page of results is not taken for all", play: severalPages },
];

async function onlyReads(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  const wanted = stage.want("web-1");
  const connection = await connect();
  const { machines } = connection;
  await machines.create(wanted, call());
  await stage.until(connection, wanted, isUp);
  await stage.pass(60_000);
  const before = sim.state();
  const requestsBefore = sim.requests().length;
  const toldBefore = stage.told();
  assert.deepEqual(machines.validate(wanted), [], "validate");
  await machines.find(wanted, call());
  await machines.find(stage.want("web-2"), call());
  await machines.list(call());
  const report = await machines.check(call());
  assert.notEqual(report.findings.length, 0, "check must find something");
  for (const finding of report.findings.filter(({ result, isBlocking }) => result === "failed" && isBlocking))
    assert.fail(`check must be content with its own simulator: ${finding.message}`);
  await tellAll(machines, stage);
  const sent = sim.requests().slice(requestsBefore);
  assert.deepEqual(
    sent.filter(({ isWrite }) => isWrite),
    [],
    "no request may be a write",
  );
  assert.deepEqual(differences(before, sim.state()), [], "nothing may change");
  assert.ok(
    stage.told() - toldBefore >= sent.length,
    `every request must go through call.outside: ${sent.length} were sent and ${stage.told() - toldBefore} told`,
  );
}

/** Everything that a watch tells before `all-told`. */
async function tellAll(machines: Machines, { call }: Stage): Promise<readonly Sighting[]> {
  const told: Sighting[] = [];
  if (machines.watch === undefined) return told;
  const ended = new AbortController();
  for await (const sighting of machines.watch(call(ended.signal))) {
    if (sighting.type === "all-told") break;
    told.push(sighting);
  }
  ended.abort();
  return told;
}

async function unchangedInputs(stage: Stage): Promise<void> {
  const { connect, call } = stage;
  const wanted = stage.want("web-1", { extraDisks: [{ sizeGb: 5 }] });
  const copy = structuredClone(wanted);
  const connection = await connect();
  const { machines } = connection;
  machines.validate(wanted);
  await machines.create(wanted, call());
  const { have } = await stage.until(connection, wanted, isUp);
  assert.ok(have !== undefined);
  const frozen = deepFreeze(structuredClone(have));
  const copyOfHave = structuredClone(frozen);
  await machines.delete(frozen, call());
  assert.deepEqual(wanted, copy, "want");
  assert.deepEqual(frozen, copyOfHave, "have");
}

/** What a test waits for at most where it must not wait at all. */
const QUICKLY_MS = 3_000;

async function abortedSignal(stage: Stage): Promise<void> {
  const { connect, sim } = stage;
  const { machines } = await connect();
  for (const [verb, run] of verbsOf(machines, stage)) {
    const takeBack = sim.inject({ effect: { type: "hang" } });
    const abort = new AbortController();
    const running = run(stage.call(abort.signal));
    running.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort(new Error("nobody waits any more"));
    const outcome = await Promise.race([outcomeOf(running), quickly()]);
    takeBack();
    assert.equal(outcome, "rejected", `${verb} with a signal that is aborted while the infrastructure hangs`);
    const sentBefore = sim.requests().length;
    const late = await Promise.race([outcomeOf(run(stage.call(AbortSignal.abort(new Error("too late"))))), quickly()]);
    assert.equal(late, "rejected", `${verb} with a signal that was aborted before`);
    assert.equal(sim.requests().length, sentBefore, `${verb} with a signal that was aborted before sends nothing`);
  }
}

function verbsOf(machines: Machines, stage: Stage): readonly (readonly [string, (call: Call) => Promise<unknown>])[] {
  const wanted = stage.want("web-1");
  return [
    ["find", (call) => machines.find(wanted, call)],
    ["list", (call) => machines.list(call)],
    ["check", (call) => machines.check(call)],
    ["create", (call) => machines.create(wanted, call)],
    ["delete", (call) => machines.delete(haveOf(wanted), call)],
  ];
}

function outcomeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "resolved",
    () => "rejected",
  );
}

function quickly(): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(() => resolve("still running"), QUICKLY_MS).unref();
  });
}

async function refusedOutside(stage: Stage): Promise<void> {
  const { connect, sim } = stage;
  const { machines } = await connect();
  const refusal = new Error("this process may no longer act");
  for (const [verb, run] of verbsOf(machines, stage)) {
    const before = sim.requests().length;
    const call: Call = { signal: new AbortController().signal, outside: () => Promise.reject(refusal) };
    await assert.rejects(run(call), (error) => error === refusal, `${verb} must throw on what call.outside throws`);
    assert.equal(sim.requests().length, before, `${verb} must send nothing past call.outside`);
  }
}

const MANY = 7;
const PAGE = 2;

async function severalPages(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  sim.setPageSize(PAGE);
  const connection = await connect();
  const { machines } = connection;
  const wanted = Array.from({ length: MANY }, (_, index) => stage.want(`web-${index}`));
  for (const each of wanted) await machines.create(each, call());
  for (const each of wanted) await stage.until(connection, each, isUp);
  const names = wanted.map(({ name }) => name).sort();
  const listed = await machines.list(call());
  assert.deepEqual(listed.map(({ name }) => name).sort(), names, "list");
  if (machines.watch === undefined) return;
  const told = await tellAll(machines, stage);
  const byName = (one: { readonly name: string }, other: { readonly name: string }) => (one.name < other.name ? -1 : 1);
  const haves = told.flatMap((sighting) => (sighting.type === "machine" ? [sighting.have] : []));
  assert.deepEqual(haves.sort(byName), [...listed].sort(byName), "watch must tell what list does");
}
