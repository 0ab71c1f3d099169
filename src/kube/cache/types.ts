// SPDX-License-Identifier: Apache-2.0
import type { Clock, KindDescriptor, KubeObject, ObjectKey, Random } from "../types.ts";
import type { IndexFunction } from "./indexes.ts";
import type { Scope } from "./scope.ts";

/** Told of one object: it came (`old` is undefined), changed, or went (`now` is undefined). What it throws is reported. */
export type CacheListener<T extends KubeObject> = (old: T | undefined, now: T | undefined) => void;

/** What a cache holds, and how. */
export interface CacheOptions<T extends KubeObject> extends Scope {
  /** Keeps `metadata.managedFields`, often half of an object, which are dropped otherwise. Servers do not miss them in an update. */
  readonly keepsManagedFields?: boolean;
  /**
   * Makes each object smaller before it is kept. It may change the object that it is given. Name, namespace and labels that others
   * rely on must stay; versions and uids are remembered apart.
   */
  readonly transform?: (object: T) => T;
  /** Values by which `byIndex` finds objects. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Asks the server for lists as streams of events where it offers that; true unless told otherwise. */
  readonly streamsLists?: boolean;
  /** Told of all that went wrong on the way; the cache itself goes on. Left out, whoever starts it is told: a manager logs it. */
  readonly onProblem?: (error: unknown) => void;
}

/** What one who starts a cache may wish for. */
export interface CacheStartOptions {
  /** Told of what goes wrong where the cache has no `onProblem` of its own. The first who gives one is told. */
  readonly onProblem?: (error: unknown) => void;
}

/**
 * The objects of one kind, kept equal to the server's.
 *
 * It never goes back in time: no object is replaced by an older version of it, and a list older than what was seen is refused. That
 * holds within one history of the server: one that insists on being older, for two minutes, was restored from a backup, is told of
 * as a `HistoryChangedError`, and believed. It always converges: whatever happens to connections and servers, once they work again
 * it reaches the server's state. Listeners see every object's final state, though not each state in between. Objects are shared by
 * all readers: nobody may change them.
 */
export interface Cache<T extends KubeObject> {
  readonly kind: KindDescriptor<T>;
  readonly scope: Scope;
  /** Follows the server until the signal is aborted; resolves when nothing is open any more. A second call joins the first. */
  start(signal: AbortSignal, options?: CacheStartOptions): Promise<void>;
  /** Resolves when the first whole list is in. Rejects where the cache was stopped before. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  get(key: ObjectKey): T | undefined;
  /** All objects, or those of one namespace, in no order. */
  list(options?: { readonly namespace?: string }): T[];
  /** The objects that an index found under a value. Throws where there is no such index. */
  byIndex(name: string, value: string): T[];
  /** The first of them, in no order, that passes the test; looks at no more than it has to. Throws where there is no such index. */
  findByIndex(name: string, value: string, test: (object: T) => boolean): T | undefined;
  /** Adds an index, filled at once. The same name with another function throws. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void;
  /**
   * Tells of everything that is there, at once, and from then on of every change. An object that was deleted and made anew under the
   * same name goes first and then comes. Returns how to stop it.
   */
  subscribe(listener: CacheListener<T>): () => void;
  /**
   * Whether the cache knows the object as of this version or later, its deletion included. Versions that are no numbers have no
   * order, and count as seen.
   */
  seen(key: ObjectKey, resourceVersion: string): boolean;
  /** Resolves when `seen`, or when the server's history has begun anew; rejects with the signal's reason. */
  waitFor(key: ObjectKey, resourceVersion: string, signal?: AbortSignal): Promise<void>;
  /** Whether this very object is not in the cache, though another may be under its name. */
  isGone(key: ObjectKey, uid: string): boolean;
  /** Resolves when `isGone`, or when the server's history has begun anew; rejects with the signal's reason. */
  waitForGone(key: ObjectKey, uid: string, signal?: AbortSignal): Promise<void>;
  /** Resolves when the cache has all that the server had when this was called; rejects with the signal's reason. */
  caughtUp(signal: AbortSignal): Promise<void>;
  /** How often the server's history has begun anew. Versions of different histories have nothing to do with each other. */
  readonly history: number;
  /** The uid of the object of that name, also where a transform has dropped it. */
  uid(key: ObjectKey): string | undefined;
  /** Milliseconds since the server was last heard to say how things are; infinite before `synced`. */
  age(): number;
  readonly size: number;
  /** The version up to which everything is known. */
  readonly position: string | undefined;
}
