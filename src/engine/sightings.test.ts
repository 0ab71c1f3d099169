// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kube/index.ts";
import type { Calls } from "./outside-call.ts";
import type { MachineHave, Machines, Sighting } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { createSightings } from "./sightings.ts";

const machine = (name: string, more: Partial<MachineHave> = {}): MachineHave => ({
  name,
  mark: { machineId: name, installation: "i", attempt: 1, launch: "h", owner: `ns/${name}` },
  providerId: `id-${name}`,
  state: "running",
  addresses: [],
  labels: {},
  ...more,
});

const DOWN = new ProviderError({ kind: "unavailable", reason: "ServerError", message: "503" });

interface Wishes extends Partial<Pick<Machines, "list" | "watch">> {
  readonly visibilityLagMs?: number;
}

/** Sightings on a clock that stands still, and what they told. */
function stageOf({ visibilityLagMs = 0, ...machines }: Wishes) {
  const clock = manualClock();
  const changes: (string | undefined)[] = [];
  const call = (signal: AbortSignal) => ({ signal, outside: <T>(_verb: string, send: () => Promise<T>) => send() });
  const calls: Pick<Calls, "run" | "open"> = {
    run: ({ signal }, verb) => verb(call(signal)),
    open: call,
  };
  const sightings = createSightings({
    machines: { list: async () => [], ...machines },
    calls,
    clock,
    random: () => 1,
    visibilityLagMs,
    callLimitMs: 60_000,
    watchLastsMs: 600_000,
    onChange: (owner) => void changes.push(owner),
  });
  return {
    clock,
    sightings,
    changes,
    async stop() {
      await sightings.stop();
      assert.equal(clock.waiting, 0, "a wait was left behind");
    },
  };
}

const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("one list serves all machines: news are told once, what is gone goes", async () => {
  let there = [machine("a"), machine("b")];
  const { clock, sightings, changes, stop } = stageOf({ list: async () => there });
  assert.equal(sightings.isComplete, false);
  sightings.start();
  await settle();
  assert.equal(sightings.isComplete, true);
  assert.deepEqual(changes.splice(0), ["ns/a", "ns/b", undefined]);
  await clock.advance(120_000);
  assert.deepEqual(changes, [], "nothing new is no news");
  there = [machine("b", { addresses: ["10.0.0.1"] })];
  await clock.advance(120_000);
  assert.deepEqual(changes.splice(0), ["ns/b", "ns/a"]);
  assert.equal(sightings.get({ machineId: "a", owner: "ns/a" }), undefined);
  assert.deepEqual(sightings.get({ machineId: "b", owner: "ns/b" })?.addresses, ["10.0.0.1"]);
  assert.equal(sightings.get({ machineId: "b", owner: "ns/copy" }), undefined, "an id alone is no proof");
  await stop();
});

test("looks come at most ten seconds apart while something is awaited, and seldom when all is quiet", async () => {
  let looks = 0;
  const { clock, sightings, stop } = stageOf({
    async list() {
      looks += 1;
      return [];
    },
  });
  sightings.start();
  await clock.advance(60 * 60_000);
  assert.ok(looks < 40, `${looks} looks in a quiet hour`);
  looks = 0;
  sightings.await("a", true);
  await clock.advance(10_000);
  assert.ok(looks >= 1, "out of the long pause");
  await clock.advance(60_000);
  assert.ok(looks >= 6, `${looks} looks in a minute`);
  sightings.await("a", false);
  looks = 0;
  await clock.advance(60 * 60_000);
  assert.ok(looks < 40);
  await stop();
});

test("what a direct call has shown stays until a look that began after it, and after the lag, has not", async () => {
  const { clock, sightings, changes, stop } = stageOf({ visibilityLagMs: 30_000 });
  sightings.start();
  await settle();
  sightings.await("a", true);
  sightings.note(machine("a"), { since: sightings.told });
  assert.deepEqual(changes.splice(0), [undefined, "ns/a"]);
  await clock.advance(29_000);
  assert.ok(sightings.get({ machineId: "a", owner: "ns/a" }));
  await clock.advance(20_000);
  assert.equal(sightings.get({ machineId: "a", owner: "ns/a" }), undefined);
  assert.deepEqual(changes.splice(0), ["ns/a"]);
  sightings.note(machine("a"), { since: sightings.told });
  sightings.forget({ machineId: "a", owner: "ns/a" }, { since: sightings.told });
  assert.deepEqual(sightings.list(), []);
  await stop();
});

test("what a direct call has shown does not replace what was told while it was under way", async () => {
  const told: Sighting[] = [];
  let wake = () => {};
  const { sightings, changes, stop } = stageOf({
    async *watch({ signal }) {
      yield { type: "all-told" };
      while (!signal.aborted) {
        yield* told.splice(0);
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
  });
  const hear = async (sighting: Sighting) => {
    told.push(sighting);
    wake();
    await settle();
  };
  const mark = { machineId: "a", owner: "ns/a" };
  sightings.start();
  await settle();
  const since = sightings.told;
  await hear({ type: "machine", have: machine("a", { addresses: ["10.0.0.1"] }) });
  changes.length = 0;
  sightings.note(machine("a", { state: "pending" }), { since });
  assert.equal(sightings.get(mark)?.state, "running", "the answer to a create call came late");
  sightings.forget(mark, { since });
  assert.equal(sightings.get(mark)?.state, "running", "a look that began before it was made has not found it");
  assert.deepEqual(changes, []);
  await hear({ type: "gone", machineId: "a", name: "a" });
  sightings.note(machine("a"), { since });
  assert.equal(sightings.get(mark), undefined, "a look that began before it went has found it");
  sightings.note(machine("a"), { since: sightings.told });
  assert.equal(sightings.get(mark)?.state, "running", "it was made anew");
  await stop();
});

test("three looks that fail in a row are told to everybody, and so is the first that works again", async () => {
  let isDown = false;
  const { clock, sightings, changes, stop } = stageOf({
    async list() {
      if (isDown) throw DOWN;
      return [machine("a")];
    },
  });
  sightings.start();
  await settle();
  changes.length = 0;
  isDown = true;
  await clock.advance(120_000);
  assert.deepEqual(changes.splice(0), [undefined]);
  assert.equal(sightings.blindness?.error, DOWN);
  assert.ok(sightings.get({ machineId: "a", owner: "ns/a" }), "what was seen stays");
  isDown = false;
  await clock.advance(60_000);
  assert.deepEqual(changes.splice(0), [undefined]);
  assert.equal(sightings.blindness, undefined);
  await stop();
});

/** A watch that the test feeds. */
function feed() {
  const open: { push(sighting: Sighting): void; end(error?: unknown): void; signal: AbortSignal }[] = [];
  const watch: NonNullable<Machines["watch"]> = async function* ({ signal }) {
    const waiting: (Sighting | { end: unknown })[] = [];
    let wake = () => {};
    const push = (next: (typeof waiting)[number]) => {
      waiting.push(next);
      wake();
    };
    open.push({ push, end: (error) => push({ end: error }), signal });
    for (;;) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if ("end" in next) {
          if (next.end !== undefined) throw next.end;
          return;
        }
        yield next;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { open, watch };
}

test("a watch tells at once; begun anew, it drops what is not told again", async () => {
  const { open, watch } = feed();
  const { clock, sightings, changes, stop } = stageOf({ watch });
  sightings.start();
  await settle();
  open[0]?.push({ type: "machine", have: machine("a") });
  open[0]?.push({ type: "machine", have: machine("b") });
  await settle();
  assert.equal(sightings.isComplete, false);
  open[0]?.push({ type: "all-told" });
  await settle();
  assert.equal(sightings.isComplete, true);
  changes.length = 0;
  open[0]?.push({ type: "gone", machineId: "a", name: "a" });
  await settle();
  assert.deepEqual(changes.splice(0), ["ns/a"]);
  open[0]?.end(DOWN);
  await clock.advance(1_000);
  assert.equal(open.length, 2, "a cut watch is begun again soon");
  assert.equal(sightings.blindness, undefined, "a cut is no failure");
  open[1]?.push({ type: "machine", have: machine("c") });
  open[1]?.push({ type: "all-told" });
  await settle();
  assert.deepEqual(changes.splice(0), ["ns/c", "ns/b"]);
  await clock.advance(11 * 60_000);
  assert.ok(open.length > 2, "a watch is not trusted for ever");
  assert.equal(open[1]?.signal.aborted, true);
  await stop();
});

test("a watch that fails, ends early or stays silent before all is told is a failed look", async () => {
  const { open, watch } = feed();
  const { clock, sightings, stop } = stageOf({ watch });
  sightings.start();
  await settle();
  open[0]?.end();
  await settle();
  assert.equal(sightings.blindness?.looks, 1);
  await clock.advance(1_000);
  open[1]?.end(new TypeError("a bug"));
  await settle();
  assert.equal(sightings.blindness?.looks, 2);
  assert.equal(sightings.blindness?.error.kind, "internal");
  await clock.advance(10_000 + 60_000);
  assert.equal(sightings.blindness?.looks, 3);
  assert.match(sightings.blindness?.error.message ?? "", /within 60 s/);
  await stop();
});
