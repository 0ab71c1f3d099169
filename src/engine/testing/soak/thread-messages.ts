// SPDX-License-Identifier: Apache-2.0
import type { ElectionTimes } from "../../../kube/index.ts";
import type { Side } from "../sweep/traffic.ts";

/** What a manager in a thread is made of. */
export interface ThreadStart {
  readonly name: string;
  readonly seed: number;
  /** The module that exports the list `providers`, as a URL. */
  readonly providersUrl: string;
  readonly provider: string;
  readonly electionTimes: ElectionTimes;
  /** Both clocks of the world at the start. */
  readonly monotonicMs: number;
  readonly nowMs: number;
  /** What no log line may contain. */
  readonly canaries: readonly string[];
}

/** What a thread sends to a server, or no longer wants from it. */
export type ThreadSends =
  | {
      readonly type: "request";
      readonly id: number;
      readonly side: Side;
      readonly method: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string | undefined>>;
      readonly body: Uint8Array | undefined;
    }
  | { readonly type: "abort"; readonly id: number };

/** What a thread gets from a server. An answer without a body is a stream: pieces follow, and an end. */
export type ThreadGets =
  | {
      readonly type: "answer";
      readonly id: number;
      readonly status: number;
      readonly headers: Readonly<Record<string, string | readonly string[]>>;
      readonly body: string | undefined;
    }
  | { readonly type: "piece"; readonly id: number; readonly text: string }
  | { readonly type: "end"; readonly id: number; readonly error?: ThreadError };

/** An error on its way between threads. */
export interface ThreadError {
  readonly message: string;
  readonly code: string | undefined;
}

/** What a thread is told to do. It answers each with one `ThreadAnswer`. */
export type ThreadOrder =
  /** Take this in at this time, and go on until nothing is left but to wait. With `isAskedToEnd`, finish what is under way and end. */
  | {
      readonly type: "go";
      readonly monotonicMs: number;
      readonly mail: readonly ThreadGets[];
      readonly isAskedToEnd: boolean;
    }
  | { readonly type: "measure" };

/** What a thread answers once nothing is left to do for it but to wait. */
export interface ThreadAnswer {
  readonly mail: readonly ThreadSends[];
  /** When it wants to go on by itself. */
  readonly nextAtMs: number | undefined;
  /** Set once its manager has ended: with an error, or in peace. */
  readonly ended?: { readonly error: string | undefined };
  /** Of the heap and of buffers, after a collection. Where it was measured. */
  readonly heapBytes?: number;
  /** Its last log lines. Where it was measured or has ended. */
  readonly lines?: readonly string[];
  /** Log lines with a secret in them. */
  readonly leaks: number;
}
