// SPDX-License-Identifier: Apache-2.0
import type { Change } from "../types.ts";

/** What goes to disk together: all of it or nothing. */
export interface Batch {
  readonly changes: readonly Change[];
  readonly compaction?: {
    /** Everything up to and including this revision is forgotten. */
    readonly compacted: number;
    /** Revisions of the rows that nobody needs then. */
    readonly dead: readonly number[];
  };
}

/** One write as it was read back. */
export interface Row {
  readonly revision: number;
  readonly key: string;
  readonly isDeleted: boolean;
  readonly json: string;
}

/** Where batches are kept. */
export interface Disk {
  /** For messages. */
  readonly name: string;
  readonly compacted: number;
  /** All that is there, in revision order: up to `compacted` the last state of each key, after it every write. */
  rows(): Iterable<Row>;
  /** Returns once the batch is on disk. Throws a `StoreError` where it is not; only after "full" may another one follow. */
  commit(batch: Batch): void;
  close(): void;
}

/** Keeps nothing: the store is then as fast as it can be, and gone with the process. */
export function noDisk(): Disk {
  return { name: "memory", compacted: 1, rows: () => [], commit: () => {}, close: () => {} };
}
