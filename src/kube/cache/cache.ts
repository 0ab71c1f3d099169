// SPDX-License-Identifier: Apache-2.0
import type { Client } from "../client/types.ts";
import { systemClock } from "../clock.ts";
import type { KindDescriptor, KubeObject, ObjectKey } from "../types.ts";
import { catchUp } from "./catch-up.ts";
import { type Change, createCollection } from "./collection.ts";
import { follow } from "./follow.ts";
import { createIndex, type Index, type IndexFunction } from "./indexes.ts";
import { keyText } from "./key-text.ts";
import type { Scope } from "./scope.ts";
import type { Cache, CacheListener, CacheOptions } from "./types.ts";
import { compareVersions } from "./versions.ts";
import { createWaiters } from "./waiters.ts";

/** A cache of the kind's objects, or of those in the scope. It is empty until it is started. */
export function createCache<T extends KubeObject>(
  client: Client,
  kind: KindDescriptor<T>,
  options: CacheOptions<T> = {},
): Cache<T> {
  const { clock = systemClock, random = Math.random, streamsLists = true, transform } = options;
  const scope = scopeOf(options);
  const listeners = new Set<CacheListener<T>>();
  const indexes = new Map<string, { readonly valuesOf: IndexFunction<T>; readonly index: Index<T> }>();
  const waiters = createWaiters();
  const firstList = Promise.withResolvers<void>();
  // Whoever waits for it is told; nobody has to.
  firstList.promise.catch(() => {});
  let isSynced = false;
  let heardAt: number | undefined;
  let run: Promise<void> | undefined;
  /** While a list is taken over, changes wait until all of them are made: listeners must not see half of it. */
  let pending: Change<T>[] = [];

  let tell = options.onProblem;
  const onProblem = (error: unknown) => {
    try {
      tell?.(error);
    } catch {}
  };
  const call = (listener: CacheListener<T>, old: T | undefined, now: T | undefined) => {
    try {
      listener(old, now);
    } catch (error) {
      onProblem(error);
    }
  };
  const { keepsManagedFields } = options;
  const collection = createCollection<T>({
    transform,
    keepsManagedFields,
    onProblem,
    onChange: (change) => void pending.push(change),
  });
  const flush = () => {
    const changes = pending;
    pending = [];
    for (const change of changes) for (const { index } of indexes.values()) index.change(change);
    for (const { old, new: now } of changes)
      for (const listener of [...listeners]) call(listener, old?.object, now?.object);
    return changes;
  };
  const onHeard = (what: "event" | "bookmark" | "list") => {
    heardAt = clock.monotonic();
    const changes = flush();
    if (what === "list") {
      isSynced = true;
      firstList.resolve();
      waiters.everythingChanged();
    }
    if (waiters.size === 0) return;
    for (const { key } of changes) waiters.keyChanged(key);
    if (collection.position !== undefined) waiters.positionMoved(collection.position);
  };
  const addIndex = (name: string, valuesOf: IndexFunction<T>) => {
    const known = indexes.get(name);
    if (known !== undefined && known.valuesOf !== valuesOf)
      throw new Error(`cache of ${kind.plural}: there is another index "${name}"`);
    if (known === undefined)
      indexes.set(name, { valuesOf, index: createIndex(valuesOf, collection.entries, onProblem) });
  };
  for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) addIndex(name, valuesOf);
  const indexed = (name: string, value: string) => {
    const found = indexes.get(name);
    if (found === undefined) throw new Error(`cache of ${kind.plural}: there is no index "${name}"`);
    return found.index.keys(value);
  };

  const reaches = (version: string | undefined, wanted: string) =>
    version !== undefined && (compareVersions(version, wanted) ?? 0) >= 0;
  const seen = (key: string, wanted: string) => {
    const entry = collection.entries.get(key);
    if (entry === undefined) return reaches(collection.position, wanted);
    return reaches(entry.version, wanted) || reaches(collection.listedAt, wanted);
  };
  const isGone = (key: string, uid: string) => collection.entries.get(key)?.uid !== uid;
  const wait = (key: string, version: string | undefined, holds: () => boolean) => {
    const { history } = collection;
    return { key, version, isMet: () => collection.history !== history || holds() };
  };
  const waitFor = (key: ObjectKey, version: string, signal?: AbortSignal) => {
    const text = keyText(key);
    return waiters.wait(
      wait(text, version, () => seen(text, version)),
      signal,
    );
  };
  const waitForGone = (key: ObjectKey, uid: string, signal?: AbortSignal) => {
    const text = keyText(key);
    return waiters.wait(
      wait(text, undefined, () => isGone(text, uid)),
      signal,
    );
  };

  return {
    kind,
    scope,
    synced: firstList.promise,
    start(signal, starting = {}) {
      tell ??= starting.onProblem;
      run ??= follow({ client, kind, scope, collection, clock, random, streamsLists, onHeard, onProblem }, signal).then(
        () => firstList.reject(signal.reason),
      );
      return run;
    },
    get isSynced() {
      return isSynced;
    },
    get: (key) => collection.entries.get(keyText(key))?.object,
    list({ namespace } = {}) {
      const objects: T[] = [];
      for (const { object } of collection.entries.values())
        if (namespace === undefined || object.metadata.namespace === namespace) objects.push(object);
      return objects;
    },
    byIndex(name, value) {
      const objects: T[] = [];
      for (const key of indexed(name, value)) {
        const entry = collection.entries.get(key);
        if (entry !== undefined) objects.push(entry.object);
      }
      return objects;
    },
    findByIndex(name, value, test) {
      for (const key of indexed(name, value)) {
        const entry = collection.entries.get(key);
        if (entry !== undefined && test(entry.object)) return entry.object;
      }
      return undefined;
    },
    addIndex,
    subscribe(listener) {
      // Equal functions are different listeners.
      const own: CacheListener<T> = (old, now) => listener(old, now);
      for (const { object } of [...collection.entries.values()]) call(own, undefined, object);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    seen: (key, version) => seen(keyText(key), version),
    waitFor,
    isGone: (key, uid) => isGone(keyText(key), uid),
    waitForGone,
    caughtUp: (signal) =>
      catchUp({ client, kind, scope, collection, clock, random, onProblem, waitFor, waitForGone }, signal),
    get history() {
      return collection.history;
    },
    uid: (key: ObjectKey) => collection.entries.get(keyText(key))?.uid,
    age: () => (heardAt === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - heardAt),
    get size() {
      return collection.entries.size;
    },
    get position() {
      return collection.position;
    },
  };
}

function scopeOf({ namespace, labelSelector, fieldSelector }: Scope): Scope {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}
