// SPDX-License-Identifier: Apache-2.0
import { crd } from "../../framework/objects.ts";
import type { Answer, Caller, JsonObject, Target } from "../../framework/types.ts";

export const GROUP = "auth.example.com";

export const crds = [crd({ group: GROUP, kind: "Gate", subresources: { status: {} } })];

export const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const RBAC_GROUP = "rbac.authorization.k8s.io";

/** A user that only this case knows: rights that hold everywhere do not reach other cases. */
export function user(t: Target, name: string, groups: readonly string[] = []): Caller & { readonly user: string } {
  return { user: `${name}.${t.namespace}`, groups };
}

/** A rule of a role. */
export function rule(verbs: readonly string[], resources: readonly string[], more: JsonObject = {}): JsonObject {
  return { apiGroups: [""], resources, verbs, ...more };
}

/** Who a binding is for. */
export function subject(kind: "User" | "Group", name: string): JsonObject {
  return { kind, name, apiGroup: RBAC_GROUP };
}

export function roleRef(kind: "Role" | "ClusterRole", name: string): JsonObject {
  return { apiGroup: RBAC_GROUP, kind, name };
}

export function rolesOf(t: Target): string {
  return `${RBAC}/namespaces/${t.namespace}/roles`;
}

export function bindingsOf(t: Target): string {
  return `${RBAC}/namespaces/${t.namespace}/rolebindings`;
}

/** Makes a role and binds it to the subjects, in the case's namespace. */
export async function grant(t: Target, rules: readonly JsonObject[], subjects: readonly JsonObject[]): Promise<void> {
  await t.prepare("POST", rolesOf(t), { metadata: { name: "granted" }, rules });
  const binding = { metadata: { name: "granted" }, roleRef: roleRef("Role", "granted"), subjects };
  await t.prepare("POST", bindingsOf(t), binding);
}

/** A real server learns of new rights in its own time. */
export function isAllowed({ status }: Answer): boolean {
  return status !== 403;
}
