// SPDX-License-Identifier: Apache-2.0
import { type Registry, storagePrefix } from "../registry.ts";
import type { ResourceType, Store } from "../types.ts";
import type { Controller } from "./controller.ts";

/** Tells controllers what happened, in order, each change once. */
export interface ChangeFeed {
  /** Whether everything that is on disk has been told. */
  isCurrent(): boolean;
  /** Tells what there is to tell. */
  drain(): void;
  /** The type of what is kept under a key; undefined for kinds that are not served. */
  typeOf(key: string): ResourceType | undefined;
  /** Starts telling: first all there is, then every change. */
  start(controllers: readonly Controller[]): void;
  stop(): void;
}

const SLICE = 1000;

/** Makes a feed. Whoever falls behind history is told all there is again. */
export function createChangeFeed(store: Store, registry: Registry): ChangeFeed {
  let controllers: readonly Controller[] = [];
  let cursor = store.revision;
  let generation = -1;
  let types = new Map<string, ResourceType>();
  let known = new Set<string>();

  const refreshTypes = () => {
    if (generation === registry.generation) return;
    generation = registry.generation;
    types = new Map(registry.resources().map((type) => [storagePrefix(type), type]));
  };
  const typeOf = (key: string) => {
    refreshTypes();
    return types.get(key.slice(0, key.indexOf("/", key.indexOf("/") + 1) + 1));
  };
  const seeAll = (prefixes: Iterable<string>) => {
    for (const prefix of prefixes) {
      const type = types.get(prefix);
      if (type === undefined) continue;
      for (const entry of store.list(prefix)) for (const controller of controllers) controller.see(entry, type);
    }
  };
  const resync = () => {
    cursor = store.revision;
    refreshTypes();
    known = new Set(types.keys());
    for (const controller of controllers) controller.reset();
    seeAll(known);
  };

  const drain = () => {
    while (cursor < store.revision) {
      const changes = store.changesAfter(cursor, SLICE);
      if (changes === undefined) return resync();
      if (changes.length === 0) return;
      for (const change of changes) {
        cursor = change.revision;
        const type = typeOf(change.entry.key);
        if (type !== undefined) for (const controller of controllers) controller.observe(change, type);
      }
    }
  };

  const registryChanged = () => {
    refreshTypes();
    // Objects of a kind that was not served were passed over until now.
    const added = [...types.keys()].filter((prefix) => !known.has(prefix));
    known = new Set(types.keys());
    seeAll(added);
    for (const controller of controllers) controller.registryChanged?.();
  };
  let unsubscribe = () => {};
  return {
    isCurrent: () => cursor >= store.revision,
    drain,
    typeOf,
    start(listeners) {
      controllers = listeners;
      const stops = [store.subscribe(drain), registry.subscribe(registryChanged)];
      unsubscribe = () => {
        for (const stop of stops) stop();
      };
      resync();
    },
    stop: () => unsubscribe(),
  };
}
