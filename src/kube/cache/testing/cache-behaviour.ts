// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { createClient } from "../../client/client.ts";
import type { ClusterConfig } from "../../client/cluster-config.ts";
import type { Client } from "../../client/types.ts";
import { systemClock } from "../../clock.ts";
import { createController } from "../../controller/controller.ts";
import { configMap, namespace as namespaceKind, secret } from "../../core.ts";
import { createCache } from "../cache.ts";
import { createCaches } from "../caches.ts";
import { churn } from "./churn.ts";
import { contents } from "./stage.ts";

/** A promise of caches and controllers that holds on every API server. */
export interface CacheBehaviour {
  readonly promise: string;
  run(target: { readonly config: ClusterConfig }): Promise<void>;
}

interface Stage {
  readonly client: Client;
  readonly namespace: string;
  readonly config: ClusterConfig;
  /** Aborted when the test is over. */
  readonly signal: AbortSignal;
}

/** Runs on a fresh namespace of its own. */
function behaviour(promise: string, run: (stage: Stage) => Promise<void>): CacheBehaviour {
  return {
    promise,
    async run({ config }) {
      const client = createClient(config);
      const ended = new AbortController();
      try {
        const { metadata } = await client.create(namespaceKind, { metadata: { generateName: "cache-" } });
        await run({ client, namespace: metadata.name ?? "", config, signal: ended.signal });
      } finally {
        ended.abort(new Error("the test is over"));
        await client.close();
      }
    },
  };
}

async function fill(client: Client, namespace: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, count - from) }, (_, index) =>
        client.create(configMap, { metadata: { namespace, name: `object-${from + index}` } }),
      ),
    );
}

/** A bookmark takes longer than this. */
function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(limitMs, () => reject(new Error(`it took more than ${limitMs} ms`)));
    promise.then(resolve, reject).finally(cancel);
  });
}

/** All that holds on every API server. */
export const cacheBehaviours: readonly CacheBehaviour[] = [
  behaviour("a list is read whole, as a stream and page by page", async ({ client, namespace, signal }) => {
    await fill(client, namespace, 1100);
    const { items } = await client.list(configMap, { namespace });
    assert.equal(items.length >= 1100, true);
    for (const streamsLists of [true, false]) {
      const problems: unknown[] = [];
      const onProblem = (error: unknown) => void problems.push(error);
      const cache = createCache(client, configMap, { namespace, streamsLists, onProblem });
      void cache.start(signal);
      await cache.synced;
      assert.deepEqual(contents(cache.list()), contents(items));
      assert.deepEqual(problems, []);
    }
  }),

  behaviour("writes are seen, deletions and made anew objects too", async ({ client, namespace, signal }) => {
    const cache = createCache(client, configMap, { namespace });
    void cache.start(signal);
    await cache.synced;
    const key = { namespace, name: "one" };
    const told: string[] = [];
    cache.subscribe((old, now) => {
      if ((now ?? old)?.metadata.name === key.name) told.push(`${old?.data?.x} -> ${now?.data?.x}`);
    });
    const first = await client.create(configMap, { metadata: key, data: { x: "1" } });
    await cache.waitFor(key, first.metadata.resourceVersion ?? "");
    assert.equal(cache.get(key)?.data?.x, "1");
    const second = await client.mergePatch(configMap, key, { data: { x: "2" } });
    await cache.waitFor(key, second.metadata.resourceVersion ?? "");
    await client.delete(configMap, key);
    await cache.waitForGone(key, first.metadata.uid ?? "");
    const anew = await client.create(configMap, { metadata: key, data: { x: "3" } });
    await cache.waitFor(key, anew.metadata.resourceVersion ?? "");
    assert.deepEqual(told, ["undefined -> 1", "1 -> 2", "2 -> undefined", "undefined -> 3"]);
  }),

  behaviour("an object that no longer matches the selector goes, and comes back", async (stage) => {
    const { client, namespace, signal } = stage;
    const cache = createCache(client, configMap, { namespace, labelSelector: "colour=red" });
    void cache.start(signal);
    await cache.synced;
    const key = { namespace, name: "one" };
    const paint = async (colour: string) => {
      const patch = { metadata: { labels: { colour } } };
      const { metadata } = await client.mergePatch(configMap, key, patch);
      await cache.waitFor(key, metadata.resourceVersion ?? "");
      return cache.size;
    };
    await client.create(configMap, { metadata: key });
    assert.deepEqual([await paint("red"), await paint("blue"), await paint("red")], [1, 0, 1]);
  }),

  behaviour("a cache on which nothing happens has caught up at once", async ({ client, namespace, signal }) => {
    await fill(client, namespace, 20);
    const cache = createCache(client, configMap, { namespace });
    void cache.start(signal);
    await cache.synced;
    // The server's version grows, and the cache is not told before the next bookmark.
    await client.create(secret, { metadata: { namespace, name: "elsewhere" } });
    await within(5_000, cache.caughtUp(signal));
    const key = { namespace, name: "object-0" };
    const { metadata } = await client.mergePatch(configMap, key, { data: { x: "1" } });
    await client.delete(configMap, { namespace, name: "object-1" });
    await within(5_000, cache.caughtUp(signal));
    assert.equal(cache.get(key)?.metadata.resourceVersion, metadata.resourceVersion);
    assert.equal(cache.get({ namespace, name: "object-1" }), undefined);
  }),

  behaviour("a write that a selector leaves out does not hold its key", async ({ client, namespace, signal }) => {
    const cache = createCache(client, configMap, { namespace, labelSelector: "own=yes" });
    void cache.start(signal);
    const enough = Promise.withResolvers<void>();
    let calls = 0;
    const controller = createController({
      name: "outside",
      client,
      cache,
      async reconcile({ name }, { client: own }) {
        calls += 1;
        const draft = { metadata: { namespace, name: `${name}-outside` }, data: { calls: `${calls}` } };
        await own.apply(configMap, draft, { fieldManager: "test", force: true });
        if (calls === 5) enough.resolve();
        return { againInMs: 1 };
      },
    });
    const stopped = new AbortController();
    const run = controller.run(stopped.signal);
    await client.create(configMap, { metadata: { namespace, name: "one", labels: { own: "yes" } } });
    await within(20_000, enough.promise);
    stopped.abort(new Error("enough"));
    await run;
  }),

  behaviour("managed fields are not kept, and not missed when such an object is written", async (stage) => {
    const { client, namespace, signal } = stage;
    const managersOf = (object: { metadata: object } | undefined): unknown[] =>
      (Object(object?.metadata).managedFields ?? []).map((entry: object) => Object(entry).manager);
    const key = { namespace, name: "managed" };
    const applied = await client.apply(configMap, { metadata: key, data: { x: "1" } }, { fieldManager: "first" });
    assert.deepEqual(managersOf(applied), ["first"]);
    const dropping = createCache(client, configMap, { namespace });
    const keeping = createCache(client, configMap, { namespace, keepsManagedFields: true });
    for (const cache of [dropping, keeping]) void cache.start(signal);
    await Promise.all([dropping.synced, keeping.synced]);
    assert.deepEqual(managersOf(keeping.get(key)), ["first"]);
    const kept = dropping.get(key);
    assert.ok(kept !== undefined && !("managedFields" in kept.metadata));
    const updated = await client.update(configMap, { ...kept, data: { x: "1", y: "2" } }, { fieldManager: "second" });
    assert.deepEqual(managersOf(updated).sort(), ["first", "second"]);
  }),

  behaviour("one cache serves all who ask for the same kind and scope", async ({ client, namespace, signal }) => {
    const caches = createCaches(client);
    const first = caches.of(configMap, { namespace });
    const second = caches.of(configMap, { namespace, indexes: { name: ({ metadata }) => [metadata.name ?? ""] } });
    assert.equal(first, second);
    assert.notEqual(first, caches.of(configMap));
    assert.throws(() => caches.of(configMap, { namespace, transform: (object) => object }), /transform/);
    void caches.start(signal);
    await caches.synced();
    await fill(client, namespace, 1);
    const { resourceVersion = "" } = (await client.get(configMap, { namespace, name: "object-0" })).metadata;
    await first.waitFor({ namespace, name: "object-0" }, resourceVersion);
    assert.equal(first.byIndex("name", "object-0").length, 1);
    const late = caches.of(namespaceKind);
    await late.synced;
    assert.ok(late.size > 0);
  }),

  behaviour("a controller makes each child once, however often it is called", async ({ client, namespace, signal }) => {
    const isChild = (name: string | undefined) => name?.startsWith("child-") === true;
    const cache = createCache(client, configMap, {
      namespace,
      indexes: { parent: ({ data }) => [data?.parent ?? ""] },
    });
    void cache.start(signal);
    const finished = Promise.withResolvers<void>();
    let calls = 0;
    const controller = createController({
      name: "children",
      client,
      cache,
      concurrency: 8,
      async reconcile({ name }, { client: own }) {
        calls += 1;
        if (!isChild(name) && cache.byIndex("parent", name).length === 0)
          await own.create(configMap, { metadata: { namespace, generateName: "child-" }, data: { parent: name } });
        if (calls === 600) finished.resolve();
        return isChild(name) ? "done" : { againInMs: 1 };
      },
    });
    const stopped = new AbortController();
    const run = controller.run(stopped.signal);
    await fill(client, namespace, 40);
    await finished.promise;
    stopped.abort(new Error("enough"));
    await run;
    const { items } = await client.list(configMap, { namespace });
    const parents = items.filter(({ metadata }) => isChild(metadata.name)).map(({ data }) => data?.parent);
    assert.equal(new Set(parents).size, parents.length, "twins");
    assert.ok(parents.length >= 40);
  }),

  behaviour("a cache behind the chaos proxy converges and never goes back", async ({ config }) => {
    await churn(config, { seed: 3, steps: 300 });
  }),
];
