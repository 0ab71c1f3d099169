// SPDX-License-Identifier: Apache-2.0
import type { Cache } from "../cache/types.ts";
import type { Client } from "../client/types.ts";
import type { BackoffLimits } from "../queue/backoff.ts";
import type { GroupLimits } from "../queue/groups.ts";
import type { Clock, KubeObject, ObjectKey, Random } from "../types.ts";
import type { Predicate, Watch } from "./watches.ts";

/** How a reconcile ended: nothing to do until something changes, or again after a while at the latest. */
export type Result = "done" | { readonly againInMs: number };

/** What a reconcile works with. */
export interface ReconcileContext {
  /** Aborted when the controller cannot wait any longer. */
  readonly signal: AbortSignal;
  /**
   * The client for all writes. It remembers each of them: the key is not reconciled again before the controller's caches have
   * seen them. It refuses writes after leadership was lost.
   */
  readonly client: Client;
  /** How often this key has failed in a row. */
  readonly failures: number;
}

/**
 * Brings the world in line with one object. Called for a key, not for an event: it reads the state itself, may be called at any
 * time, for objects that are gone too, and must stand being repeated. Never called twice at a time for the same key.
 */
export type Reconcile = (key: ObjectKey, context: ReconcileContext) => Promise<Result>;

/** What a controller tells about itself. Nothing that these throw reaches it. */
export interface ControllerHooks {
  /** A key was asked for; it may have been waiting already. */
  onAdd?(key: ObjectKey): void;
  /** A reconcile starts, of a key that was ready for so long. */
  onStart?(key: ObjectKey, waitedMs: number): void;
  onFinish?(key: ObjectKey, finished: Finished): void;
  /** The key failed and comes again after the pause. */
  onRetry?(key: ObjectKey, pauseMs: number): void;
  /** The key has to wait until the caches have seen what was written for it. */
  onHold?(key: ObjectKey): void;
  /** It did. */
  onRelease?(key: ObjectKey, heldMs: number): void;
  /** Something outside of reconciles went wrong: a predicate, a mapping, a question to the server. */
  onProblem?(error: unknown): void;
}

/** How a reconcile ended. A conflict is nobody's fault and is tried again like an error. */
export interface Finished {
  readonly result: "done" | "again" | "conflict" | "error";
  readonly durationMs: number;
  /** Whatever was thrown. */
  readonly error: unknown;
}

/** What a controller is made of. */
export interface ControllerOptions<T extends KubeObject> {
  /** For metrics and logs. */
  readonly name: string;
  readonly client: Client;
  /** The kind whose objects are reconciled. */
  readonly cache: Cache<T>;
  readonly reconcile: Reconcile;
  /** Which changes of the objects themselves count; all unless told otherwise. */
  readonly when?: Predicate<T>;
  /** What else leads to a reconcile: `watchOwned`, `watchMapped`. */
  readonly watches?: readonly Watch[];
  /** Caches that `reconcile` reads and that lead to nothing by themselves. Own writes to them are waited for as well. */
  readonly reads?: readonly Cache<KubeObject>[];
  /** How many reconciles run at a time; 1 unless told otherwise. */
  readonly concurrency?: number;
  /**
   * The group of a key. Groups take turns, so that one with many keys or failing ones does not keep the others waiting. A slow one
   * can still have all of the `concurrency`: `groupLimits` hold it to its share.
   */
  readonly group?: (key: ObjectKey) => string;
  /** What each group is held to. */
  readonly groupLimits?: GroupLimits;
  readonly backoff?: BackoffLimits;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly hooks?: ControllerHooks;
  /**
   * Told of each reconcile that failed, with its key, and of what went wrong beside them; not of conflicts, which are nobody's
   * fault. Left out, whoever runs the controller is told: a manager logs it. What it throws is ignored.
   */
  readonly onProblem?: ProblemListener;
}

/** Told of an error; the key is that of the reconcile that threw it. */
export type ProblemListener = (error: unknown, key?: ObjectKey) => void;

/** How one run of a controller goes. */
export interface RunOptions {
  /** Called before each reconcile and each write; where it throws, neither happens. */
  readonly gate?: () => void;
  /** How long reconciles may take to end by themselves when the run ends; 30 s unless told otherwise. */
  readonly drainMs?: number;
  /** Aborts reconciles at once. */
  readonly cut?: AbortSignal;
  /** Told of what goes wrong where the controller has no `onProblem` of its own. */
  readonly onProblem?: ProblemListener;
}

/** Reconciles keys. */
export interface Controller {
  readonly name: string;
  /** All caches that it needs. Somebody must start them. */
  readonly caches: readonly Cache<KubeObject>[];
  /**
   * Waits for its caches and then reconciles, everything that exists first, until the signal is aborted; then starts nothing, and
   * resolves when what was under way has ended. What ignores its own signal for 5 s is left behind and reported. May be called
   * again after it has resolved. Never rejects because of what a reconcile does.
   */
  run(signal: AbortSignal, options?: RunOptions): Promise<void>;
  /** Asks for a reconcile, now or later. Ignored while there is no run. */
  add(key: ObjectKey, options?: { readonly afterMs?: number }): void;
  /** Keys that are ready and wait. */
  readonly depth: number;
  /** Reconciles under way. */
  readonly active: number;
  /** Keys that wait for the caches to see what was written for them. */
  readonly held: number;
}
