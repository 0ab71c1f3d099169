// SPDX-License-Identifier: Apache-2.0
import { keyOf } from "../cache/key-text.ts";
import type { Cache } from "../cache/types.ts";
import type { KindDescriptor, KubeObject, ObjectKey } from "../types.ts";

/** Whether a change is worth a reconcile. Pure. One that throws counts as a yes: a change too many does no harm. */
export type Predicate<T extends KubeObject> = (old: T | undefined, now: T | undefined) => boolean;

/** What makes a controller reconcile which keys. */
export interface Watch {
  readonly cache: Cache<KubeObject>;
  /** Tells of keys from now on, of everything that is there first. Returns how to stop it. */
  start(enqueue: (key: ObjectKey) => void, onProblem: (error: unknown) => void): () => void;
}

/**
 * Reconciles the keys that the function finds for a changed object. It is asked for the state before and the state after, so that
 * those who have lost the object hear of it too.
 */
export function watchMapped<T extends KubeObject>(
  cache: Cache<T>,
  keysFor: (object: T) => Iterable<ObjectKey>,
  { when }: { readonly when?: Predicate<T> | undefined } = {},
): Watch {
  return {
    cache,
    start(enqueue, onProblem) {
      const isWanted = (old: T | undefined, now: T | undefined) => {
        try {
          return when === undefined || when(old, now);
        } catch (error) {
          onProblem(error);
          return true;
        }
      };
      return cache.subscribe((old, now) => {
        if (!isWanted(old, now)) return;
        for (const object of [old, now]) {
          if (object === undefined) continue;
          try {
            for (const key of keysFor(object)) enqueue(key);
          } catch (error) {
            onProblem(error);
          }
        }
      });
    },
  };
}

/** Reconciles the changed object itself. */
export function watchSelf<T extends KubeObject>(
  cache: Cache<T>,
  options: { readonly when?: Predicate<T> | undefined } = {},
): Watch {
  return watchMapped(cache, (object) => [keyOf(object)], options);
}

/** Reconciles the owners, of this kind, of a changed object: its controller, or all of them. */
export function watchOwned<T extends KubeObject>(
  cache: Cache<T>,
  owner: KindDescriptor,
  { when, allOwners = false }: { readonly when?: Predicate<T>; readonly allOwners?: boolean } = {},
): Watch {
  const ownersOf = ({ metadata: { namespace, ownerReferences = [] } }: T): ObjectKey[] =>
    ownerReferences
      .filter(
        ({ apiVersion, kind, controller }) =>
          kind === owner.kind && groupOf(apiVersion) === owner.group && (allOwners || controller === true),
      )
      .map(({ name }) => (owner.scope === "Cluster" || namespace === undefined ? { name } : { namespace, name }));
  return watchMapped(cache, ownersOf, { when });
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}

/** Passes all but changes that touch neither the wanted state nor labels, annotations, finalizers or owners: status alone. */
export function wantedStateChanged(old: KubeObject | undefined, now: KubeObject | undefined): boolean {
  if (old === undefined || now === undefined) return true;
  const wanted = ({ metadata }: KubeObject) =>
    JSON.stringify([
      metadata.uid,
      metadata.generation,
      metadata.deletionTimestamp,
      metadata.labels,
      metadata.annotations,
      metadata.finalizers,
      metadata.ownerReferences,
    ]);
  return now.metadata.generation === undefined || wanted(old) !== wanted(now);
}
