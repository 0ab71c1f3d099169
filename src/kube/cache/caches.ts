// SPDX-License-Identifier: Apache-2.0
import type { Client } from "../client/types.ts";
import type { KindDescriptor, KubeObject } from "../types.ts";
import { createCache } from "./cache.ts";
import type { Cache, CacheOptions } from "./types.ts";

/** The caches of one program: one for each kind and scope, shared by all who ask for it. */
export interface Caches {
  /**
   * The cache of the kind and scope; started already where the others are. Indexes are added to the one that is there; a different
   * transform, or to keep managed fields that are dropped already, throws: what one reader needs another must not drop.
   */
  of<T extends KubeObject>(kind: KindDescriptor<T>, options?: SharedCacheOptions<T>): Cache<T>;
  /** Starts all, also those that are asked for later. Resolves when all have stopped. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when all that were asked for are synced. */
  synced(): Promise<void>;
  all(): readonly Cache<KubeObject>[];
}

/** What one reader may wish for. */
export type SharedCacheOptions<T extends KubeObject> = Omit<
  CacheOptions<T>,
  "clock" | "random" | "onProblem" | "streamsLists"
>;

interface Shared {
  readonly cache: unknown;
  readonly untyped: Cache<KubeObject>;
  readonly transform: unknown;
  readonly keepsManagedFields: boolean;
}

/** No caches yet. */
export function createCaches(
  client: Client,
  common: Pick<CacheOptions<KubeObject>, "clock" | "random" | "onProblem" | "streamsLists"> = {},
): Caches {
  const shared = new Map<string, Shared>();
  let started: AbortSignal | undefined;
  return {
    of<T extends KubeObject>(kind: KindDescriptor<T>, options: SharedCacheOptions<T> = {}): Cache<T> {
      const { namespace = "", labelSelector = "", fieldSelector = "", transform, indexes = {} } = options;
      const { keepsManagedFields = false } = options;
      const { group, version, plural } = kind;
      const id = JSON.stringify([group, version, plural, namespace, labelSelector, fieldSelector]);
      const known = shared.get(id);
      if (known === undefined) {
        const cache = createCache(client, kind, { ...options, ...common });
        shared.set(id, { cache, untyped: cache, transform, keepsManagedFields });
        if (started !== undefined) void cache.start(started);
        return cache;
      }
      const { cache } = known;
      if (transform !== undefined && transform !== known.transform)
        throw new Error(`cache of ${plural}: another transform is in use`);
      if (keepsManagedFields && !known.keepsManagedFields)
        throw new Error(`cache of ${plural}: managed fields are dropped already`);
      if (!isCacheOf(cache, kind)) throw new Error(`cache of ${plural}: it was made for another kind`);
      for (const [name, valuesOf] of Object.entries(indexes)) cache.addIndex(name, valuesOf);
      return cache;
    },
    async start(signal) {
      started ??= signal;
      for (const { untyped } of shared.values()) void untyped.start(started);
      if (!started.aborted) await new Promise((resolve) => started?.addEventListener("abort", resolve, { once: true }));
      await Promise.all([...shared.values()].map(({ untyped }) => untyped.start(signal)));
    },
    async synced() {
      await Promise.all([...shared.values()].map(({ untyped }) => untyped.synced));
    },
    all: () => [...shared.values()].map(({ untyped }) => untyped),
  };
}

/** The same group, version and kind have the same type of objects. */
function isCacheOf<T extends KubeObject>(cache: unknown, kind: KindDescriptor<T>): cache is Cache<T> {
  if (typeof cache !== "object" || cache === null || !("kind" in cache)) return false;
  const own = cache.kind;
  return typeof own === "object" && own !== null && "kind" in own && own.kind === kind.kind;
}
