// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../types.ts";

const RBAC = "rbac.authorization.k8s.io";

/** Where one object of a fresh server belongs, and the object as a client would send it. */
export interface BootstrapObject {
  readonly group: string;
  readonly plural: string;
  readonly object: KubeObject;
}

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const HEALTH_PATHS = ["/healthz", "/livez", "/readyz"];
const INFO_PATHS = [...HEALTH_PATHS, "/version", "/version/"];
const DISCOVERY_PATHS = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"];
const READ = ["get", "list", "watch"];
const WRITE = ["create", "delete", "deletecollection", "patch", "update"];
const PLAIN_RESOURCES = ["configmaps", "persistentvolumeclaims", "persistentvolumeclaims/status"];

/**
 * What a fresh server has: its namespaces, and the roles that users are given. Of the roles these are the ones that
 * people bind; their rules cover the kinds that this server has.
 */
export function bootstrapObjects(): BootstrapObject[] {
  const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"].map((name) => ({
    group: "",
    plural: "namespaces",
    object: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
  }));
  return [
    ...namespaces,
    role("cluster-admin", [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ]),
    binding("cluster-admin", ["system:masters"]),
    role("system:discovery", [{ verbs: ["get"], nonResourceURLs: [...DISCOVERY_PATHS, ...INFO_PATHS].sort() }]),
    binding("system:discovery", ["system:authenticated"]),
    role("system:basic-user", [
      {
        verbs: ["create"],
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
      },
      { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
    ]),
    binding("system:basic-user", ["system:authenticated"]),
    role("system:public-info-viewer", [{ verbs: ["get"], nonResourceURLs: INFO_PATHS }]),
    binding("system:public-info-viewer", ["system:authenticated"]),
    // The real server tells anybody its version; here whoever does not say who he is learns no more than that it is well.
    role("system:health-viewer", [{ verbs: ["get"], nonResourceURLs: HEALTH_PATHS }]),
    binding("system:health-viewer", ["system:unauthenticated"]),
    role("view", viewRules(), { "rbac.authorization.k8s.io/aggregate-to-edit": "true" }),
    role("edit", editRules(), { "rbac.authorization.k8s.io/aggregate-to-admin": "true" }),
    role("admin", adminRules()),
  ];
}

function viewRules(): Rule[] {
  return [
    {
      verbs: READ,
      apiGroups: [""],
      resources: [...PLAIN_RESOURCES, "serviceaccounts", "events", "namespaces", "namespaces/status"],
    },
    { verbs: READ, apiGroups: ["events.k8s.io"], resources: ["events"] },
  ];
}

function editRules(): Rule[] {
  return [
    {
      verbs: [...READ, ...WRITE],
      apiGroups: [""],
      resources: [...PLAIN_RESOURCES, "secrets", "serviceaccounts", "events"],
    },
    { verbs: ["impersonate"], apiGroups: [""], resources: ["serviceaccounts"] },
    { verbs: ["create"], apiGroups: [""], resources: ["serviceaccounts/token"] },
    { verbs: [...READ, ...WRITE], apiGroups: ["coordination.k8s.io"], resources: ["leases"] },
    ...viewRules(),
  ];
}

function adminRules(): Rule[] {
  return [
    { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["localsubjectaccessreviews"] },
    { verbs: [...READ, ...WRITE], apiGroups: [RBAC], resources: ["rolebindings", "roles"] },
    ...editRules(),
  ];
}

function metadata(name: string, labels: Readonly<Record<string, string>> = {}): KubeObject["metadata"] {
  return {
    name,
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
}

function role(name: string, rules: readonly Rule[], labels?: Readonly<Record<string, string>>): BootstrapObject {
  const object = { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata: metadata(name, labels), rules };
  return { group: RBAC, plural: "clusterroles", object };
}

function binding(name: string, groups: readonly string[]): BootstrapObject {
  const object = {
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRoleBinding",
    metadata: metadata(name),
    subjects: groups.map((group) => ({ kind: "Group", apiGroup: RBAC, name: group })),
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name },
  };
  return { group: RBAC, plural: "clusterrolebindings", object };
}
