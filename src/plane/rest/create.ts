// SPDX-License-Identifier: Apache-2.0
import { storageKey } from "../registry.ts";
import { alreadyExists, badRequest, generateNameConflict, StatusError, withWarnings } from "../status-error.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { checkDefinition, checkNamespace, type Draft, decodeObject, runAdmission, validate } from "./admit.ts";
import { type Machinery, timeText } from "./machinery.ts";
import { track } from "./managed-fields.ts";
import { atRevision, dedupeOwners, inNamespace, withMetadata } from "./metadata.ts";
import type { WriteOptions, Written } from "./objects.ts";
import { isAsShown, kept, shown } from "./view.ts";

/** How often another name is tried when a generated one is taken. */
const NAME_TRIES = 8;

/** Creates an object in a namespace (empty for cluster-scoped types), as POST does. */
export async function createObject(
  machinery: Machinery,
  type: ResourceType,
  namespace: string,
  given: KubeObject,
  options: WriteOptions = {},
): Promise<Written> {
  const decoded = decodeObject(type, given, {
    strictErrors: options.strictErrors ?? [],
    fieldValidation: options.fieldValidation,
  });
  const owned = dedupeOwners(inNamespace(withoutSystemFields(decoded.object), type, namespace), false);
  const warnings = [...decoded.warnings, ...owned.warnings];
  const hasGeneratedName =
    (owned.object.metadata.name ?? "") === "" && (owned.object.metadata.generateName ?? "") !== "";
  for (let attempt = 1; ; attempt += 1) {
    const object = hasGeneratedName ? withGeneratedName(machinery, owned.object) : owned.object;
    try {
      return await store(machinery, type, { namespace, object, warnings }, options);
    } catch (error) {
      if (!hasGeneratedName || !isTaken(error)) throw withWarnings(error, warnings);
      if (attempt === NAME_TRIES) throw withWarnings(generateNameConflict(type, object.metadata.name ?? ""), warnings);
    }
  }
}

async function store(
  machinery: Machinery,
  type: ResourceType,
  { namespace, object, warnings }: { namespace: string; object: KubeObject; warnings: readonly string[] },
  options: WriteOptions,
): Promise<Written> {
  const name = object.metadata.name ?? "";
  const draft: Draft = { object, warnings: [...warnings] };
  prepareCreate(machinery, type, draft, { namespace, options });
  if (!["", "0"].includes(object.metadata.resourceVersion ?? ""))
    throw badRequest("resourceVersion should not be set on objects to be created");
  if (options.dryRun === true) {
    const key = storageKey(type, namespace, name);
    if (machinery.store.get(key) !== undefined) throw alreadyExists(type, name);
    const shownObject = type.storage?.show(draft.object) ?? draft.object;
    return {
      object: shownObject,
      json: JSON.stringify(shownObject),
      isNew: true,
      isGone: false,
      warnings: draft.warnings,
    };
  }
  const stored = kept(type, draft.object);
  const entry = await machinery.store.write(storageKey(type, namespace, name), (current, revision) => {
    if (current !== undefined) throw takenBy(current.object, type, name);
    return { put: atRevision(stored, type, revision) };
  });
  if (entry === undefined) throw new Error("a created object is not there");
  // A status that was dropped may have defaults, which every reading fills in again.
  const lostStatus = "status" in object && !("status" in draft.object);
  if (stored === draft.object && !lostStatus) isAsShown(type, entry);
  const view = shown(type, entry);
  return { object: view.object, json: view.json, isNew: true, isGone: false, warnings: draft.warnings };
}

function takenBy(existing: KubeObject, type: ResourceType, name: string): StatusError {
  const error = alreadyExists(type, name);
  if (existing.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.status.message}` });
}

function isTaken(error: unknown): boolean {
  return error instanceof StatusError && error.status.reason === "AlreadyExists";
}

/**
 * Does with a decoded object everything that a create does but the write: managed fields, admission, what the server
 * fills in, validation. Also used by applies and updates that create.
 */
export function prepareCreate(
  machinery: Machinery,
  type: ResourceType,
  draft: Draft,
  { namespace, options, isTracked = false }: { namespace: string; options: WriteOptions; isTracked?: boolean },
): void {
  const { clock, random } = machinery;
  const now = timeText(clock.now());
  const name = draft.object.metadata.name ?? "";
  if (!isTracked) draft.object = track(machinery, type, { before: undefined, after: draft.object }, options);
  checkNamespace(machinery, type, { namespace, name });
  checkDefinition(machinery, type, name);
  runAdmission(
    machinery,
    { operation: "CREATE", type, namespace, name, subresource: "", old: undefined },
    draft,
    options,
  );
  const owned = dedupeOwners(draft.object, true);
  draft.warnings.push(...owned.warnings);
  draft.object = withMetadata(owned.object, {
    uid: random.uid(),
    creationTimestamp: now,
    ...(type.isCustom ? { generation: 1 } : {}),
  });
  if (type.hasStatus && type.isCustom) draft.object = withoutStatus(draft.object);
  draft.object = type.behaviour?.prepareCreate?.(draft.object) ?? draft.object;
  validate(type, draft, { old: undefined });
  draft.object = withMetadata(draft.object, { resourceVersion: undefined });
}

/** Objects come with their status only through the status subresource. */
function withoutStatus(object: KubeObject): KubeObject {
  const { status: _, ...rest } = object;
  return { ...rest, apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
}

/** What only the server sets is taken from no client. */
function withoutSystemFields(object: KubeObject): KubeObject {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, ...rest } = object.metadata;
  const { selfLink, ...metadata } = Object(rest);
  return { ...object, metadata };
}

function withGeneratedName({ random }: Machinery, object: KubeObject): KubeObject {
  // 63 characters are what a label may have; the base is cut so that the whole fits.
  const base = (object.metadata.generateName ?? "").slice(0, 63 - 5);
  return withMetadata(object, { name: base + random.suffix() });
}
