// SPDX-License-Identifier: Apache-2.0

/** An object of any kind. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/**
 * What a client must know about a kind. The kinds of `src/api` fit as they are; core kinds are in `core.ts`.
 * `object` is never set: it only carries the type of the kind's objects.
 */
export interface KindDescriptor<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly object?: T;
}

/** Names one object. `namespace` is left out for cluster-wide kinds. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** One event of a watch. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly endsInitialEvents: boolean };

/** Tells time and wakes up. Tests and simulations give their own; nothing in `src/kube` uses the global timers. */
export interface Clock {
  /** Milliseconds since 1970, for what people read. May jump. */
  now(): number;
  /** Milliseconds on a scale that only grows, for measuring and deadlines. */
  monotonic(): number;
  /** Calls back once after the delay. Returns how to call it off. */
  after(delayMs: number, callback: () => void): () => void;
}

/** A number from 0 up to, not including, 1. */
export type Random = () => number;
