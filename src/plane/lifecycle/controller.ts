// SPDX-License-Identifier: Apache-2.0
import type { Registry } from "../registry.ts";
import type { ObjectKey, Objects } from "../rest/objects.ts";
import { StatusError } from "../status-error.ts";
import type { Change, Clock, Entry, KubeObject, ResourceType, Store } from "../types.ts";
import type { WorkQueue } from "./work-queue.ts";

/** Looks at what happens and puts what is to be done into the queue. */
export interface Controller {
  /** Forgets everything; `see` is called next for all there is. */
  reset(): void;
  /** An object that is there already. */
  see(entry: Entry, type: ResourceType): void;
  /** One change, in order. */
  observe(change: Change, type: ResourceType): void;
  /** Kinds have come or gone. */
  registryChanged?(): void;
  stop?(): void;
}

/** What controllers work with. */
export interface Surroundings {
  readonly store: Store;
  readonly registry: Registry;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly queue: WorkQueue;
  /** The type of what is kept under a key; undefined for kinds that are no longer served. */
  typeOf(key: string): ResourceType | undefined;
}

/** Under whose name controllers write. */
export const MANAGER = "kube-controller-manager";

/** Takes a store key apart. */
export function objectKey(key: string): ObjectKey {
  const [, , namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

/** The object without a finalizer; the object itself where it has none such. */
export function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const { finalizers = [], ...metadata } = object.metadata;
  if (!finalizers.includes(finalizer)) return object;
  const left = finalizers.filter((name) => name !== finalizer);
  return { ...object, metadata: { ...metadata, ...(left.length === 0 ? {} : { finalizers: left }) } };
}

/** Whether an object is on its way out and waits for this finalizer. */
export function waitsFor({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);
}

/** Does something with an object that may be gone by then, which is fine. */
export async function unlessGone(action: Promise<unknown>): Promise<void> {
  try {
    await action;
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.reason !== "NotFound") throw error;
  }
}
