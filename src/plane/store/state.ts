// SPDX-License-Identifier: Apache-2.0
import type { Entry } from "../types.ts";
import type { StoredEntry } from "./entry.ts";

/** The objects by key, and in key order per resource, so that a list looks at nothing but its own resource. */
export interface State {
  get(key: string): StoredEntry | undefined;
  /** In key order. The array never changes once it is given out. */
  list(prefix: string): readonly StoredEntry[];
  set(entry: StoredEntry): void;
  remove(key: string): void;
}

interface Bucket {
  /** In key order. An insertion moves what is behind it: 10 µs among 10,000, and lists come for free. */
  entries: StoredEntry[];
  /** Whether a reader has the array, so that the next change needs another. */
  isShared: boolean;
}

/** The state with these entries, which the state takes over. */
export function createState(byKey: Map<string, StoredEntry>): State {
  const buckets = bucketsOf(byKey.values());

  function list(prefix: string): readonly StoredEntry[] {
    const resource = resourceOf(prefix);
    if (resource === undefined) {
      const names = [...buckets.keys()].filter((name) => name.startsWith(prefix)).sort(byText);
      return names.flatMap((name) => buckets.get(name)?.entries ?? []);
    }
    const bucket = buckets.get(resource);
    if (bucket === undefined) return [];
    if (resource === prefix) {
      bucket.isShared = true;
      return bucket.entries;
    }
    const { entries } = bucket;
    const start = firstIndex(entries, (key) => key >= prefix);
    return entries.slice(
      start,
      firstIndex(entries, (key) => key >= prefix && !key.startsWith(prefix)),
    );
  }

  function writable(key: string): Bucket {
    const resource = resourceOf(key) ?? "";
    let bucket = buckets.get(resource);
    if (bucket === undefined) {
      bucket = { entries: [], isShared: false };
      buckets.set(resource, bucket);
    }
    if (bucket.isShared) bucket.entries = bucket.entries.slice();
    bucket.isShared = false;
    return bucket;
  }

  return {
    get: (key) => byKey.get(key),
    list,
    set(entry) {
      const { entries } = writable(entry.key);
      const index = firstIndex(entries, (key) => key >= entry.key);
      if (byKey.has(entry.key)) entries[index] = entry;
      else entries.splice(index, 0, entry);
      byKey.set(entry.key, entry);
    },
    remove(key) {
      if (!byKey.delete(key)) return;
      const { entries } = writable(key);
      const index = firstIndex(entries, (other) => other >= key);
      entries.splice(index, 1);
      if (entries.length === 0) buckets.delete(resourceOf(key) ?? "");
    },
  };
}

/** Sorted once: inserting one by one takes several times as long where keys come in no order. */
function bucketsOf(entries: Iterable<StoredEntry>): Map<string, Bucket> {
  const buckets = new Map<string, Bucket>();
  for (const entry of entries) {
    const resource = resourceOf(entry.key) ?? "";
    const bucket = buckets.get(resource);
    if (bucket === undefined) buckets.set(resource, { entries: [entry], isShared: false });
    else bucket.entries.push(entry);
  }
  for (const bucket of buckets.values()) bucket.entries.sort(byKeyOrder);
  return buckets;
}

/** `<group>/<plural>/` of a key or a longer prefix; undefined where the text ends before that. */
function resourceOf(text: string): string | undefined {
  const end = text.indexOf("/", text.indexOf("/") + 1);
  return end < 0 ? undefined : text.slice(0, end + 1);
}

/** The first index whose key passes; those that pass stand behind those that do not. */
function firstIndex(entries: readonly StoredEntry[], passes: (key: string) => boolean): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && passes(entry.key)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Key order: by code unit, the same everywhere whatever the locale. */
export function byKeyOrder(one: Entry, other: Entry): number {
  return byText(one.key, other.key);
}

function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
