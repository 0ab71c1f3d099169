// SPDX-License-Identifier: Apache-2.0
import { badRequest } from "../status-error.ts";
import type { KubeObject, ObjectMeta, OwnerReference, ResourceType } from "../types.ts";
import { uintProblem } from "./parse-uint.ts";

/** The object with other metadata; undefined values are left out. */
export function withMetadata(
  object: KubeObject,
  changes: { readonly [name in keyof ObjectMeta]?: unknown },
): KubeObject {
  const metadata: Record<string, unknown> = { ...object.metadata, ...changes };
  for (const name of Object.keys(changes)) if (metadata[name] === undefined) delete metadata[name];
  return { ...object, metadata };
}

/** In the order of the real server's answers; of custom resources all fields are in alphabetical order there. */
const ORDER = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const;
const SORTED = [...ORDER].sort();

/** The object as it is put into the store: at its revision, kind and metadata first, metadata in order. */
export function atRevision(object: KubeObject, { isCustom }: ResourceType, revision: number): KubeObject {
  const { apiVersion, kind, metadata: given, ...rest } = object;
  const metadata: Record<string, unknown> = {};
  for (const name of isCustom ? SORTED : ORDER) {
    const value = name === "resourceVersion" ? String(revision) : given[name];
    if (value !== undefined) metadata[name] = value;
  }
  return { apiVersion, kind, metadata, ...rest };
}

/** The object in the namespace of the request. One that names another is refused. */
export function inNamespace(object: KubeObject, type: ResourceType, namespace: string): KubeObject {
  const expected = type.namespaced ? namespace : "";
  const given = object.metadata.namespace ?? "";
  if (given === expected) return object;
  if (given === "") return withMetadata(object, { namespace: expected });
  // A namespace on a cluster-scoped object is dropped without a word.
  if (expected === "" && !type.namespaced) return withMetadata(object, { namespace: undefined });
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Throws unless the object has the name that the path has. */
export function checkName(object: KubeObject, name: string): void {
  const given = object.metadata.name ?? "";
  if (given === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** The same text for owner references that say the same, in whichever order. */
function contentOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);
}

/** The object without owner references that are given twice, and the warning about them. */
export function dedupeOwners(
  object: KubeObject,
  isAfterAdmission: boolean,
): { readonly object: KubeObject; readonly warnings: readonly string[] } {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return { object, warnings: [] };
  const kept: OwnerReference[] = [];
  const twice: string[] = [];
  const known = new Set<string>();
  for (const owner of owners) {
    const content = contentOf(owner);
    if (known.has(content)) twice.push(owner.uid);
    else kept.push(owner);
    known.add(content);
  }
  if (twice.length === 0) return { object, warnings: [] };
  const where = isAfterAdmission ? "duplicate entries after mutating admission happens" : "duplicate entries";
  const warning =
    `.metadata.ownerReferences contains ${where}; API server dedups owner references in 1.20+, and may reject such ` +
    `requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${twice.join(", ")}`;
  return { object: withMetadata(object, { ownerReferences: kept }), warnings: [warning] };
}

/** The revision that an object claims to be based on; 0 where it claims none. */
export function claimedRevision({ metadata: { resourceVersion = "" } }: KubeObject): number {
  if (resourceVersion === "") return 0;
  const why = uintProblem(resourceVersion);
  if (why !== undefined) throw badRequest(why);
  return Number(resourceVersion);
}
