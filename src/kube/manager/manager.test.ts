// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { createCache } from "../cache/cache.ts";
import { createClient } from "../client/client.ts";
import type { HandlerRequest, HandlerResponse } from "../client/handler-wire.ts";
import { manualClock } from "../clock.ts";
import { createController } from "../controller/controller.ts";
import { configMap, lease } from "../core.ts";
import { LostLeadershipError } from "../errors.ts";
import { createLog } from "./log.ts";
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
  /** The answer to a create comes after this. */
  const network = { created: Promise.resolve() };
  const client = createClient(
    { server: "http://memory" },
    {
      clock,
      transport: async (request) => {
        if (request.path.includes("/leases")) notes.push(`${request.method} lease`);
        const response = api.handle(request);
        if (request.method === "POST") await network.created;
        return response;
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
  return { manager, clock, notes, synced, work, client, stop, holder, network };
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
  const { manager, notes, synced, stop, clock, holder, work } = stage({ drainMs: 20_000 });
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
  await clock.advance(1_000);
  work.resolve();
  await running;
  assert.equal(notes.at(0), "controller is cut");
  assert.deepEqual(notes.slice(-2), ["PUT lease", "cache ends"]);
  assert.equal(holder(), "");
  assert.equal(clock.waiting, 0);
});

test("while something runs that does not end when it is told to, the lease is left to expire", async () => {
  const { manager, notes, synced, stop, clock, holder } = stage({ drainMs: 1_000 });
  const running = manager.run(stop.signal);
  synced.resolve();
  await until(() => manager.isLeader());
  stop.abort();
  await settle();
  await clock.advance(5_000);
  await running;
  assert.ok(notes.includes("controller is cut") && !notes.includes("controller ends"));
  assert.equal(holder(), "me");
  assert.equal(clock.waiting, 0);
});

test("asked to stop while the write that makes it the leader is under way, it gives the lease back", async () => {
  for (const isAnswered of [true, false]) {
    const { manager, synced, stop, holder, network, clock } = stage();
    const running = manager.run(stop.signal);
    const answer = Promise.withResolvers<void>();
    network.created = answer.promise;
    synced.resolve();
    await until(() => holder() === "me");
    stop.abort();
    await settle();
    if (isAnswered) answer.resolve();
    else await clock.advance(5_000);
    await running;
    assert.equal(holder(), "");
    assert.equal(clock.waiting, 0);
  }
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
    const { manager, notes, synced, work, stop, holder } = stage();
    const running = manager.run(stop.signal);
    synced.resolve();
    await until(() => manager.isLeader());
    if (fail) work.reject(new Error("out of ideas"));
    else work.resolve();
    await assert.rejects(running, fail ? /out of ideas/ : /"machines" ended by itself/);
    assert.equal(notes.at(-1), "cache ends");
    assert.equal(holder(), "");
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

test("a candidate without a name of its own has the host's and a random part, so that two Pods never have the same", async () => {
  const holders: (string | undefined)[] = [];
  for (let times = 0; times < 2; times += 1) {
    const { manager, synced, stop, work, holder } = stage({ election: { namespace: "system", name: "leader" } });
    const running = manager.run(stop.signal);
    synced.resolve();
    await until(() => manager.isLeader());
    holders.push(holder());
    stop.abort();
    work.resolve();
    await running;
  }
  for (const holder of holders) assert.match(holder ?? "", /^.+_[0-9a-f-]{36}$/);
  assert.notEqual(holders[0], holders[1]);
});

/** A server with one ConfigMap, or one that refuses everything. */
function configMapServer({ isForbidden = false } = {}) {
  const answer = (status: number, body: object) => ({
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return async ({ path }: HandlerRequest): Promise<HandlerResponse> => {
    if (isForbidden) return answer(403, { kind: "Status", code: 403, reason: "Forbidden", message: "may not list" });
    if (path.includes("watch=true")) return new Promise(() => {});
    const metadata = { name: "a", namespace: "n", uid: "1", resourceVersion: "1" };
    return answer(200, { metadata: { resourceVersion: "1" }, items: [{ metadata }] });
  };
}

/** What a manager logs by default in the first minutes of a controller whose reconciles fail. */
async function logOf(server: ReturnType<typeof configMapServer>, options: { onProblem?: (error: unknown) => void }) {
  const clock = manualClock();
  const lines: Record<string, unknown>[] = [];
  const client = createClient({ server: "http://memory" }, { clock, transport: server });
  const cache = createCache(client, configMap, { clock, streamsLists: false, ...options });
  const controller = createController({
    name: "failing",
    client,
    cache,
    clock,
    reconcile: () => Promise.reject(new Error("it broke")),
    ...options,
  });
  const stop = new AbortController();
  const log = createLog({ clock, write: (line) => void lines.push(JSON.parse(line)) });
  const running = createManager({ client, clock, controllers: [controller], log }).run(stop.signal);
  for (let seconds = 0; seconds < 30; seconds += 1) await clock.advance(1_000);
  stop.abort();
  await clock.advance(1_000);
  await running;
  return lines;
}

test("the log hears of reconciles that fail and of caches that cannot follow, unless somebody else is told", async () => {
  const failing = await logOf(configMapServer(), {});
  const line = failing.find(({ message }) => message === "reconcile failed");
  assert.deepEqual([line?.level, line?.controller, line?.key], ["warn", "failing", "n/a"]);
  assert.match(JSON.stringify(line?.error), /it broke/);
  const forbidden = await logOf(configMapServer({ isForbidden: true }), {});
  assert.match(JSON.stringify(forbidden.find(({ message }) => message === "a cache has a problem")), /may not list/);
  const told: unknown[] = [];
  for (const isForbidden of [false, true]) {
    const lines = await logOf(configMapServer({ isForbidden }), { onProblem: (error) => void told.push(error) });
    assert.ok(!lines.some(({ level }) => level === "warn"));
    assert.ok(told.splice(0).length > 0);
  }
});
