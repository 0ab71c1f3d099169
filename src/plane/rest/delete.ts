// SPDX-License-Identifier: Apache-2.0
import { deepEqual } from "../../schema/json.ts";
import { isStorable, storageKey } from "../registry.ts";
import { conflict, notFound } from "../status-error.ts";
import type { Entry, KubeObject, ResourceType, Wanted } from "../types.ts";
import { asJson, runAdmission } from "./admit.ts";
import { type Machinery, timeText } from "./machinery.ts";
import { atRevision, withMetadata } from "./metadata.ts";
import type { DeleteOptions, ObjectKey, Written } from "./objects.ts";
import { kept, shown } from "./view.ts";

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** Deletes an object, or marks it where finalizers keep it. Repeating that changes nothing. */
export async function deleteObject(
  machinery: Machinery,
  type: ResourceType,
  key: ObjectKey,
  options: DeleteOptions = {},
): Promise<Written> {
  let outcome: Omit<Written, "json"> | undefined;
  const decide = (current: Entry | undefined, revision: number): Wanted => {
    if (current === undefined) throw notFound(type, key.name);
    const old = shown(type, current).object;
    checkPreconditions(type, old, options);
    type.behaviour?.checkDelete?.(old);
    runAdmission(machinery, { ...key, operation: "DELETE", type, subresource: "", old }, undefined, options);
    const object = marked(machinery, type, old, options);
    outcome = { object: object ?? old, isNew: false, isGone: object === undefined, warnings: [] };
    if (options.dryRun === true) return "keep";
    if (object === undefined) return "delete";
    if (deepEqual(asJson(object), asJson(old))) return "keep";
    return { put: atRevision(kept(type, object), type, revision) };
  };
  if (!isStorable(key.namespace) || !isStorable(key.name)) throw notFound(type, key.name);
  const entry = await machinery.store.write(storageKey(type, key.namespace, key.name), decide);
  if (outcome === undefined) throw new Error("a delete ended without an outcome");
  if (options.dryRun === true || outcome.isGone || entry === undefined)
    return { ...outcome, json: JSON.stringify(outcome.object) };
  const { object, json } = shown(type, entry);
  return { ...outcome, object, json };
}

function checkPreconditions(type: ResourceType, { metadata }: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions ?? {};
  const subject = { group: type.group, plural: type.kind };
  const name = metadata.name ?? "";
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`;
    throw conflict(subject, name, `${why}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why =
      `the ResourceVersion in the precondition (${resourceVersion}) does not match ` +
      `the ResourceVersion in record (${metadata.resourceVersion})`;
    throw conflict(subject, name, `${why}. The object might have been modified`);
  }
}

/** The object as it waits for its finalizers; undefined where nothing keeps it. */
function marked(
  { clock }: Machinery,
  type: ResourceType,
  old: KubeObject,
  options: DeleteOptions,
): KubeObject | undefined {
  const finalizers = finalizersFor(type, old.metadata.finalizers ?? [], options);
  if (finalizers.length === 0 && type.behaviour?.holdsDeletion?.(old) !== true) return undefined;
  const { deletionTimestamp, generation } = old.metadata;
  const isFirst = deletionTimestamp === undefined;
  // Kinds that hold themselves know no grace, and being deleted is no new generation for them.
  const holdsItself = type.behaviour?.holdsDeletion !== undefined;
  const object = withMetadata(old, {
    finalizers: finalizers.length === 0 ? undefined : finalizers,
    deletionTimestamp: deletionTimestamp ?? timeText(clock.now()),
    ...(holdsItself ? {} : { deletionGracePeriodSeconds: 0 }),
    ...(isFirst && !holdsItself && (generation ?? 0) > 0 ? { generation: (generation ?? 0) + 1 } : {}),
  });
  return type.behaviour?.prepareDelete?.(object) ?? object;
}

/** Finalizers after a delete: how dependents are treated is one of them. */
function finalizersFor(type: ResourceType, old: readonly string[], options: DeleteOptions): readonly string[] {
  const dependents = dependentsPolicy(type, old, options);
  const others = old.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  const wanted = dependents === undefined ? others : [...others, dependents];
  const isSame = wanted.length === old.length && wanted.every((finalizer) => old.includes(finalizer));
  return isSame ? old : wanted;
}

function dependentsPolicy(
  type: ResourceType,
  old: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
): typeof ORPHAN | typeof FOREGROUND | undefined {
  // Events own nothing.
  if (!type.isCustom && type.kind === "Event") return undefined;
  if (orphanDependents !== undefined) return orphanDependents ? ORPHAN : undefined;
  if (propagationPolicy === "Orphan") return ORPHAN;
  if (propagationPolicy === "Foreground") return FOREGROUND;
  if (propagationPolicy === "Background") return undefined;
  return old.includes(ORPHAN) ? ORPHAN : old.includes(FOREGROUND) ? FOREGROUND : undefined;
}
