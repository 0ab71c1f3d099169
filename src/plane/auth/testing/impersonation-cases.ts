// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, User } from "../../types.ts";

const RBAC = "rbac.authorization.k8s.io";

function grant(name: string, rules: readonly object[]): (readonly [string, KubeObject])[] {
  const apiVersion = `${RBAC}/v1`;
  const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name };
  const subjects = [{ kind: "User", name, apiGroup: RBAC }];
  return [
    ["clusterroles", { apiVersion, kind: "ClusterRole", metadata: { name }, rules }],
    ["clusterrolebindings", { apiVersion, kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects }],
  ];
}

/** Rights to act as others, each bound to the user of the same name. */
export const impersonationObjects: readonly (readonly [plural: string, object: KubeObject])[] = [
  ...grant("old-way", [
    { apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["joe"] },
    { apiGroups: [""], resources: ["groups"], verbs: ["impersonate"], resourceNames: ["staff"] },
    { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"], resourceNames: ["bot"] },
    { apiGroups: ["authentication.k8s.io"], resources: ["userextras/scopes"], verbs: ["impersonate"] },
  ]),
  ...grant("new-way", [
    {
      apiGroups: ["authentication.k8s.io"],
      resources: ["users"],
      verbs: ["impersonate:user-info"],
      resourceNames: ["joe"],
    },
    { apiGroups: ["authentication.k8s.io"], resources: ["groups"], verbs: ["impersonate:user-info"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["impersonate-on:user-info:list"] },
  ]),
  ...grant("no-way", []),
];

/** Who sends which headers, and what becomes of it: another user, or the server's words. */
export interface ImpersonationCase {
  readonly user: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly answer: User | string;
}

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";
const JOE = { "impersonate-user": "joe" };
const known = (name: string, ...groups: string[]): User => ({ name, groups: [...groups, "system:authenticated"] });

/** What a real server of version 1.36 answers. */
export const impersonationCases: readonly ImpersonationCase[] = [
  { user: "old-way", headers: JOE, path: PODS, answer: known("joe") },
  { user: "old-way", headers: { ...JOE, "impersonate-group": "staff" }, path: PODS, answer: known("joe", "staff") },
  {
    user: "old-way",
    headers: { ...JOE, "impersonate-extra-scopes": "all" },
    path: PODS,
    answer: { ...known("joe"), extra: { scopes: ["all"] } },
  },
  {
    user: "old-way",
    headers: { "impersonate-user": "system:serviceaccount:default:bot" },
    path: PODS,
    answer: known("system:serviceaccount:default:bot", "system:serviceaccounts", "system:serviceaccounts:default"),
  },
  {
    user: "old-way",
    headers: { "impersonate-user": "sue" },
    path: PODS,
    answer:
      'pods is forbidden: User "old-way" cannot impersonate-on:user-info:list resource "pods" in API group "" ' +
      'in the namespace "default"',
  },
  {
    user: "no-way",
    headers: { "impersonate-user": "system:serviceaccount:default:bot" },
    path: PODS,
    answer:
      'pods is forbidden: User "no-way" cannot impersonate-on:serviceaccount:list resource "pods" in API group "" ' +
      'in the namespace "default"',
  },
  {
    user: "no-way",
    headers: { "impersonate-user": "system:node:one" },
    path: "/healthz",
    answer: 'forbidden: User "no-way" cannot impersonate-on:arbitrary-node:get path "/healthz"',
  },
  {
    user: "no-way",
    headers: { "impersonate-user": "system:serviceaccount:default:bot", "impersonate-group": "a" },
    path: PODS,
    answer:
      'serviceaccounts "bot" is forbidden: User "no-way" cannot impersonate resource "serviceaccounts" in API group "" ' +
      'in the namespace "default"',
  },
  { user: "new-way", headers: JOE, path: MAPS, answer: known("joe") },
  { user: "new-way", headers: { ...JOE, "impersonate-group": "a" }, path: MAPS, answer: known("joe", "a") },
  {
    user: "new-way",
    headers: JOE,
    path: PODS,
    answer:
      'pods is forbidden: User "new-way" cannot impersonate-on:user-info:list resource "pods" in API group "" ' +
      'in the namespace "default"',
  },
  {
    user: "new-way",
    headers: { "impersonate-user": "sue" },
    path: MAPS,
    answer:
      'users.authentication.k8s.io "sue" is forbidden: User "new-way" cannot impersonate:user-info resource "users" ' +
      'in API group "authentication.k8s.io" at the cluster scope',
  },
  {
    user: "new-way",
    headers: { ...JOE, "impersonate-group": "system:masters" },
    path: MAPS,
    answer:
      'groups.authentication.k8s.io "system:masters" is forbidden: User "new-way" cannot impersonate:user-info ' +
      'resource "groups" in API group "authentication.k8s.io" at the cluster scope: ' +
      "impersonating the system:masters group is not allowed",
  },
  {
    user: "no-way",
    headers: { "impersonate-group": "a" },
    path: PODS,
    answer:
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)} ' +
      "without impersonating a user name",
  },
  {
    user: "no-way",
    headers: { "impersonate-uid": "7", "impersonate-extra-b": "c" },
    path: PODS,
    answer:
      'requested &user.DefaultInfo{Name:"", UID:"7", Groups:[]string(nil), Extra:map[string][]string{"b":[]string{"c"}}} ' +
      "without impersonating a user name",
  },
];
