// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { manualClock } from "../clock.ts";
import { createQueue } from "./queue.ts";

type Command =
  | { readonly do: "add"; readonly key: string; readonly afterMs: number }
  | { readonly do: "take" }
  | { readonly do: "advance"; readonly by: number }
  | { readonly do: "done" | "park" | "retry" | "forget"; readonly pick: number };

const keys = ["a1", "a2", "a3", "b1", "b2", "c1"];
const delays = fc.constantFrom(0, 0, 5, 50, 900);
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constant("add" as const), key: fc.constantFrom(...keys), afterMs: delays }),
  fc.constant({ do: "take" as const }),
  fc.record({ do: fc.constant("advance" as const), by: fc.integer({ min: 1, max: 400 }) }),
  fc.record({
    do: fc.constantFrom("done" as const, "done" as const, "park" as const, "retry" as const, "forget" as const),
    pick: fc.nat(9),
  }),
);

interface Limits {
  readonly concurrency: number;
  readonly inFlight: number;
  readonly perSecond: number | undefined;
}

const limits: fc.Arbitrary<Limits> = fc.record({
  concurrency: fc.integer({ min: 1, max: 4 }),
  inFlight: fc.integer({ min: 1, max: 3 }),
  perSecond: fc.constantFrom(undefined, 20),
});

interface ModelKey {
  /** When it is wanted, the earliest; infinite where it is not. */
  wantedAt: number;
  state: "idle" | "active" | "parked";
}

/** What a queue must do, said in the plainest way. */
function createModel({ concurrency, inFlight }: Limits) {
  const known = new Map<string, ModelKey>();
  for (const key of keys) known.set(key, { wantedAt: Number.POSITIVE_INFINITY, state: "idle" });
  const of = (key: string) => known.get(key) ?? assert.fail();
  const inState = (state: ModelKey["state"]) => keys.filter((key) => of(key).state === state);
  const activeBeside = (key: string) => inState("active").filter((other) => other[0] === key[0]).length;
  return {
    inState,
    set(key: string, state: ModelKey["state"]) {
      of(key).state = state;
      if (state === "active") of(key).wantedAt = Number.POSITIVE_INFINITY;
    },
    want(key: string, at: number) {
      of(key).wantedAt = Math.min(of(key).wantedAt, at);
    },
    wanted: () => keys.filter((key) => of(key).wantedAt !== Number.POSITIVE_INFINITY),
    /** What could start now, were it not for the rate. */
    startable(now: number) {
      if (inState("active").length >= concurrency) return [];
      return inState("idle").filter((key) => of(key).wantedAt <= now && activeBeside(key) < inFlight);
    },
  };
}

/** A queue beside its model; each step is done to both and they must agree. */
function createTrial(limit: Limits) {
  const { concurrency, inFlight, perSecond } = limit;
  const clock = manualClock();
  const model = createModel(limit);
  let isAnnounced = false;
  let isExhausted = true;
  const queue = createQueue({
    clock,
    random: () => 0.5,
    concurrency,
    groupOf: (key) => key.charAt(0),
    groups: { inFlight, ...(perSecond === undefined ? {} : { perSecond }) },
    onReady() {
      isAnnounced = true;
    },
  });
  const take = () => {
    const could = model.startable(clock.monotonic());
    const taken = queue.take();
    if (taken === undefined) {
      if (perSecond === undefined) assert.deepEqual(could, []);
      isExhausted = true;
      isAnnounced = false;
      return false;
    }
    assert.ok(could.includes(taken.key), `${taken.key} must not start`);
    assert.ok(!isExhausted || isAnnounced, `${taken.key} was not announced`);
    isExhausted = false;
    model.set(taken.key, "active");
    return true;
  };
  const done = (key: string) => {
    model.set(key, "idle");
    queue.done(key);
  };
  const workOn = (what: "done" | "park" | "retry" | "forget", pick: number) => {
    const busy = [...model.inState("active"), ...(what === "done" ? model.inState("parked") : [])];
    const key = busy[pick % busy.length];
    if (key === undefined) return;
    if (what === "done") done(key);
    else if (what === "forget") queue.forget(key);
    else if (what === "retry") model.want(key, clock.monotonic() + queue.retry(key));
    else {
      model.set(key, "parked");
      queue.park(key);
    }
  };
  return {
    async step(each: Command) {
      if (each.do === "add") {
        model.want(each.key, clock.monotonic() + each.afterMs);
        queue.add(each.key, { afterMs: each.afterMs });
      } else if (each.do === "take") take();
      else if (each.do === "advance") await clock.advance(each.by);
      else workOn(each.do, each.pick);
      assert.equal(queue.active, model.inState("active").length);
      assert.equal(queue.parked, model.inState("parked").length);
    },
    /** Works on everything until nothing is left. */
    async finish() {
      for (let round = 0; round < 100; round += 1) {
        for (const key of [...model.inState("active"), ...model.inState("parked")]) done(key);
        while (take());
        await clock.advance(clock.nextInMs ?? 0);
      }
      for (const key of model.inState("active")) done(key);
      assert.deepEqual(model.wanted(), [], "lost keys");
      assert.deepEqual([queue.depth, queue.delayed, queue.active, clock.waiting], [0, 0, 0, 0]);
    },
  };
}

test("whatever is done to a queue, no key is lost, early, doubled or beyond a limit, and what may start is announced", async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(command, { maxLength: 120 }), async (limit, commands) => {
      const trial = createTrial(limit);
      for (const each of commands) await trial.step(each);
      await trial.finish();
    }),
    { numRuns: 150 },
  );
});
