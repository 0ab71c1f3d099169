// SPDX-License-Identifier: Apache-2.0
import { append } from "../../schema/append.ts";
import type { Json, Problem } from "../../schema/index.ts";
import type { NameRule } from "../../schema/metadata-rules.ts";
import { pathSegmentProblems } from "../../schema/names.ts";
import { child, index, type Place } from "../../schema/place.ts";
import { at, invalid, required } from "../../schema/problems.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { createdAtColumn, nameColumn } from "./columns.ts";
import { list, needed, of, optional, pointer, shown, struct, text } from "./fields.ts";
import { builtIn } from "./kind.ts";
import { labelSelector } from "./metadata.ts";
import { createdMetadata, field, labelSelectorProblems, listAt, updatedMetadata, valueAt } from "./rules.ts";

const RBAC = "io.k8s.api.rbac.v1";

/** Names of roles and bindings may have nearly any character, colons among them. */
export const rbacName: NameRule = (name) => pathSegmentProblems(name, false);

const policyRule = struct(`${RBAC}.PolicyRule`, "What may be done with what.", {
  verbs: needed(list(text), "What may be done: get, list, watch, create, update, patch, delete ..., or * for all."),
  apiGroups: optional(list(text), "The groups of the resources; empty text is the core group, * are all."),
  resources: optional(list(text), "The resources, such as pods or pods/status, or * for all."),
  resourceNames: optional(list(text), "Only objects of these names; all when empty."),
  nonResourceURLs: optional(list(text), "Paths that are no resources, such as /healthz; for ClusterRoles only."),
});

const aggregationRule = struct(`${RBAC}.AggregationRule`, "Which ClusterRoles a ClusterRole is put together from.", {
  clusterRoleSelectors: optional(list(of(labelSelector)), "A ClusterRole counts when one of these selects it."),
});

const rules = shown(list(of(policyRule)), "What the role allows.");

/** Roles: permissions within a namespace. */
export const roles: ResourceType = builtIn({
  group: "rbac.authorization.k8s.io",
  kind: "Role",
  plural: "roles",
  namespaced: true,
  definitions: RBAC,
  about: "Permissions within one namespace, for RoleBindings to give away.",
  fields: { rules },
  columns: [nameColumn, createdAtColumn],
  allowsCreateOnUpdate: true,
  behaviour: { validate: (object, old) => withUpdate(object, old, roleProblems(object)) },
});

/** ClusterRoles: permissions everywhere. */
export const clusterRoles: ResourceType = builtIn({
  group: "rbac.authorization.k8s.io",
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
  definitions: RBAC,
  about: "Permissions for bindings to give away: in all namespaces, in one, or outside of namespaces.",
  fields: {
    rules,
    aggregationRule: pointer(of(aggregationRule), "Other ClusterRoles whose rules are collected here."),
  },
  columns: [nameColumn, createdAtColumn],
  allowsCreateOnUpdate: true,
  behaviour: { validate: (object, old) => withUpdate(object, old, clusterRoleProblems(object)) },
});

function withUpdate(object: KubeObject, old: KubeObject | undefined, problems: Problem[]): Problem[] {
  return old === undefined ? problems : [...problems, ...updatedMetadata(object, old)];
}

function roleProblems(object: KubeObject): Problem[] {
  return [...createdMetadata(object, rbacName), ...rulesProblems(object, true)];
}

function clusterRoleProblems(object: KubeObject): Problem[] {
  const problems = [...createdMetadata(object, rbacName), ...rulesProblems(object, false)];
  if (valueAt(object, "aggregationRule") === undefined) return problems;
  const place = field("aggregationRule", "clusterRoleSelectors");
  const selectors = listAt(object, "aggregationRule", "clusterRoleSelectors");
  if (selectors.length === 0)
    problems.push(required(at(place), "at least one clusterRoleSelector required if aggregationRule is non-nil"));
  for (const [position, selector] of selectors.entries()) {
    const found = labelSelectorProblems(selector, index(place, position));
    append(problems, found);
    if (found.length > 0) problems.push(invalid(at(index(place, position)), null, "invalid label selector."));
  }
  return problems;
}

function rulesProblems(object: KubeObject, isNamespaced: boolean): Problem[] {
  return listAt(object, "rules").flatMap((rule, position) =>
    ruleProblems(rule, index(field("rules"), position), isNamespaced),
  );
}

function ruleProblems(rule: Json, place: Place, isNamespaced: boolean): Problem[] {
  const problems: Problem[] = [];
  const has = (name: string) => listAt(rule, name).length > 0;
  const expect = (name: string, words: string) => {
    if (!has(name)) problems.push(required(at(child(place, name)), words));
  };
  expect("verbs", "verbs must contain at least one value");
  if (has("nonResourceURLs")) {
    const urls = (words: string) =>
      problems.push(invalid(at(child(place, "nonResourceURLs")), listAt(rule, "nonResourceURLs"), words));
    if (isNamespaced) urls("namespaced rules cannot apply to non-resource URLs");
    if (has("apiGroups") || has("resources") || has("resourceNames"))
      urls("rules cannot apply to both regular resources and non-resource URLs");
    return problems;
  }
  expect("apiGroups", "resource rules must supply at least one api group");
  expect("resources", "resource rules must supply at least one resource");
  return problems;
}
