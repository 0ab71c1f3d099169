// SPDX-License-Identifier: Apache-2.0
import type { Target } from "./plane-widgets.ts";

/** What a contestant is given. */
export interface Setup {
  readonly target: Target;
  /** The same as a kubeconfig. */
  readonly kubeconfig: string;
  /** Where the packages are: ours as it is published, the usual client, and undici. */
  readonly modules: Readonly<Record<ContestantName, string>>;
}

/** Who takes part. */
export type ContestantName = "butler" | "client-node" | "undici";

/** Widgets are read and written in `work`, heard of in `watched`, and kept in `fill`. */
export interface Contestant {
  /** Reads one and parses it. */
  get(name: string): Promise<void>;
  /** Applies one and parses the answer. */
  apply(name: string, size: number): Promise<void>;
  /** Calls back with the size of each widget that changes from now on, as a controller would hear of it. Returns how to end it. */
  watch(onSize: (size: number) => void): Promise<() => Promise<void>>;
  /** Takes all into memory and goes on following them. Gives their number. */
  sync(): Promise<number>;
  /** Reconciles all that were synced, doing nothing, until the time is over. Gives reconciles per second. */
  reconcile?(ms: number): Promise<number>;
  close(): Promise<void>;
}

/** What a process is asked for. */
export type RuntimeRequest =
  | { readonly operation: "get" | "apply"; readonly clients: number; readonly ms: number; readonly names: string[] }
  | { readonly operation: "watch"; readonly ms: number; readonly names: string[] }
  | { readonly operation: "sync" }
  | { readonly operation: "reconcile"; readonly ms: number }
  | { readonly operation: "start" }
  | { readonly operation: "memory"; readonly restMs: number }
  | { readonly operation: "live memory" };

/** What it answers: some numbers by name. */
export type RuntimeAnswer = Readonly<Record<string, number>>;
