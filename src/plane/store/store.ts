// SPDX-License-Identifier: Apache-2.0
import type { Entry, Store } from "../types.ts";
import { openDatabase } from "./database.ts";
import { asStoreError } from "./database-error.ts";
import { type Disk, noDisk } from "./disk.ts";
import { createHistory, type History, type StoredChange } from "./history.ts";
import { load } from "./load.ts";
import { byKeyOrder, createState, type State } from "./state.ts";
import { createWriteQueue } from "./write-queue.ts";

/** How much history a store keeps; the limit that is reached first counts. */
export interface StoreOptions {
  /** How many changes, 10,000 unless told. */
  readonly historyLength?: number;
  /** How many characters of JSON, 64 Mi unless told: large objects must not fill the memory. */
  readonly historyChars?: number;
}

/**
 * Opens the store in a folder, or one in memory that is gone with the process. Throws a `StoreError` where another process
 * has the folder's store open, or where its file is damaged, foreign or newer.
 */
export function openStore(where: { readonly dir: string } | { readonly memory: true }, options?: StoreOptions): Store {
  return createStore("dir" in where ? openDatabase(where.dir) : noDisk(), options);
}

/** Rows are deleted for this many forgotten changes at a time: neighbours share pages, and the deletion a commit. */
const FORGET_AT_ONCE = 500;

/** A store on the given disk, which it closes when it is closed itself or cannot read it. */
export function createStore(disk: Disk, options: StoreOptions = {}): Store {
  const { state, history, dead, revision: initial } = read(disk, options);
  const listeners = new Set<() => void>();
  let revision = initial;
  let compactedOnDisk = disk.compacted;
  let closing: Promise<void> | undefined;

  const isForgetDue = (least: number) => history.compacted - compactedOnDisk >= least;

  function commit(changes: readonly StoredChange[], leastForgotten: number): void {
    if (isForgetDue(leastForgotten)) {
      const { compacted } = history;
      disk.commit({ changes, compaction: { dead, compacted } });
      dead.length = 0;
      compactedOnDisk = compacted;
    } else if (changes.length > 0) disk.commit({ changes });
    for (const change of changes) {
      if (change.type === "DELETED") state.remove(change.entry.key);
      else state.set(change.entry);
      history.push(change);
      revision = change.revision;
    }
  }

  const queue = createWriteQueue({
    revision,
    current: (key) => state.get(key),
    commit: (changes) => commit(changes, FORGET_AT_ONCE),
    onCommit: () => tell(listeners),
  });

  async function close(): Promise<void> {
    const wasWritable = queue.close();
    listeners.clear();
    try {
      if (wasWritable) commit([], 1);
    } finally {
      disk.close();
    }
  }

  return {
    get revision() {
      return revision;
    },
    get: (key) => state.get(key),
    list: (prefix) => state.list(prefix),
    listAt: (prefix, at) => listAt({ state, history, prefix, revision: at }),
    write: (key, change) => queue.write(key, change),
    changesAfter: (after, limit) => history.after(after, limit),
    subscribe: (listener) => subscribe(listeners, listener),
    compact(upTo) {
      history.forget(upTo);
      if (isForgetDue(FORGET_AT_ONCE)) queue.schedule();
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

interface Contents {
  readonly state: State;
  readonly history: History;
  /** Revisions of rows on disk that nobody needs any more. */
  readonly dead: number[];
  readonly revision: number;
}

function read(disk: Disk, { historyLength = 10_000, historyChars = 2 ** 26 }: StoreOptions): Contents {
  const dead: number[] = [];
  const history = createHistory({
    compacted: disk.compacted,
    maxLength: historyLength,
    maxChars: historyChars,
    onForget: ({ type, revision, previous }) => {
      if (previous !== undefined) dead.push(previous.revision);
      if (type === "DELETED") dead.push(revision);
    },
  });
  try {
    const { revision, entries } = load(disk, history);
    return { state: createState(entries), history, dead, revision };
  } catch (error) {
    disk.close();
    throw asStoreError(error, `open store "${disk.name}"`);
  }
}

interface Moment {
  readonly state: State;
  readonly history: History;
  readonly prefix: string;
  readonly revision: number;
}

/** The list of now with all later changes taken back. */
function listAt({ state, history, prefix, revision }: Moment): readonly Entry[] | undefined {
  const before = history.before(prefix, revision);
  if (before === undefined) return undefined;
  const now = state.list(prefix);
  if (before.size === 0) return now;
  const restored = [...before.values()].filter((entry) => entry !== undefined);
  const untouched = now.filter(({ key }) => !before.has(key));
  return [...untouched, ...restored].sort(byKeyOrder);
}

function subscribe(listeners: Set<() => void>, listener: () => void): () => void {
  // A function of its own, so that the same listener may subscribe twice.
  const own = () => listener();
  listeners.add(own);
  return () => {
    listeners.delete(own);
  };
}

/** One listener's mistake is nobody else's, but is not hushed up either. */
function tell(listeners: Iterable<() => void>): void {
  for (const listener of [...listeners]) {
    try {
      listener();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
