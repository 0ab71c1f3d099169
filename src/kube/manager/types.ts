// SPDX-License-Identifier: Apache-2.0
import type { CacheStartOptions } from "../cache/types.ts";
import type { RunOptions } from "../controller/types.ts";

/** Something that runs from the start, leader or not. Every `Cache` is one. */
export interface ManagedCache {
  readonly kind?: { readonly plural: string; readonly group: string };
  /** Begins, and ends with the signal. A second call joins the first. */
  start(signal: AbortSignal, options?: CacheStartOptions): unknown;
  /** Resolves once it has seen everything that was there. */
  readonly synced: Promise<void>;
  /** Resolves when it has all that the server had when this was called. */
  caughtUp?(signal: AbortSignal): Promise<void>;
  /** Milliseconds since it last heard from the server. */
  age?(): number;
}

/** Something that runs while this process leads. Every `Controller` is one. */
export interface ManagedController {
  readonly name: string;
  /** Started with the others, before anything else. */
  readonly caches?: readonly ManagedCache[];
  /**
   * Works until the signal, then resolves when nothing is under way. Calls the gate right before each reconcile and each write.
   * `cut` ends everything now. To reject, or to end before the signal, takes the whole manager down.
   */
  run(signal: AbortSignal, options: RunOptions): Promise<void>;
  /** Keys that are ready and wait. */
  readonly depth?: number;
}
