// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCache } from "../cache/cache.ts";
import { createFakeApi, status } from "../cache/testing/fake-api.ts";
import { createClient } from "../client/client.ts";
import { manualClock } from "../clock.ts";
import { type ConfigMap, configMap } from "../core.ts";
import { LostLeadershipError } from "../errors.ts";
import type { ObjectKey } from "../types.ts";
import { createController } from "./controller.ts";
import type { ControllerOptions, Reconcile, RunOptions } from "./types.ts";
import { watchMapped, watchOwned } from "./watches.ts";

const MINUTE_MS = 60_000;

interface Wishes extends Partial<Omit<ControllerOptions<ConfigMap>, "reconcile">> {
  readonly run?: RunOptions;
}

/** A controller of config maps on a fake server, with all time in the test's hand. */
function startStage(reconcile: Reconcile, { run: runOptions = {}, ...wishes }: Wishes = {}) {
  const clock = manualClock();
  const api = createFakeApi({ clock });
  const random = () => 0.5;
  const client = createClient({ server: "http://fake" }, { clock, random, transport: api.transport, tries: 1 });
  const cache = createCache(client, configMap, { clock, random });
  const log: string[] = [];
  const problems: unknown[] = [];
  const controller = createController({
    name: "test",
    client,
    cache,
    reconcile,
    clock,
    random,
    hooks: {
      onFinish: ({ name }, { result, error }) =>
        void log.push(`${name} ${result}${error === undefined ? "" : ` ${error}`}`),
      onHold: ({ name }) => void log.push(`${name} held`),
      onRelease: ({ name }) => void log.push(`${name} released`),
      onProblem: (error) => void problems.push(error),
    },
    ...wishes,
  });
  const ended = new AbortController();
  const stopped = new AbortController();
  const cacheRun = cache.start(ended.signal);
  const run = controller.run(stopped.signal, runOptions);
  return {
    api,
    cache,
    client,
    clock,
    controller,
    log,
    problems,
    stopped,
    run,
    async settle() {
      for (let turn = 0; turn < 10; turn += 1) await clock.advance(0);
    },
    async stop() {
      stopped.abort();
      await run;
      ended.abort();
      await cacheRun;
      assert.equal(clock.waiting, 0, "a wait was left behind");
    },
  };
}

test("everything that exists is reconciled, then what changes, by key", async () => {
  const seen: string[] = [];
  const stage = startStage(async ({ namespace, name }) => {
    seen.push(`${namespace}/${name}`);
    return "done";
  });
  const { api, settle, stop } = stage;
  api.put("a/one", {});
  api.put("a/two", {});
  await settle();
  assert.deepEqual(seen, ["a/one", "a/two"]);
  api.put("a/two", { x: "1" });
  api.put("a/two", { x: "2" });
  api.remove("a/one");
  await settle();
  assert.deepEqual([...new Set(seen.slice(2))].sort(), ["a/one", "a/two"]);
  await stop();
});

test("whatever a reconcile throws, at once or later, is an error with a growing pause; others go on", async () => {
  const thrown: unknown[] = [new Error("later"), "no error at all", undefined, Object.create(null), null];
  let calls = 0;
  const stage = startStage(
    ({ name }) => {
      if (name === "good") return Promise.resolve("done");
      const each = thrown[calls % thrown.length];
      calls += 1;
      if (calls % 2 === 0) throw each;
      return Promise.reject(each);
    },
    { hooks: {} },
  );
  const { api, clock, settle, stop } = stage;
  api.put("a/bad", {});
  await settle();
  assert.equal(calls, 1);
  await clock.advance(75 + 150 + 300 + 600 + 1200);
  assert.equal(calls, 6);
  await clock.advance(2399);
  assert.equal(calls, 6);
  api.put("a/good", {});
  await clock.advance(1);
  assert.equal(calls, 7);
  await stop();
});

test("results: done waits for a change, again comes again in time, and a success ends the growing of pauses", async () => {
  const failures: number[] = [];
  const stage = startStage(async (_key, context) => {
    failures.push(context.failures);
    if (failures.length <= 2) throw new Error("not yet");
    return failures.length === 3 ? { againInMs: 5000 } : "done";
  });
  stage.api.put("a/one", {});
  await stage.settle();
  await stage.clock.advance(225);
  assert.deepEqual(failures, [0, 1, 2]);
  await stage.clock.advance(4999);
  assert.equal(failures.length, 3);
  await stage.clock.advance(MINUTE_MS);
  assert.deepEqual(failures, [0, 1, 2, 0]);
  assert.deepEqual(stage.log, ["one error Error: not yet", "one error Error: not yet", "one again", "one done"]);
  await stage.stop();
});

test("predicates, mappings and owners decide which keys are reconciled, and their faults lose nothing", async () => {
  const seen = new Set<string>();
  const note = async ({ name }: ObjectKey) => {
    seen.add(name);
    return "done" as const;
  };
  const stage = startStage(note, {
    when: (_old, now) => (now?.data?.x === "bad" ? assert.fail("predicate") : now?.data?.x !== "ignored"),
  });
  const other = createController({
    name: "mapped",
    client: stage.client,
    cache: stage.cache,
    clock: stage.clock,
    when: () => false,
    watches: [
      watchMapped(stage.cache, ({ metadata, data }) =>
        data?.x === "bad" ? assert.fail("mapping") : [{ name: `mapped-${metadata.name}` }],
      ),
      watchOwned(stage.cache, configMap),
    ],
    reconcile: note,
  });
  const run = other.run(stage.stopped.signal);
  stage.api.put("a/one", { x: "ignored" });
  stage.api.put("a/two", { x: "bad" });
  await stage.settle();
  assert.deepEqual([...seen].sort(), ["mapped-one", "two"]);
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "1", controller: true };
  const strangers = [
    { ...owner, name: "second", controller: false },
    { ...owner, name: "stranger", apiVersion: "example.org/v1" },
  ];
  const metadata = { namespace: "a", name: "owned", ownerReferences: [owner, ...strangers], resourceVersion: "99" };
  stage.api.send({ type: "ADDED", object: { apiVersion: "v1", kind: "ConfigMap", metadata, data: { x: "ignored" } } });
  await stage.settle();
  assert.deepEqual([...seen].sort(), ["mapped-one", "mapped-owned", "owner", "two"]);
  await stage.stop();
  await run;
});

test("a key is not reconciled before the cache has seen its own writes, on a watch that is minutes late", async () => {
  const key = { namespace: "a", name: "one" };
  const views: (string | undefined)[] = [];
  const stage = startStage(async (_key, { client }) => {
    views.push(stage.cache.get(key)?.data?.count);
    const count = Number(stage.cache.get(key)?.data?.count ?? "0");
    if (count < 3) await client.update(configMap, { metadata: key, data: { count: `${count + 1}` } });
    return { againInMs: 10 };
  });
  const { api, clock, settle } = stage;
  await settle();
  api.delayWatches(MINUTE_MS + 30_000);
  api.put("a/one", { count: "0" });
  await clock.advance(10 * MINUTE_MS);
  const distinct = views.filter((view, index) => views.indexOf(view) === index);
  assert.deepEqual(distinct, ["0", "1", "2", "3"]);
  assert.equal(views.filter((view) => view === "1").length, 1);
  assert.equal(api.objects.get("a/one")?.data?.count, "3");
  assert.ok(stage.log.includes("one held") && stage.log.includes("one released"));
  await stage.stop();
});

test("no twins: a child with a made-up name is created once, however late the watch and whatever became of the answer", async () => {
  for (const fate of ["answered", "answer lost"] as const) {
    const children = () => stage.cache.list().filter(({ metadata }) => metadata.name?.startsWith("child"));
    const stage = startStage(async ({ name }, { client }) => {
      if (name !== "parent" || children().length > 0) return "done";
      const created = client.create(configMap, { metadata: { namespace: "a", generateName: "child-" } });
      if (fate === "answer lost") await created;
      // Nobody waits for it: the key must wait all the same.
      created.catch(() => {});
      return { againInMs: 1 };
    });
    await stage.settle();
    stage.api.intercept(({ method }) => {
      if (method !== "POST" || fate === "answered") return undefined;
      // The server does its work, and nobody hears of it.
      stage.api.put(`a/child-${stage.api.revision}`, {});
      return "cut";
    });
    stage.api.delayWatches(MINUTE_MS + 30_000);
    stage.api.put("a/parent", {});
    await stage.clock.advance(30 * MINUTE_MS);
    assert.equal([...stage.api.objects.keys()].filter((key) => key.startsWith("a/child")).length, 1, fate);
    await stage.stop();
  }
});

test("a write that nobody waited for keeps its key back until it has ended", async () => {
  let calls = 0;
  const stage = startStage(async ({ name }, { client }) => {
    if (name !== "parent") return "done";
    calls += 1;
    const child = { namespace: "a", name: "child" };
    if (calls === 1) client.create(configMap, { metadata: child }).catch(() => {});
    return { againInMs: 1000 };
  });
  await stage.settle();
  stage.api.intercept(({ method }) => (method === "POST" ? "hold" : undefined));
  stage.api.put("a/parent", {});
  // The client gives up after 65 s.
  await stage.clock.advance(64_000);
  assert.deepEqual([calls, stage.controller.held, stage.controller.active], [1, 1, 0]);
  await stage.clock.advance(5_000);
  assert.ok(calls > 1);
  assert.ok(stage.api.log.includes("list"));
  await stage.stop();
});

test("what one run has written last the next one waits for", async () => {
  const key = { namespace: "a", name: "one" };
  const views: (string | undefined)[] = [];
  const stage = startStage(async (_key, { client }) => {
    const x = stage.cache.get(key)?.data?.x;
    views.push(x);
    if (x === "0") await client.update(configMap, { metadata: key, data: { x: "1" } });
    return "done";
  });
  stage.api.put("a/one", { x: "0" });
  stage.api.intercept(({ method }) => {
    if (method === "PUT") stage.api.delayWatches(MINUTE_MS);
    return undefined;
  });
  await stage.settle();
  stage.stopped.abort();
  await stage.run;
  const again = new AbortController();
  const run = stage.controller.run(again.signal);
  await stage.clock.advance(MINUTE_MS - 1);
  assert.deepEqual([views, stage.controller.held], [["0"], 1]);
  await stage.clock.advance(1);
  assert.deepEqual(views, ["0", "1"]);
  again.abort();
  await run;
  await stage.stop();
});

test("a write that ended in doubt is asked after: the key waits until the cache knows what became of it", async () => {
  const key = { namespace: "a", name: "child" };
  const views: boolean[] = [];
  const stage = startStage(async ({ name }, { client }) => {
    if (name !== "parent") return "done";
    views.push(stage.cache.get(key) !== undefined);
    if (views.length === 1) await client.create(configMap, { metadata: key });
    if (views.length === 2) await client.delete(configMap, key);
    return views.length < 3 ? { againInMs: 1 } : "done";
  });
  const { api, clock, settle } = stage;
  await settle();
  let isLost = true;
  api.intercept(({ method }) => {
    if (method !== "POST" || !isLost) return undefined;
    isLost = false;
    api.put("a/child", {});
    return "cut";
  });
  api.delayWatches(MINUTE_MS + 30_000);
  api.put("a/parent", {});
  await clock.advance(20 * MINUTE_MS);
  assert.deepEqual(views, [false, true, false]);
  assert.match(stage.log.join(), /parent error ConnectionError.*parent held.*parent released/);
  assert.ok(api.log.includes("list"));
  await stage.stop();
});

test("a refused write is not waited for, and a conflict is tried again without being called an error", async () => {
  let calls = 0;
  const stage = startStage(async (_key, { client }) => {
    calls += 1;
    const metadata = { namespace: "a", name: "one" };
    if (calls < 3) await client.update(configMap, { metadata, data: {} });
    return "done";
  });
  const { api, clock, settle } = stage;
  api.intercept(({ method }) =>
    method === "PUT" ? status(calls === 1 ? 422 : 409, calls === 1 ? "Invalid" : "Conflict") : undefined,
  );
  api.put("a/one", {});
  await settle();
  await clock.advance(MINUTE_MS);
  assert.equal(calls, 3);
  assert.deepEqual(
    stage.log.map((line) => line.split(" ", 2).join(" ")),
    ["one error", "one conflict", "one held", "one released", "one done"],
  );
  await stage.stop();
});

test("one group that hangs does not keep another waiting", async () => {
  const seen: string[] = [];
  const hung = Promise.withResolvers<"done">();
  const stage = startStage(
    async ({ namespace, name }) => {
      if (namespace === "slow") return hung.promise;
      seen.push(name);
      return "done";
    },
    { concurrency: 3, group: ({ namespace }) => namespace ?? "", groupLimits: { inFlight: 2 } },
  );
  for (let index = 0; index < 50; index += 1) stage.api.put(`slow/${index}`, {});
  stage.api.put("fast/one", {});
  await stage.settle();
  assert.deepEqual(seen, ["one"]);
  assert.equal(stage.controller.active, 2);
  assert.equal(stage.controller.depth, 48);
  hung.resolve("done");
  await stage.stop();
});

test("stopping starts nothing more, waits for what is under way, and asks it to end when its time is up", async () => {
  const started: string[] = [];
  const reasons: unknown[] = [];
  const stage = startStage(
    ({ name }, { signal }) => {
      started.push(name);
      const ended = Promise.withResolvers<"done">();
      signal.addEventListener("abort", () => {
        reasons.push(signal.reason);
        if (name !== "deaf") ended.resolve("done");
      });
      return ended.promise;
    },
    { concurrency: 2, run: { drainMs: 1000 } },
  );
  for (const name of ["polite", "deaf", "never"]) stage.api.put(`a/${name}`, {});
  await stage.settle();
  stage.stopped.abort();
  stage.controller.add({ namespace: "a", name: "late" });
  await stage.clock.advance(999);
  assert.equal(reasons.length, 0);
  await stage.clock.advance(1);
  assert.equal(reasons.length, 2);
  await stage.clock.advance(5000);
  await stage.run;
  assert.deepEqual(started, ["polite", "deaf"]);
  assert.match(String(stage.problems[0]), /1 reconciles ignore/);
  await stage.stop();
});

test("where the gate is shut no reconcile starts and no write is sent", async () => {
  let isLeader = true;
  const outcomes: unknown[] = [];
  const gate = () => {
    if (!isLeader) throw new LostLeadershipError("lost");
  };
  const stage = startStage(
    async (key, { client }) => {
      isLeader = false;
      outcomes.push(await client.update(configMap, { metadata: key, data: {} }).catch((error: unknown) => error));
      return "done";
    },
    { run: { gate } },
  );
  stage.api.put("a/one", {});
  await stage.settle();
  stage.api.put("a/two", {});
  await stage.clock.advance(MINUTE_MS);
  assert.equal(outcomes.length, 1);
  assert.ok(outcomes[0] instanceof LostLeadershipError);
  assert.ok(!stage.api.log.includes("put"));
  await stage.stop();
});
