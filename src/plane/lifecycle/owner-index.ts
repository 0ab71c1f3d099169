// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../types.ts";

/** Who belongs to whom: store keys of dependents, by the uid of their owners. */
export interface OwnerIndex {
  /** Brings the index up to date with a change of the object under the key. */
  update(key: string, before: KubeObject | undefined, after: KubeObject | undefined): void;
  dependents(uid: string): readonly string[];
  /** Whether somebody belongs to it. */
  hasDependents(uid: string): boolean;
  /** Whether somebody belongs to it for whom its foreground deletion has to wait. */
  hasBlockers(uid: string): boolean;
  clear(): void;
}

/** Makes an empty index. A change costs as much as the object has owners. */
export function createOwnerIndex(): OwnerIndex {
  const dependents = new Map<string, Set<string>>();
  const blockers = new Map<string, Set<string>>();
  return {
    update(key, before, after) {
      for (const { uid } of before?.metadata.ownerReferences ?? []) {
        remove(dependents, uid, key);
        remove(blockers, uid, key);
      }
      for (const { uid, blockOwnerDeletion } of after?.metadata.ownerReferences ?? []) {
        add(dependents, uid, key);
        if (blockOwnerDeletion === true) add(blockers, uid, key);
      }
    },
    dependents: (uid) => [...(dependents.get(uid) ?? [])],
    hasDependents: (uid) => dependents.has(uid),
    hasBlockers: (uid) => blockers.has(uid),
    clear() {
      dependents.clear();
      blockers.clear();
    },
  };
}

function add(index: Map<string, Set<string>>, uid: string, key: string): void {
  const keys = index.get(uid);
  if (keys === undefined) index.set(uid, new Set([key]));
  else keys.add(key);
}

function remove(index: Map<string, Set<string>>, uid: string, key: string): void {
  const keys = index.get(uid);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(uid);
}
