// SPDX-License-Identifier: Apache-2.0
import type { Entry, Wanted } from "../types.ts";
import { entryOfDeletion, entryOfObject, type StoredEntry } from "./entry.ts";
import type { StoredChange } from "./history.ts";
import { StoreError } from "./store-error.ts";

/** What decides about a write: see `Store.write`. */
export type Decide = (current: Entry | undefined, revision: number) => Wanted;

/** Writes on their way to disk. All that come in one turn of the event loop are committed together. */
export interface WriteQueue {
  write(key: string, decide: Decide): Promise<Entry | undefined>;
  /** Commits in this turn of the event loop also where nobody writes. */
  schedule(): void;
  /** Commits at once what is on its way and rejects what comes later. Tells whether the disk was still good. */
  close(): boolean;
}

interface QueueOptions {
  readonly revision: number;
  readonly current: (key: string) => StoredEntry | undefined;
  /** Returns once the changes are on disk and visible; throws a `StoreError` where they are not. */
  readonly commit: (changes: readonly StoredChange[]) => void;
  /** Called after each commit of changes, when those who wrote them are told. */
  readonly onCommit: () => void;
}

interface Pending {
  readonly changes: StoredChange[];
  /** The newest state of each key that the changes touch. */
  readonly newest: Map<string, StoredEntry | undefined>;
  /** Tell those who wait how it went, in the order of their calls. */
  readonly settlers: ((failure: StoreError | undefined) => void)[];
}

/** An empty queue on top of the state that `current` shows. */
export function createWriteQueue({ revision, current, commit, onCommit }: QueueOptions): WriteQueue {
  let committed = revision;
  let pending: Pending = emptyPending();
  let turn: NodeJS.Immediate | undefined;
  let isDeciding = false;
  let refusal: StoreError | undefined;

  function attempt(key: string, decide: Decide): StoredEntry | undefined {
    if (refusal !== undefined) throw refusal;
    if (isDeciding) throw new Error(`write "${key}": a write cannot start within another`);
    checkKey(key);
    const previous = pending.newest.has(key) ? pending.newest.get(key) : current(key);
    const next = committed + pending.changes.length + 1;
    isDeciding = true;
    try {
      const change = changeFor(key, { previous, revision: next, wanted: decide(previous, next) });
      if (change === undefined) return previous;
      pending.changes.push(change);
      pending.newest.set(key, change.type === "DELETED" ? undefined : change.entry);
      schedule();
      return change.entry;
    } finally {
      isDeciding = false;
    }
  }

  function write(key: string, decide: Decide): Promise<Entry | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Entry | undefined>();
    let settle: () => void;
    try {
      const entry = attempt(key, decide);
      settle = () => resolve(entry);
    } catch (error) {
      settle = () => reject(error);
    }
    // Also a refusal or "nothing to do" may rest on writes that are not on disk yet, and must not be heard before them.
    if (pending.changes.length === 0) settle();
    else pending.settlers.push((failure) => (failure === undefined ? settle() : reject(failure)));
    return promise;
  }

  function schedule(): void {
    if (refusal === undefined) turn ??= setImmediate(flush);
  }

  function flush(): void {
    clearImmediate(turn);
    turn = undefined;
    if (refusal !== undefined) return;
    const { changes, settlers } = pending;
    pending = emptyPending();
    let failure: StoreError | undefined;
    try {
      commit(changes);
      committed += changes.length;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      failure = error;
      if (failure.code !== "full") {
        refusal ??= new StoreError(failure.code, `no more writes after one failed: ${failure.message}`, {
          cause: failure,
        });
      }
    }
    for (const settle of settlers) settle(failure);
    if (failure === undefined && changes.length > 0) onCommit();
  }

  function close(): boolean {
    flush();
    const wasWritable = refusal === undefined;
    refusal ??= new StoreError("closed", "the store is closed");
    return wasWritable;
  }

  return { write, schedule, close };
}

function emptyPending(): Pending {
  return { changes: [], newest: new Map(), settlers: [] };
}

interface Decision {
  readonly previous: StoredEntry | undefined;
  readonly revision: number;
  readonly wanted: Wanted;
}

/** Undefined where nothing changes. */
function changeFor(key: string, { previous, revision, wanted }: Decision): StoredChange | undefined {
  if (wanted === "keep") return undefined;
  if (wanted !== "delete") {
    const entry = entryOfObject(key, revision, wanted.put);
    return { revision, type: previous === undefined ? "ADDED" : "MODIFIED", entry, previous };
  }
  if (previous === undefined) return undefined;
  return { revision, type: "DELETED", entry: entryOfDeletion(previous, revision), previous };
}

/** Keys that do not survive the way to disk and back, or that no list would find, are a mistake of the caller. */
function checkKey(key: string): void {
  if (!/^[^/\0]*\/[^/\0]+\/[^/\0]*\/[^/\0]+$/.test(key) || !key.isWellFormed()) {
    throw new TypeError(`the key ${JSON.stringify(key)} is not "<group>/<plural>/<namespace or empty>/<name>"`);
  }
}
