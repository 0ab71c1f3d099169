// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../types.ts";
import { keyOf, keyText } from "./key-text.ts";
import { compareVersions, isOlder } from "./versions.ts";

/** One object as it is kept. */
export interface Entry<T extends KubeObject> {
  readonly object: T;
  readonly version: string;
  readonly uid: string | undefined;
}

/** How objects are kept. */
export interface CollectionOptions<T extends KubeObject> {
  readonly keepsManagedFields?: boolean | undefined;
  readonly transform?: ((object: T) => T) | undefined;
  /** Told of each change after it was made; `key` is its text. */
  readonly onChange: (change: Change<T>) => void;
  readonly onProblem: (error: unknown) => void;
}

/** One object came, changed or went. */
export interface Change<T extends KubeObject> {
  readonly key: string;
  readonly old: Entry<T> | undefined;
  readonly new: Entry<T> | undefined;
}

/** What became of an event. `disorder` means that the stream it came from cannot be trusted: the state must be read anew. */
export type Outcome = "applied" | "known" | "disorder";

/**
 * The objects of one kind as of one moment, the position. It only goes forward: neither an object nor the whole is ever replaced
 * by what is older, but where the server's history itself has begun anew.
 */
export interface Collection<T extends KubeObject> {
  readonly entries: ReadonlyMap<string, Entry<T>>;
  /** Everything up to here is in; undefined before the first list. */
  readonly position: string | undefined;
  /** Where the last list was taken. */
  readonly listedAt: string | undefined;
  toEntry(object: T): Entry<T>;
  apply(type: "ADDED" | "MODIFIED" | "DELETED", object: T): Outcome;
  /** Nothing more will come up to this version. */
  advance(version: string): void;
  /** Takes a whole list. False, and nothing happens, where it is older than what is known. */
  replace(entries: Map<string, Entry<T>>, version: string): boolean;
  /** Takes a whole list of another history: its versions have nothing to do with those that are known. */
  restart(entries: Map<string, Entry<T>>, version: string): void;
  /** How often that happened. */
  readonly history: number;
}

/** An empty collection. */
export function createCollection<T extends KubeObject>(options: CollectionOptions<T>): Collection<T> {
  const { transform, onChange, onProblem, keepsManagedFields = false } = options;
  let entries = new Map<string, Entry<T>>();
  let position: string | undefined;
  let listedAt: string | undefined;
  let history = 0;

  const toEntry = (object: T): Entry<T> => {
    const { resourceVersion = "", uid } = object.metadata;
    if (!keepsManagedFields) dropManagedFields(object);
    if (transform === undefined) return { object, version: resourceVersion, uid };
    try {
      return { object: transform(object), version: resourceVersion, uid };
    } catch (error) {
      // To leave the object out would be a lie about what exists.
      onProblem(error);
      return { object, version: resourceVersion, uid };
    }
  };
  const tell = (key: string, old: Entry<T> | undefined, now: Entry<T> | undefined) => {
    // The same name is not the same object.
    if (old !== undefined && now !== undefined && old.uid !== now.uid) {
      onChange({ key, old, new: undefined });
      onChange({ key, old: undefined, new: now });
    } else onChange({ key, old, new: now });
  };
  const takeOver = (
    next: Map<string, Entry<T>>,
    version: string,
    isSame: (old: Entry<T>, now: Entry<T>) => boolean,
  ) => {
    const before = entries;
    entries = next;
    position = version;
    listedAt = version;
    for (const [key, old] of before) if (!next.has(key)) tell(key, old, undefined);
    for (const [key, now] of next) {
      const old = before.get(key);
      if (old !== undefined && isSame(old, now)) next.set(key, old);
      else tell(key, old, now);
    }
  };
  /** Whether an event that is not after the position says nothing new. */
  const isKnown = (type: string, old: Entry<T> | undefined, version: string) =>
    old === undefined ? type === "DELETED" : (compareVersions(old.version, version) ?? -1) >= 0;

  return {
    get entries() {
      return entries;
    },
    get position() {
      return position;
    },
    get listedAt() {
      return listedAt;
    },
    toEntry,
    apply(type, object) {
      const { resourceVersion: version = "" } = object.metadata;
      const key = keyText(keyOf(object));
      const old = entries.get(key);
      if (position !== undefined && (compareVersions(version, position) ?? 1) <= 0)
        return isKnown(type, old, version) ? "known" : "disorder";
      position = version;
      if (type === "DELETED") {
        if (!entries.delete(key)) return "applied";
        tell(key, old, undefined);
      } else {
        const now = toEntry(object);
        entries.set(key, now);
        tell(key, old, now);
      }
      return "applied";
    },
    advance(version) {
      if (position === undefined || !isOlder(version, position)) position = version;
    },
    get history() {
      return history;
    },
    replace(next, version) {
      if (position !== undefined && isOlder(version, position)) return false;
      for (const [key, { version: listed }] of next) {
        const known = entries.get(key);
        if (known !== undefined && isOlder(listed, known.version)) return false;
      }
      // What has not changed stays the very object that was told.
      takeOver(next, version, (old, now) => old.version === now.version && old.uid === now.uid);
      return true;
    },
    restart(next, version) {
      history += 1;
      // The same version of another history is not the same object.
      takeOver(next, version, () => false);
    },
  };
}

/** A new object, because one of which a field was deleted takes more memory than it had before. */
function dropManagedFields(object: KubeObject): void {
  if (!("managedFields" in object.metadata)) return;
  const { managedFields: _dropped, ...metadata } = object.metadata;
  object.metadata = metadata;
}
