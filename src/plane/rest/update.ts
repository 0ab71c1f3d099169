// SPDX-License-Identifier: Apache-2.0
import { deepEqual } from "../../schema/json.ts";
import { invalid as invalidValue } from "../../schema/problems.ts";
import { isUnchanged } from "../patch/index.ts";
import { isStorable, storageKey } from "../registry.ts";
import { conflict, invalid, notFound, staleVersion, withWarnings } from "../status-error.ts";
import type { Entry, KubeObject, ResourceType, Wanted } from "../types.ts";
import { asJson, type Draft, decodeObject, runAdmission, validate } from "./admit.ts";
import { prepareCreate } from "./create.ts";
import type { Machinery } from "./machinery.ts";
import { track } from "./managed-fields.ts";
import { atRevision, checkName, claimedRevision, dedupeOwners, inNamespace, withMetadata } from "./metadata.ts";
import type { ObjectKey, WriteOptions, Written } from "./objects.ts";
import { plainText } from "./plain-text.ts";
import { isAsShown, kept, shown } from "./view.ts";

/** Replaces an object, as PUT does; with a function in place of the object, by what the newest state becomes. */
export function updateObject(
  machinery: Machinery,
  type: ResourceType,
  key: ObjectKey,
  given: KubeObject | ((current: KubeObject) => KubeObject),
  options: WriteOptions = {},
): Promise<Written> {
  if (typeof given === "function")
    return change(machinery, type, key, options, (old) => {
      if (old === undefined) throw notFound(type, key.name);
      const object = given(old);
      return object === old ? undefined : { draft: { object, warnings: [] } };
    });
  const decoded = decodeObject(type, given, {
    strictErrors: options.strictErrors ?? [],
    fieldValidation: options.fieldValidation,
  });
  const object = inNamespace(decoded.object, type, key.namespace);
  checkName(object, key.name);
  const owned = dedupeOwners(object, false);
  const warnings = [...decoded.warnings, ...owned.warnings];
  return change(machinery, type, key, options, (old) => {
    if (old === undefined) {
      if (type.allowsCreateOnUpdate !== true || (options.subresource ?? "") !== "") throw notFound(type, key.name);
    } else checkUid(type, key, owned.object, old);
    return { draft: { object: owned.object, warnings: [...warnings] } };
  });
}

/** An object that names a uid means that object and no later one of the same name. */
function checkUid(type: ResourceType, { namespace, name }: ObjectKey, object: KubeObject, old: KubeObject): void {
  const { uid = "" } = object.metadata;
  if (uid === "" || uid === old.metadata.uid) return;
  const path = [type.group, type.plural, namespace, name].filter((part) => part !== "").join("/");
  throw conflict(
    type,
    name,
    `StorageError: invalid object, Code: 4, Key: /registry/${path}, ResourceVersion: 0, AdditionalErrorMsg: ` +
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
  );
}

/** What is to become of an object; undefined changes nothing. Managed fields may be up to date already. */
export type Proposal = { readonly draft: Draft; readonly isTracked?: boolean } | undefined;

/**
 * One read-modify-write by the rules of updates: `propose` gets the newest state (undefined: there is none) and says what
 * it becomes. What does not change is not written; what loses its last finalizer while being deleted is removed.
 */
export async function change(
  machinery: Machinery,
  type: ResourceType,
  key: ObjectKey,
  options: WriteOptions,
  propose: (old: KubeObject | undefined) => Proposal,
): Promise<Written> {
  let outcome: Omit<Written, "json"> | undefined;
  let isPlain = false;
  const decide = (current: Entry | undefined, revision: number): Wanted => {
    const old = current === undefined ? undefined : shown(type, current).object;
    const proposal = propose(old);
    if (proposal === undefined) {
      if (old === undefined) throw notFound(type, key.name);
      outcome = { object: old, isNew: false, isGone: false, warnings: [] };
      return "keep";
    }
    const { draft, isTracked = false } = proposal;
    try {
      if (old === undefined) {
        options.authorizeCreate?.();
        prepareCreate(machinery, type, draft, { namespace: key.namespace, options, isTracked });
      } else prepareUpdate(machinery, type, draft, { key, old, options, isTracked });
    } catch (error) {
      throw withWarnings(error, draft.warnings);
    }
    const { object, warnings } = draft;
    outcome = { object, isNew: old === undefined, isGone: old !== undefined && isDone(type, object, old), warnings };
    if (options.dryRun === true) {
      if (old === undefined) outcome = { ...outcome, object: type.storage?.show(object) ?? object };
      return "keep";
    }
    if (outcome.isGone) return "delete";
    if (old !== undefined && isUnchanged(old, object)) {
      outcome = { ...outcome, object: old };
      return "keep";
    }
    const stored = kept(type, object);
    // A create drops the status, and that may have defaults, which every reading fills in again.
    isPlain = stored === object && old !== undefined;
    return { put: atRevision(stored, type, revision) };
  };
  if (!isStorable(key.namespace) || !isStorable(key.name)) throw notFound(type, key.name);
  const entry = await machinery.store.write(storageKey(type, key.namespace, key.name), decide);
  if (outcome === undefined) throw new Error("a write ended without an outcome");
  if (options.dryRun === true || outcome.isGone || entry === undefined)
    return { ...outcome, json: JSON.stringify(outcome.object) };
  if (isPlain) isAsShown(type, entry);
  const { object, json } = shown(type, entry);
  return { ...outcome, object, json };
}

/** Whether an update completes a deletion. */
function isDone(type: ResourceType, object: KubeObject, old: KubeObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined) return false;
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return type.behaviour?.holdsDeletion?.(object) !== true;
}

interface UpdateContext {
  readonly key: ObjectKey;
  readonly old: KubeObject;
  readonly options: WriteOptions;
  readonly isTracked: boolean;
}

function prepareUpdate(
  machinery: Machinery,
  type: ResourceType,
  draft: Draft,
  { key, old, options, isTracked }: UpdateContext,
): void {
  const subresource = options.subresource ?? "";
  const claimed = claimedRevision(draft.object);
  if (!isTracked) draft.object = track(machinery, type, { before: old, after: draft.object }, options);
  runAdmission(machinery, { ...key, operation: "UPDATE", type, subresource, old }, draft, options);
  const owned = dedupeOwners(draft.object, true);
  draft.warnings.push(...owned.warnings);
  draft.object = owned.object;
  checkRevision(type, key.name, { claimed, old });
  if (draft.object === old) return;
  draft.object = carryOver(type, withinReach(type, draft.object, old, subresource), old, subresource);
  validate(type, draft, { old, subresource });
}

function checkRevision(type: ResourceType, name: string, { claimed, old }: { claimed: number; old: KubeObject }): void {
  if (claimed === 0) {
    if (type.allowsUnconditionalUpdate === true) return;
    const place = { path: ["metadata", "resourceVersion"], field: "metadata.resourceVersion" };
    const problem = invalidValue(place, 0, "must be specified for an update");
    throw invalid({ group: type.group, kind: type.plural }, name, [problem]);
  }
  if (plainText(claimed) !== old.metadata.resourceVersion) throw staleVersion(type, name);
}

/** The object with everything put back that a request to this subresource may not change. */
function withinReach(type: ResourceType, object: KubeObject, old: KubeObject, subresource: string): KubeObject {
  if (subresource === "status") {
    if (type.behaviour?.prepareStatusUpdate !== undefined) return type.behaviour.prepareStatusUpdate(object, old);
    const { managedFields } = object.metadata;
    return withStatus(withMetadata(old, { managedFields }), object.status);
  }
  if (subresource === "finalize") {
    const spec = { ...Object(old.spec), finalizers: Object(object.spec).finalizers };
    return { ...withMetadata(old, { managedFields: object.metadata.managedFields }), spec };
  }
  if (type.isCustom && type.hasStatus) return withStatus(object, old.status);
  return type.behaviour?.prepareUpdate?.(object, old) ?? object;
}

function withStatus(object: KubeObject, status: unknown): KubeObject {
  if (status !== undefined) return { ...object, status };
  if (object.status === undefined) return object;
  const { status: _, ...rest } = object;
  return { ...rest, apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
}

/** Metadata that clients may leave out or cannot change, and the new generation. */
function carryOver(type: ResourceType, object: KubeObject, old: KubeObject, subresource: string): KubeObject {
  const { metadata } = old;
  const { uid = "", deletionGracePeriodSeconds = metadata.deletionGracePeriodSeconds } = object.metadata;
  const carried = withMetadata(object, {
    uid: uid === "" ? metadata.uid : uid,
    resourceVersion: metadata.resourceVersion,
    creationTimestamp: metadata.creationTimestamp ?? object.metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp ?? object.metadata.deletionTimestamp,
    deletionGracePeriodSeconds,
    selfLink: undefined,
  } as object);
  const generation = metadata.generation;
  const isNew = subresource === "" || subresource === "scale" ? isNewGeneration(type, carried, old) : false;
  return withMetadata(carried, { generation: isNew ? (generation ?? 0) + 1 : generation });
}

function isNewGeneration(type: ResourceType, object: KubeObject, old: KubeObject): boolean {
  if (!type.isCustom) return type.behaviour?.changesGeneration?.(object, old) ?? false;
  const { metadata: _, ...one } = asJson(object);
  const { metadata: __, ...other } = asJson(old);
  return !deepEqual(one, other);
}
