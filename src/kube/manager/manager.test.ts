// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { createClient } from "../client/client.ts";
import { manualClock } from "../clock.ts";
import { configMap, lease } from "../core.ts";
import { LostLeadershipError } from "../errors.ts";
import { createManager, type Manager, type ManagerOptions } from "./manager.ts";
import { createMetrics } from "./metrics.ts";
import { stopSignals } from "./process-signals.ts";
import { createMemoryApi } from "./testing/memory-api.ts";
import type { ManagedCache, ManagedController } from "./types.ts";

/** A manager of one cache and one controller that notes what happens in which order. */
function stage(options: Partial<ManagerOptions> = {}) {
  const clock = manualClock();
  const notes: string[] = [];
  const api = createMemoryApi();
  const client = createClient(
    { server: "http://memory" },
    {
      clock,
      transport: async (request) => {
        if (request.path.includes("/leases")) notes.push(`${request.method} lease`);
        return api.handle(request);
      },
    },
  );
  const synced = Promise.withResolvers<void>();
  const cache: ManagedCache = {
    kind: { plural: "pods", group: "" },
    synced: synced.promise,
    age: () => 2_000,
    start(signal) {
      notes.push("cache starts");
      signal.addEventListener("abort", () => void notes.push("cache ends"));
    },
  };
  const work = Promise.withResolvers<void>();
  const controller: ManagedController = {
    name: "machines",
    caches: [cache],
    depth: 3,
    async run(signal, { cut, gate }) {
      notes.push("controller starts");
      gate?.();
      cut?.addEventListener("abort", () => void notes.push("controller is cut"));
      signal.addEventListener("abort", () => void notes.push("controller drains"));
      await work.promise;
      notes.push("controller ends");
    },
  };
  const holder = () => {
    const path = "/apis/coordination.k8s.io/v1/namespaces/system/leases/leader";
    return (api.at(path)?.spec as { holderIdentity?: string } | undefined)?.holderIdentity;
  };
  const election = { namespace: "system", name: "leader", identity: "me" };
  const manager = createManager({ client, clock, controllers: [controller], election, ...options });
  const stop = new AbortController();
  return { manager, clock, notes, synced, work, client, stop, holder };
}

/** Lets promises run, sockets of this process too. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

async function until(condition: () => boolean) {
  while (!condition()) await settle();
}

test("everything starts and stops in order: caches, election, controllers; drain, lease, caches", async () => {
  const { manager, notes, synced, work, stop } = stage();
  const running = manager.run(stop.signal);
  await settle();
  assert.deepEqual(notes, ["cache starts"]);
  assert.throws(manager.gate, LostLeadershipError);
  synced.resolve();
  await until(() => manager.isLeader());
  await settle();
  assert.deepEqual(notes, ["cache starts", "GET lease", "POST lease", "controller starts"]);
  notes.length = 0;
  stop.abort();
  await settle();
  manager.gate();
  work.resolve();
  await running;
  assert.deepEqual(notes, ["controller drains", "controller ends", "controller is cut", "PUT lease", "cache ends"]);
  assert.throws(manager.gate, LostLeadershipError);
  await assert.rejects(manager.run(stop.signal), /runs once/);
});

test("the lease is renewed while controllers drain, and given back after they were cut when they take too long", async () => {
  const { manager, notes, synced, stop, clock, holder } = stage({ drainMs: 20_000 });
  const running = manager.run(stop.signal);
  synced.resolve();
  await until(() => manager.isLeader());
  stop.abort();
  await settle();
  notes.length = 0;
  await clock.advance(19_000);
  assert.ok(manager.isLeader());
  assert.ok(notes.filter((note) => note === "PUT lease").length >= 9);
  notes.length = 0;
  await clock.advance(5_000);
  await running;
  assert.equal(notes.at(0), "controller is cut");
  assert.deepEqual(notes.slice(-2), ["PUT lease", "cache ends"]);
  assert.equal(holder(), "");
  assert.equal(clock.waiting, 0);
});

test("asked a second time it ends at once and leaves the lease to expire", async () => {
  const { manager, notes, synced, clock, holder } = stage();
  const source = new EventEmitter();
  const signals = stopSignals(source);
  const running = manager.run(signals.graceful, { atOnce: signals.atOnce });
  synced.resolve();
  await until(() => manager.isLeader());
  await settle();
  source.emit("SIGTERM");
  await settle();
  assert.ok(notes.includes("controller drains") && !notes.includes("controller is cut"));
  notes.length = 0;
  source.emit("SIGINT");
  await settle();
  await clock.advance(2_000);
  await running;
  assert.equal(notes.at(0), "controller is cut");
  assert.equal(notes.at(-1), "cache ends");
  assert.equal(holder(), "me");
  signals.close();
  assert.equal(source.listenerCount("SIGTERM"), 0);
});

test("a controller that fails or ends by itself takes the manager down, in order", async () => {
  for (const fail of [false, true]) {
    const { manager, notes, synced, work, stop } = stage();
    const running = manager.run(stop.signal);
    synced.resolve();
    await until(() => manager.isLeader());
    if (fail) work.reject(new Error("out of ideas"));
    else work.resolve();
    await assert.rejects(running, fail ? /out of ideas/ : /"machines" ended by itself/);
    assert.equal(notes.at(-1), "cache ends");
    assert.throws(manager.gate, LostLeadershipError);
  }
});

test("asked to stop before it leads, it never starts a controller", async () => {
  const { manager, notes, stop } = stage();
  const running = manager.run(stop.signal);
  await settle();
  stop.abort();
  await running;
  assert.deepEqual(notes, ["cache starts", "cache ends"]);
});

/** A cache that is synced but behind. */
function lateCache() {
  const caughtUp = Promise.withResolvers<void>();
  const cache: ManagedCache = { synced: Promise.resolve(), start() {}, caughtUp: () => caughtUp.promise };
  return { cache, caughtUp };
}

test("a new leader starts nothing before its caches have what the last one wrote, and renews its lease meanwhile", async () => {
  const late = lateCache();
  const { manager, notes, synced, work, stop, clock } = stage({ caches: [late.cache] });
  const running = manager.run(stop.signal);
  synced.resolve();
  await until(() => notes.includes("POST lease"));
  await clock.advance(20_000);
  assert.ok(notes.filter((note) => note === "PUT lease").length >= 8);
  assert.equal(notes.includes("controller starts"), false);
  assert.throws(manager.gate, LostLeadershipError);
  late.caughtUp.resolve();
  await until(() => notes.includes("controller starts"));
  assert.ok(manager.isLeader());
  stop.abort();
  work.resolve();
  await running;
});

test("asked to stop while its caches catch up, a new leader gives the lease back; one that loses it says so", async () => {
  const asked = stage({ caches: [lateCache().cache] });
  const running = asked.manager.run(asked.stop.signal);
  asked.synced.resolve();
  await until(() => asked.notes.includes("POST lease"));
  await settle();
  asked.stop.abort();
  await running;
  assert.equal(asked.holder(), "");
  assert.equal(asked.notes.includes("controller starts"), false);
  assert.equal(asked.clock.waiting, 0);

  const losing = stage({ caches: [lateCache().cache] });
  const lost = assert.rejects(losing.manager.run(losing.stop.signal), LostLeadershipError);
  losing.synced.resolve();
  await until(() => losing.notes.includes("POST lease"));
  await settle();
  const own = await losing.client.get(lease, { namespace: "system", name: "leader" });
  await losing.client.update(lease, { ...own, spec: { ...own.spec, holderIdentity: "another" } });
  await losing.clock.advance(10_000);
  await lost;
  assert.equal(losing.notes.includes("controller starts"), false);
});

test("without an election it leads from the start to the end, and writes are refused before and after", async () => {
  const { client, clock } = stage();
  const work = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const stop = new AbortController();
  const controller: ManagedController = {
    name: "plain",
    async run() {
      started.resolve();
      await work.promise;
    },
  };
  const manager: Manager = createManager({ client, clock, controllers: [controller] });
  const gated = client.withGate(manager.gate);
  const create = (name: string) => gated.create(configMap, { metadata: { name, namespace: "n" } });
  await assert.rejects(create("early"), LostLeadershipError);
  const running = manager.run(stop.signal);
  await started.promise;
  await create("in-time");
  stop.abort();
  work.resolve();
  await running;
  await assert.rejects(create("late"), LostLeadershipError);
});

test("health says ready once caches are synced, with reasons before, and metrics are on loopback", async () => {
  const metrics = createMetrics();
  let problem: string | undefined;
  const health = { port: 0, live: { disk: () => problem } };
  const { manager, synced, stop, work } = stage({ health, metrics });
  const running = manager.run(stop.signal);
  await until(() => manager.healthUrl() !== undefined);
  const url = manager.healthUrl() ?? "";
  assert.match(url, /^http:\/\/127\.0\.0\.1:/);
  const ask = async (path: string) => {
    const answer = await fetch(url + path);
    return [answer.status, await answer.text()] as const;
  };
  assert.deepEqual(await ask("/healthz"), [200, "ok\n"]);
  assert.deepEqual(await ask("/readyz"), [503, "[-]caches failed: not synced: pods 1\n[+]shutdown ok\n"]);
  synced.resolve();
  await until(() => manager.isLeader());
  assert.deepEqual(await ask("/readyz"), [200, "ok\n"]);
  assert.deepEqual(await ask("/readyz?verbose"), [200, "[+]caches ok\n[+]shutdown ok\n"]);
  problem = "full";
  assert.deepEqual(await ask("/healthz"), [503, "[+]ping ok\n[-]disk failed: full\n"]);
  const [, text] = await ask("/metrics");
  for (const line of [
    'workqueue_depth{name="machines"} 3',
    'butler_kube_cache_age_seconds{name="pods 1"} 2',
    'leader_election_master_status{name="leader"} 1',
  ])
    assert.ok(text.includes(line), line);
  assert.equal((await ask("/other"))[0], 404);
  stop.abort();
  work.resolve();
  await running;
  await assert.rejects(fetch(url));
});
