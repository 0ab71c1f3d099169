// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { requestInfo } from "../request-info.ts";
import type { KubeObject, User } from "../types.ts";
import { decide, denial } from "./authorizer.ts";
import { escalationProblem } from "./escalation.ts";
import { createPolicy } from "./policy.ts";
import { accessCases, accessObjects } from "./testing/access-cases.ts";
import { fakeStore } from "./testing/fake-store.ts";

const RBAC = "rbac.authorization.k8s.io/v1";
const joe: User = { name: "joe", groups: ["system:authenticated"] };
const list = requestInfo("GET", "/api/v1/namespaces/a/secrets");

function role(name: string, more: object = {}): KubeObject {
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["list"] }];
  return { apiVersion: RBAC, kind: "ClusterRole", metadata: { name }, rules, ...more };
}

function binding(roleName: string): KubeObject {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: roleName };
  const subjects = [{ kind: "User", name: "joe" }];
  return { apiVersion: RBAC, kind: "ClusterRoleBinding", metadata: { name: "joe" }, roleRef, subjects };
}

test("every request is decided as a real server does", () => {
  const policy = createPolicy(fakeStore(accessObjects));
  for (const { user, method, path, isAllowed } of accessCases)
    assert.equal(decide(policy, user, requestInfo(method, path)).allowed, isAllowed, `${user.name} ${method} ${path}`);
});

test("a refusal says who cannot do what where, in the server's words", () => {
  const path = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/y/machinerequests";
  assert.equal(
    denial({ name: "x", groups: [] }, requestInfo("GET", path), "").message,
    'machinerequests.butler.butlerlabs.dev is forbidden: User "x" cannot list resource "machinerequests" in ' +
      'API group "butler.butlerlabs.dev" in the namespace "y"',
  );
  assert.equal(
    denial({ name: "x", groups: [] }, requestInfo("GET", "/api/v1/nodes/n"), "RBAC: why").message,
    'nodes "n" is forbidden: User "x" cannot get resource "nodes" in API group "" at the cluster scope: RBAC: why',
  );
});

test("a role or binding counts from the moment it is written until it is gone", () => {
  const store = fakeStore();
  const policy = createPolicy(store);
  const isAllowed = () => decide(policy, joe, list).allowed;
  assert.equal(isAllowed(), false);
  store.put("clusterrolebindings", binding("lister"));
  assert.equal(isAllowed(), false);
  assert.equal(decide(policy, joe, list).reason, 'RBAC: clusterrole.rbac.authorization.k8s.io "lister" not found');
  store.put("clusterroles", role("lister"));
  assert.equal(isAllowed(), true);
  assert.equal(
    decide(policy, joe, list).reason,
    'RBAC: allowed by ClusterRoleBinding "joe" of ClusterRole "lister" to User "joe"',
  );
  store.put("clusterroles", role("lister", { rules: [] }));
  assert.equal(isAllowed(), false);
  store.put("clusterroles", role("lister"));
  store.remove("clusterrolebindings", binding("lister"));
  assert.equal(isAllowed(), false);
});

test("a ClusterRole that is put together has the rules of the selected ones, also through others and in circles", () => {
  const store = fakeStore();
  const policy = createPolicy(store);
  const selecting = (label: string) => ({
    rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: label, operator: "Exists" }] }] },
  });
  const labelled = (label: string) => ({ metadata: { name: label, labels: { [label]: "yes" } } });
  store.put("clusterrolebindings", binding("whole"));
  store.put("clusterroles", role("whole", selecting("part")));
  assert.equal(decide(policy, joe, list).allowed, false, "its own rules do not count");
  store.put("clusterroles", role("part", { ...selecting("leaf"), ...labelled("part") }));
  store.put("clusterroles", role("again", { ...selecting("part"), metadata: { name: "again", labels: { leaf: "" } } }));
  assert.equal(decide(policy, joe, list).allowed, false);
  store.put("clusterroles", role("leaf", labelled("leaf")));
  assert.equal(decide(policy, joe, list).allowed, true);
  assert.equal(decide(policy, joe, requestInfo("DELETE", "/api/v1/namespaces/a/secrets")).allowed, false);
});

test("an update that only garbage collection needs is no escalation", () => {
  const policy = createPolicy(fakeStore());
  const old = role("strong");
  const info = requestInfo("PUT", "/apis/rbac.authorization.k8s.io/v1/clusterroles/strong");
  const write = (object: KubeObject) => escalationProblem(policy, { user: joe, info, object, old });
  assert.equal(write({ ...old, metadata: { name: "strong", finalizers: ["a/b"] } }), undefined);
  assert.match(write({ ...old, metadata: { name: "strong", labels: { a: "b" } } })?.message ?? "", /permissions not/);
});
