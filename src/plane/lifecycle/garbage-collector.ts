// SPDX-License-Identifier: Apache-2.0
import { deepEqual } from "../../schema/json.ts";
import type { Change, Entry, KubeObject, OwnerReference, ResourceType } from "../types.ts";
import {
  type Controller,
  MANAGER,
  objectKey,
  type Surroundings,
  unlessGone,
  waitsFor,
  withoutFinalizer,
} from "./controller.ts";
import { reportMisplacedOwner } from "./misplaced-owner.ts";
import { createOwnerIndex, type OwnerIndex } from "./owner-index.ts";
import { FOREGROUND, findOwners, ORPHAN, type Owners, ownerEntry, ownerType } from "./owners.ts";

/** Deletes what has lost its owners, makes owners wait for their dependents, and lets dependents of others go free. */
export function createGarbageCollector(surroundings: Surroundings): Controller {
  const { queue, store, registry, typeOf } = surroundings;
  const index = createOwnerIndex();
  /** Keys of objects with an owner of a kind that is not served. */
  const parked = new Set<string>();

  const check = (key: string) => queue.add(`collect ${key}`, () => collect(surroundings, index, { key, parked }));
  const checkDependents = (uid: string | undefined) => {
    for (const key of uid === undefined ? [] : index.dependents(uid)) check(key);
  };
  /** An owner that waits for its dependents may have waited for this one. */
  const checkOwners = (references: readonly OwnerReference[] | undefined, namespace = "") => {
    for (const reference of references ?? []) {
      const type = ownerType(reference, registry);
      const owner = type && ownerEntry(reference, { type, namespace, store });
      if (owner !== undefined && waitsFor(owner.object, FOREGROUND)) check(owner.key);
    }
  };
  const look = (key: string, before: KubeObject | undefined, after: KubeObject) => {
    const { metadata } = after;
    const references = metadata.ownerReferences;
    if (references !== undefined && !isSame(references, before?.metadata.ownerReferences)) check(key);
    const startsWaiting = waitsFor(after, FOREGROUND) && !(before !== undefined && waitsFor(before, FOREGROUND));
    if (startsWaiting) checkDependents(metadata.uid);
    if (startsWaiting || waitsFor(after, ORPHAN)) check(key);
  };

  return {
    reset() {
      index.clear();
      parked.clear();
    },
    see({ key, object }: Entry, type) {
      if (isIgnored(type)) return;
      index.update(key, undefined, object);
      look(key, undefined, object);
    },
    observe({ type: what, entry, previous }: Change, type) {
      if (isIgnored(type)) return;
      const before = previous?.object;
      const after = what === "DELETED" ? undefined : entry.object;
      index.update(entry.key, before, after);
      if (after !== undefined) look(entry.key, before, after);
      else {
        parked.delete(entry.key);
        checkDependents(before?.metadata.uid);
      }
      const references = before?.metadata.ownerReferences;
      if (!isSame(references, after?.metadata.ownerReferences)) checkOwners(references, before?.metadata.namespace);
    },
    registryChanged() {
      for (const key of parked) if (typeOf(key) !== undefined) check(key);
      parked.clear();
    },
  };
}

/** Events belong to nobody: there are too many of them, and they go by themselves. */
function isIgnored(type: ResourceType): boolean {
  return !type.isCustom && type.kind === "Event";
}

function isSame(one: readonly OwnerReference[] | undefined, other: readonly OwnerReference[] | undefined): boolean {
  if (one === other) return true;
  return deepEqual(asPlain(one), asPlain(other));
}

function asPlain(references: readonly OwnerReference[] | undefined): { [field: string]: string | boolean }[] {
  return (references ?? []).map((reference) => ({ ...reference }));
}

interface Item {
  readonly key: string;
  readonly parked: Set<string>;
}

async function collect(surroundings: Surroundings, index: OwnerIndex, { key, parked }: Item): Promise<void> {
  const { store, registry, typeOf } = surroundings;
  const type = typeOf(key);
  const entry = store.get(key);
  if (type === undefined || entry === undefined) return;
  const { object } = entry;
  const { uid = "", deletionTimestamp, ownerReferences = [] } = object.metadata;
  if (waitsFor(object, ORPHAN)) return orphan(surroundings, index, entry);
  if (waitsFor(object, FOREGROUND)) {
    if (!index.hasBlockers(uid)) await dropFinalizer(surroundings, entry, FOREGROUND);
    return;
  }
  if (deletionTimestamp !== undefined || ownerReferences.length === 0) return;
  const owners = findOwners(object, store, registry);
  if (owners === "unknown") {
    parked.add(key);
    return;
  }
  if (owners === "misplaced") return reportMisplacedOwner(surroundings, object);
  await settle(surroundings, index, { entry, type, owners });
}

interface Dependent {
  readonly entry: Entry;
  readonly type: ResourceType;
  readonly owners: Owners;
}

/** What becomes of an object depends on what became of its owners. */
async function settle(
  surroundings: Surroundings,
  index: OwnerIndex,
  { entry, type, owners: { solid, dangling, waiting } }: Dependent,
): Promise<void> {
  const gone = [...dangling, ...waiting];
  if (gone.length === 0) return;
  const { finalizers = [], uid = "" } = entry.object.metadata;
  if (solid.length > 0) return dropReferences(surroundings, entry, new Set(gone.map((reference) => reference.uid)));
  if (waiting.length > 0 && index.hasDependents(uid)) {
    if (isInCircle(surroundings, index, uid)) await unblock(surroundings, entry);
    return remove(surroundings, { entry, type, policy: "Foreground" });
  }
  const policy = finalizers.includes(ORPHAN) ? "Orphan" : finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
  await remove(surroundings, { entry, type, policy });
}

/** Objects that own each other and wait for each other would wait for ever. */
function isInCircle({ store }: Surroundings, index: OwnerIndex, uid: string): boolean {
  return index.dependents(uid).some((key) => {
    const dependent = store.get(key);
    return dependent !== undefined && waitsFor(dependent.object, FOREGROUND);
  });
}

interface Removal {
  readonly entry: Entry;
  readonly type: ResourceType;
  readonly policy: "Foreground" | "Background" | "Orphan";
}

async function remove({ objects, store }: Surroundings, { entry, type, policy }: Removal): Promise<void> {
  const { uid = "", resourceVersion = "" } = store.get(entry.key)?.object.metadata ?? {};
  if (uid !== entry.object.metadata.uid) return;
  const preconditions = { uid, resourceVersion };
  await unlessGone(objects.deleteObject(type, objectKey(entry.key), { propagationPolicy: policy, preconditions }));
}

async function orphan(surroundings: Surroundings, index: OwnerIndex, entry: Entry): Promise<void> {
  const { uid = "" } = entry.object.metadata;
  const dependents = index.dependents(uid).flatMap((key) => surroundings.store.get(key) ?? []);
  await Promise.all(dependents.map((dependent) => dropReferences(surroundings, dependent, new Set([uid]))));
  await dropFinalizer(surroundings, entry, ORPHAN);
}

function dropFinalizer(surroundings: Surroundings, entry: Entry, finalizer: string): Promise<void> {
  return change(surroundings, entry, (object) => withoutFinalizer(object, finalizer));
}

function dropReferences(surroundings: Surroundings, entry: Entry, uids: ReadonlySet<string>): Promise<void> {
  return change(surroundings, entry, (object) => {
    const { ownerReferences = [], ...metadata } = object.metadata;
    const left = ownerReferences.filter(({ uid }) => !uids.has(uid));
    if (left.length === ownerReferences.length) return object;
    return { ...object, metadata: { ...metadata, ...(left.length === 0 ? {} : { ownerReferences: left }) } };
  });
}

function unblock(surroundings: Surroundings, entry: Entry): Promise<void> {
  return change(surroundings, entry, (object) => {
    const { ownerReferences = [] } = object.metadata;
    if (!ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)) return object;
    const references = ownerReferences.map((reference) =>
      reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference,
    );
    return { ...object, metadata: { ...object.metadata, ownerReferences: references } };
  });
}

/** Changes an object, unless it is gone or another one by now. */
async function change(
  { objects, typeOf }: Surroundings,
  entry: Entry,
  next: (object: KubeObject) => KubeObject,
): Promise<void> {
  const type = typeOf(entry.key);
  if (type === undefined) return;
  const update = (current: KubeObject) =>
    current.metadata.uid === entry.object.metadata.uid ? next(current) : current;
  await unlessGone(objects.updateObject(type, objectKey(entry.key), update, { manager: MANAGER }));
}
