// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createClient } from "../../client/client.ts";
import type { ClusterConfig } from "../../client/cluster-config.ts";
import type { Client } from "../../client/types.ts";
import { systemClock } from "../../clock.ts";
import { createController } from "../../controller/controller.ts";
import { type ConfigMap, configMap, namespace as namespaceKind } from "../../core.ts";
import { chaosProxy } from "../../testing/chaos-proxy.ts";
import { type ChaosRates, seededChaos } from "../../testing/chaos-script.ts";
import type { Clock, Random } from "../../types.ts";
import { createCache } from "../cache.ts";
import { keyOf, keyText } from "../key-text.ts";
import type { Cache } from "../types.ts";
import { isOlder } from "../versions.ts";
import { contents } from "./stage.ts";

/** All that a network and a server over TCP can do. Events that come twice are no part of that, and are survived all the same. */
const RATES: ChaosRates = {
  connection: { cut: 0.05, hold: 0.03, delay: 0.1 },
  request: { cut: 0.05, hold: 0.02, delay: 0.1, tooManyRequests: 0.05, serverError: 0.05, unavailable: 0.05 },
  response: { cut: 0.05, hold: 0.02, truncate: 0.05, delay: 0.1 },
  event: { cut: 0.03, hold: 0.01, truncate: 0.02, expire: 0.03, duplicate: 0.02, delay: 0.03 },
  gone: 0.1,
  longestDelayMs: 2000,
};

/** Each of our seconds takes a fiftieth of one: what is told apart by minutes of silence is told apart within the test. */
const HASTE = 50;

/** What a run was like. */
export interface ChurnReport {
  readonly faults: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly changes: number;
}

/**
 * Changes objects at random behind a cache that sees the server through the chaos proxy. Fails where the cache or a listener goes
 * back in time, where they do not reach the server's state once the proxy lets everything through, where a controller is not
 * called for the last state of each object, or where connections or memory grow with the number of steps.
 */
export async function churn(
  config: ClusterConfig,
  { seed, steps }: { readonly seed: number; readonly steps: number },
): Promise<ChurnReport> {
  const random = seeded(seed);
  const clock = hasty(systemClock);
  const proxy = await chaosProxy({ target: config, script: seededChaos(seed, RATES), clock });
  const direct = createClient(config);
  const proxied = createClient(proxy.config, { clock, random });
  const ended = new AbortController();
  try {
    const { metadata } = await direct.create(namespaceKind, { metadata: { generateName: "churn-" } });
    const namespace = metadata.name ?? "";
    const cache = createCache(proxied, configMap, { namespace, clock, random });
    const listener = createListener();
    cache.subscribe(listener.listen);
    void cache.start(ended.signal);
    const handler = startHandler(proxied, { cache, clock, random, signal: ended.signal });
    const size = createHeapGauge();
    for (let step = 0; step < steps; step += 1) {
      await changeSomething(direct, namespace, random);
      if (step % 50 === 0) assert.ok(proxy.statistics().openConnections <= 24, "connections grow");
      if (step === steps >> 1) size.begin();
    }
    proxy.play({});
    const last = await direct.create(configMap, { metadata: { namespace, name: "last" } });
    await cache.waitFor({ namespace, name: "last" }, last.metadata.resourceVersion ?? "");
    const { items } = await direct.list(configMap, { namespace });
    assert.deepEqual(contents(cache.list()), contents(items));
    assert.deepEqual(contents(listener.objects.values()), contents(items));
    assert.deepEqual(listener.faults, []);
    await handler.untilSeen(new Map(items.map((item) => [keyText(keyOf(item)), item.metadata.resourceVersion])));
    size.end();
    const { faults, connections } = proxy.statistics();
    return { faults, connections, changes: listener.changes };
  } finally {
    ended.abort(new Error("over"));
    await Promise.all([proxied.close(), direct.close()]);
    await proxy.stop();
  }
}

interface Handling {
  readonly cache: Cache<ConfigMap>;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

type Versions = ReadonlyMap<string, string | undefined>;

/** A controller that remembers which version of each object it was last called for. */
function startHandler(client: Client, { cache, clock, random, signal }: Handling) {
  const seen = new Map<string, string | undefined>();
  let look = () => {};
  const controller = createController({
    name: "churn",
    client,
    cache,
    clock,
    random,
    concurrency: 4,
    async reconcile(key) {
      const version = cache.get(key)?.metadata.resourceVersion;
      if (version === undefined) seen.delete(keyText(key));
      else seen.set(keyText(key), version);
      look();
      return "done";
    },
  });
  void controller.run(signal);
  const isSeen = (last: Versions) =>
    seen.size === last.size && [...last].every(([key, version]) => seen.get(key) === version);
  return {
    /** Resolves when it has seen exactly the objects that are left, in their last versions. */
    untilSeen: (last: Versions) =>
      new Promise<void>((resolve) => {
        look = () => isSeen(last) && resolve();
        look();
      }),
  };
}

async function changeSomething(client: Client, namespace: string, random: Random): Promise<void> {
  const metadata = { namespace, name: `object-${Math.floor(random() * 40)}` };
  const draft = { metadata, data: { value: `${random()}` } };
  if (random() < 0.25) await client.delete(configMap, metadata).catch(() => {});
  else await client.apply(configMap, draft, { fieldManager: "churn", force: true });
}

/** Keeps its own copy from what it is told, and notes what must not be. */
function createListener() {
  const objects = new Map<string, ConfigMap>();
  const newest = new Map<string, string>();
  const faults: string[] = [];
  const told = { count: 0 };
  return {
    objects,
    faults,
    get changes() {
      return told.count;
    },
    listen(old: ConfigMap | undefined, now: ConfigMap | undefined) {
      told.count += 1;
      const object = now ?? old;
      if (object === undefined) return void faults.push("told of nothing");
      const key = keyText(keyOf(object));
      if (objects.get(key) !== old) faults.push(`${key}: another state was told before`);
      if (now === undefined) return void objects.delete(key);
      const version = now.metadata.resourceVersion ?? "";
      if (isOlder(version, newest.get(key) ?? "0")) faults.push(`${key}: ${version} after ${newest.get(key)}`);
      newest.set(key, version);
      objects.set(key, now);
    },
  };
}

/** Looks whether memory that is in use grows from one half of a run to the other. */
function createHeapGauge() {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  const used = () => {
    if (typeof collect === "function") collect();
    return process.memoryUsage().heapUsed;
  };
  let before = 0;
  return {
    begin() {
      before = used();
    },
    end() {
      const grown = (used() - before) / 2 ** 20;
      assert.ok(grown < 24, `memory grew by ${grown.toFixed(1)} MB`);
    },
  };
}

function hasty(clock: Clock): Clock {
  return {
    now: () => clock.now() * HASTE,
    monotonic: () => clock.monotonic() * HASTE,
    after: (delayMs, callback) => clock.after(delayMs / HASTE, callback),
  };
}

/** Numbers from 0 up to 1, the same ones for the same seed. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
