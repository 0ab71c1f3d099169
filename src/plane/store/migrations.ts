// SPDX-License-Identifier: Apache-2.0

/**
 * What turns a store of version N into one of version N + 1, N being the index. Only ever add to the end: files of all
 * earlier versions are out there. The first one makes a store of an empty file.
 *
 * `changes` is the history and the objects in one: a row per write, which is never changed, only deleted once nobody
 * needs it. So a write is one insertion at the end of one tree. `compacted` is the revision up to which only the last
 * state of each key is left; it also keeps revisions from repeating when the newest rows are gone.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE changes (
     revision INTEGER PRIMARY KEY,
     key TEXT NOT NULL,
     deleted INTEGER NOT NULL,
     json TEXT NOT NULL
   ) STRICT;
   CREATE TABLE compaction (compacted INTEGER NOT NULL) STRICT;
   INSERT INTO compaction VALUES (1);`,
];

/** The version that this code writes. */
export const schemaVersion = migrations.length;

/** In the header of each of our files: "BTLR". */
export const applicationId = 0x42544c52;
