// SPDX-License-Identifier: Apache-2.0
import { type Registry, storageKey } from "../registry.ts";
import type { Entry, KubeObject, OwnerReference, ResourceType, Store } from "../types.ts";
import { waitsFor } from "./controller.ts";

/** The finalizer of an object that is to go after its dependents. */
export const FOREGROUND = "foregroundDeletion";
/** The finalizer of an object whose dependents are to stay. */
export const ORPHAN = "orphan";

/** What became of the owners that an object names. */
export interface Owners {
  /** Owners that are there: the object stays. */
  readonly solid: readonly OwnerReference[];
  /** Owners that are not there: gone, another object by now, or in another namespace. */
  readonly dangling: readonly OwnerReference[];
  /** Owners on their way out that wait for this object. */
  readonly waiting: readonly OwnerReference[];
}

/**
 * Looks for an object's owners. `unknown` when one is of a kind that is not served: nobody can say whether it is there.
 * `misplaced` when the object is in no namespace and an owner would be in one: such a reference means nothing.
 */
export function findOwners(object: KubeObject, store: Store, registry: Registry): Owners | "unknown" | "misplaced" {
  const solid: OwnerReference[] = [];
  const dangling: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of object.metadata.ownerReferences ?? []) {
    const type = ownerType(reference, registry);
    if (type === undefined) return "unknown";
    const { namespace = "" } = object.metadata;
    if (type.namespaced && namespace === "") return "misplaced";
    const owner = ownerEntry(reference, { type, namespace, store });
    if (owner === undefined) dangling.push(reference);
    else if (waitsFor(owner.object, FOREGROUND)) waiting.push(reference);
    else solid.push(reference);
  }
  return { solid, dangling, waiting };
}

/** The type of an owner; undefined where it is not served. */
export function ownerType({ apiVersion, kind }: OwnerReference, registry: Registry): ResourceType | undefined {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return registry.findKind(group, kind, version);
}

/** The owner as it is; undefined where there is none, or another object has its name. */
export function ownerEntry(
  { name, uid }: OwnerReference,
  { type, namespace, store }: { type: ResourceType; namespace: string; store: Store },
): Entry | undefined {
  const entry = store.get(storageKey(type, type.namespaced ? namespace : "", name));
  return entry?.object.metadata.uid === uid ? entry : undefined;
}
