// SPDX-License-Identifier: Apache-2.0
import { bootstrapObjects } from "../../kinds/index.ts";
import type { Entry, KubeObject, Store } from "../../types.ts";

/** A store of a few objects that tests change as they like. */
export interface FakeStore extends Pick<Store, "get" | "list"> {
  put(plural: string, object: KubeObject): void;
  remove(plural: string, object: KubeObject): void;
}

/** A store with the roles of a fresh server and these objects, by plural. */
export function fakeStore(objects: readonly (readonly [plural: string, object: KubeObject])[] = []): FakeStore {
  const entries = new Map<string, Entry>();
  const lists = new Map<string, readonly Entry[]>();
  const keyOf = (plural: string, { apiVersion, metadata }: KubeObject) => {
    const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
    return `${group}/${plural}/${metadata.namespace ?? ""}/${metadata.name}`;
  };
  const store: FakeStore = {
    get: (key) => entries.get(key),
    list(prefix) {
      const known = lists.get(prefix);
      if (known !== undefined) return known;
      const found = [...entries.values()].filter(({ key }) => key.startsWith(prefix));
      found.sort((one, other) => (one.key < other.key ? -1 : 1));
      lists.set(prefix, found);
      return found;
    },
    put(plural, object) {
      const key = keyOf(plural, object);
      entries.set(key, { key, revision: 1, object, json: JSON.stringify(object) });
      lists.clear();
    },
    remove(plural, object) {
      entries.delete(keyOf(plural, object));
      lists.clear();
    },
  };
  for (const { plural, object } of bootstrapObjects()) store.put(plural, object);
  for (const [plural, object] of objects) store.put(plural, object);
  return store;
}
