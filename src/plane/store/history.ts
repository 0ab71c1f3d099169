// SPDX-License-Identifier: Apache-2.0
import type { Change } from "../types.ts";
import type { StoredEntry } from "./entry.ts";

/** A change whose entries can let go of their parsed objects. */
export interface StoredChange extends Change {
  readonly entry: StoredEntry;
  readonly previous: StoredEntry | undefined;
}

/** The last changes: a bounded number of them, with a bounded amount of text. */
export interface History {
  /** Everything up to and including this revision is forgotten. */
  readonly compacted: number;
  push(change: StoredChange): void;
  /** Oldest first, at most `limit`; undefined where some of them are forgotten. */
  after(revision: number, limit: number): StoredChange[] | undefined;
  /** The state of the changed keys before all changes after the revision; undefined where some of them are forgotten. */
  before(prefix: string, revision: number): Map<string, StoredEntry | undefined> | undefined;
  forget(revision: number): void;
}

interface HistoryOptions {
  readonly compacted: number;
  readonly maxLength: number;
  readonly maxChars: number;
  /** Called with each change that is forgotten, oldest first. */
  readonly onForget: (change: StoredChange) => void;
}

/**
 * Parsed objects take several times the room of their text. The newest changes keep theirs for the watchers; of older ones,
 * also where they are still the current state, the next reader parses the text again.
 */
const PARSED_CHANGES = 1000;

/** A history that has forgotten everything up to `compacted`. */
export function createHistory({ compacted: initial, maxLength, maxChars, onForget }: HistoryOptions): History {
  // By revision. Revisions have no gaps, so a map is a queue that also finds the middle.
  const changes = new Map<number, StoredChange>();
  let compacted = initial;
  let newest = initial;
  let chars = 0;

  function forgetOldest(): void {
    compacted += 1;
    const change = changes.get(compacted);
    if (change === undefined) return;
    changes.delete(compacted);
    chars -= charsOf(change);
    release(change);
    onForget(change);
  }

  return {
    get compacted() {
      return compacted;
    },
    push(change) {
      newest = change.revision;
      changes.set(newest, change);
      chars += charsOf(change);
      release(changes.get(newest - PARSED_CHANGES));
      while (changes.size > maxLength || (chars > maxChars && changes.size > 0)) forgetOldest();
    },
    after(revision, limit) {
      if (revision < compacted) return undefined;
      const found: StoredChange[] = [];
      const last = Math.min(newest, revision + limit);
      for (let next = revision + 1; next <= last; next++) {
        const change = changes.get(next);
        if (change !== undefined) found.push(change);
      }
      return found;
    },
    before(prefix, revision) {
      if (revision < compacted) return undefined;
      const found = new Map<string, StoredEntry | undefined>();
      for (let next = newest; next > revision; next--) {
        const change = changes.get(next);
        if (change?.entry.key.startsWith(prefix)) found.set(change.entry.key, change.previous);
      }
      return found;
    },
    forget(revision) {
      while (compacted < Math.min(revision, newest)) forgetOldest();
    },
  };
}

function charsOf({ entry, previous }: StoredChange): number {
  return entry.json.length + (previous?.json.length ?? 0);
}

function release(change: StoredChange | undefined): void {
  if (change === undefined) return;
  change.entry.parsed = undefined;
  if (change.previous !== undefined) change.previous.parsed = undefined;
}
