// SPDX-License-Identifier: Apache-2.0
import { configMap, crd, kindOf, MERGE_PATCH } from "../../framework/objects.ts";
import type { Answer, JsonObject, Target } from "../../framework/types.ts";

export const GROUP = "garbage.example.com";

export const widget = kindOf(GROUP, "Widget");

/** Belongs to no namespace. */
export const planet = kindOf(GROUP, "Planet");

export const PLANETS = `/apis/${GROUP}/v1/planets`;

export const crds = [crd({ group: GROUP, kind: "Widget" }), crd({ group: GROUP, kind: "Planet", scope: "Cluster" })];

/** A finalizer of nobody: who has it stays until a case takes it away. */
export const WAIT = "example.com/wait";

/** A reference to an owner as it is stored. */
export function ownedBy(owner: JsonObject, more: JsonObject = {}): JsonObject {
  const { name, uid } = owner.metadata as { name: string; uid: string };
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, ...more };
}

/** Stores a ConfigMap without a word and gives it back. */
export async function stored(t: Target, name: string, metadata: JsonObject = {}): Promise<JsonObject> {
  return t.prepare("POST", t.core("configmaps"), configMap(name, {}, metadata));
}

/** Stores a ConfigMap that these own. */
export async function dependent(t: Target, name: string, ...owners: readonly JsonObject[]): Promise<JsonObject> {
  return stored(t, name, { ownerReferences: owners });
}

/** Deletes with a propagation policy. */
export async function remove(t: Target, path: string, propagationPolicy: string): Promise<Answer> {
  return t.request("DELETE", path, { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy });
}

/** Takes all finalizers of an object away. */
export async function release(t: Target, path: string): Promise<Answer> {
  return t.request("PATCH", path, { metadata: { finalizers: null } }, { contentType: MERGE_PATCH });
}

/** Whether an answer says that there is no such thing. */
export function isGone({ status }: Answer): boolean {
  return status === 404;
}

/** Whether an object is there, on its way out. */
export function isDeleting({ body }: Answer): boolean {
  return (body.metadata as JsonObject | undefined)?.deletionTimestamp !== undefined;
}
