// SPDX-License-Identifier: Apache-2.0
import type { Disk, Row } from "./disk.ts";
import { entryOfJson, type StoredEntry } from "./entry.ts";
import type { History, StoredChange } from "./history.ts";
import { StoreError } from "./store-error.ts";

/** What the disk had. */
export interface Loaded {
  /** The revision of the last write. */
  readonly revision: number;
  readonly entries: Map<string, StoredEntry>;
}

/** Reads all of the disk, and pushes into the empty history what is not compacted. Throws where rows contradict each other. */
export function load(disk: Disk, history: History): Loaded {
  const entries = new Map<string, StoredEntry>();
  let revision = disk.compacted;
  for (const row of disk.rows()) {
    const entry = entryOfJson(row.key, row.revision, row.json);
    const previous = entries.get(row.key);
    if (row.revision <= disk.compacted) {
      if (previous !== undefined || row.isDeleted) throw damaged(disk, row, "is there although it was compacted");
    } else {
      revision += 1;
      if (row.revision !== revision) throw damaged(disk, row, `follows revision ${revision - 1}`);
      if (row.isDeleted && previous === undefined) throw damaged(disk, row, "deletes what is not there");
      history.push({ revision, type: typeOf(row, previous), entry, previous });
    }
    if (row.isDeleted) entries.delete(row.key);
    else entries.set(row.key, entry);
  }
  return { revision, entries };
}

function typeOf({ isDeleted }: Row, previous: StoredEntry | undefined): StoredChange["type"] {
  if (isDeleted) return "DELETED";
  return previous === undefined ? "ADDED" : "MODIFIED";
}

function damaged({ name }: Disk, { key, revision }: Row, words: string): StoreError {
  const which = `revision ${revision} of "${key}"`;
  return new StoreError("damaged", `open store "${name}": the file is damaged: ${which} ${words}`);
}
