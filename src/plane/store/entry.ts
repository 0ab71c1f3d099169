// SPDX-License-Identifier: Apache-2.0
import type { Entry, KubeObject } from "../types.ts";
import { freezeJson } from "./freeze-json.ts";
import { StoreError } from "./store-error.ts";

/** An entry whose object can be let go and is then parsed again from the text when someone asks for it. */
export interface StoredEntry extends Entry {
  parsed: KubeObject | undefined;
}

/** The entry for an object that is to be written. The object is frozen; the caller gives it away. */
export function entryOfObject(key: string, revision: number, object: KubeObject): StoredEntry {
  const json = JSON.stringify(object);
  // An object that says more than its text (an undefined field) would change on the way through the disk.
  return makeEntry(key, { revision, json, parsed: freezeJson(object) ? object : undefined });
}

/** The entry for a text that was read from disk; nothing is parsed until someone looks. */
export function entryOfJson(key: string, revision: number, json: string): StoredEntry {
  return makeEntry(key, { revision, json, parsed: undefined });
}

/** What a deletion leaves for watchers: the last state under the deletion's revision. */
export function entryOfDeletion(last: Entry, revision: number): StoredEntry {
  const metadata = { ...last.object.metadata, resourceVersion: String(revision) };
  return entryOfObject(last.key, revision, { ...last.object, metadata });
}

/**
 * What all entries have in common: a getter of its own takes each of them more room and time than all the rest. So `object` is
 * read, never copied along by a spread.
 */
const common = {
  get object(): KubeObject {
    return objectOf(Object(this));
  },
};

function makeEntry(
  key: string,
  { revision, json, parsed }: Pick<StoredEntry, "revision" | "json" | "parsed">,
): StoredEntry {
  return Object({ __proto__: common, key, revision, json, parsed, plainType: undefined, verdict: undefined });
}

function objectOf(entry: StoredEntry): KubeObject {
  if (entry.parsed !== undefined) return entry.parsed;
  const object = parse(entry);
  entry.parsed = object;
  remember(entry);
  return object;
}

/**
 * Entries that were parsed again because someone looked, in turn. One who looks at all objects, as a list with a selector
 * does, must not leave all of them parsed: that takes several times the room of their text.
 */
const lookedAt = new Array<StoredEntry | undefined>(1000);
let nextPlace = 0;

function remember(entry: StoredEntry): void {
  const oldest = lookedAt[nextPlace];
  if (oldest !== undefined) oldest.parsed = undefined;
  lookedAt[nextPlace] = entry;
  nextPlace = (nextPlace + 1) % lookedAt.length;
}

function parse({ key, json }: Pick<Entry, "key" | "json">): KubeObject {
  try {
    const object = JSON.parse(json) as KubeObject;
    freezeJson(object);
    return object;
  } catch (error) {
    throw new StoreError("damaged", `the stored text of "${key}" is not JSON`, { cause: error });
  }
}
