// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, User } from "../../types.ts";

const RBAC = "rbac.authorization.k8s.io/v1";
const GROUP = "rbac.authorization.k8s.io";
const MACHINES = "/apis/butler.butlerlabs.dev/v1alpha1";

type Subject = { kind: string; name: string; namespace?: string; apiGroup?: string };

const user = (name: string): Subject => ({ kind: "User", name, apiGroup: GROUP });
const group = (name: string): Subject => ({ kind: "Group", name, apiGroup: GROUP });
const account = (name: string, namespace?: string): Subject => ({
  kind: "ServiceAccount",
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

function clusterRole(name: string, rules: readonly object[]): KubeObject {
  return { apiVersion: RBAC, kind: "ClusterRole", metadata: { name }, rules };
}

function role(name: string, rules: readonly object[]): KubeObject {
  return { apiVersion: RBAC, kind: "Role", metadata: { name, namespace: "team-a" }, rules };
}

function clusterBinding(name: string, roleName: string, subjects: readonly Subject[]): KubeObject {
  const roleRef = { apiGroup: GROUP, kind: "ClusterRole", name: roleName };
  return { apiVersion: RBAC, kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects };
}

function binding(
  name: string,
  [kind, roleName]: readonly ["Role" | "ClusterRole", string],
  { namespace = "team-a", subjects }: { namespace?: string; subjects: readonly Subject[] },
): KubeObject {
  const roleRef = { apiGroup: GROUP, kind, name: roleName };
  return { apiVersion: RBAC, kind: "RoleBinding", metadata: { name, namespace }, roleRef, subjects };
}

/** Roles and bindings that the cases go by, besides those of every server, each with its plural. */
export const accessObjects: readonly (readonly [plural: string, object: KubeObject])[] = [
  [
    "clusterroles",
    clusterRole("machine-viewer", [
      {
        apiGroups: ["butler.butlerlabs.dev"],
        resources: ["machinerequests", "machinerequests/status"],
        verbs: ["get", "list", "watch"],
      },
    ]),
  ],
  ["clusterroles", clusterRole("status-writer", [{ apiGroups: ["*"], resources: ["*/status"], verbs: ["update"] }])],
  ["clusterroles", clusterRole("any-group", [{ apiGroups: ["*"], resources: ["configmaps"], verbs: ["get"] }])],
  ["clusterroles", clusterRole("urls", [{ nonResourceURLs: ["/metrics", "/debug/*", "/x*"], verbs: ["get"] }])],
  ["clusterroles", clusterRole("posts", [{ nonResourceURLs: ["*"], verbs: ["post"] }])],
  [
    "clusterroles",
    clusterRole("one-namespace", [
      { apiGroups: [""], resources: ["namespaces"], verbs: ["*"], resourceNames: ["team-a"] },
    ]),
  ],
  [
    "clusterroles",
    clusterRole("role-writer", [
      {
        apiGroups: [GROUP],
        resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
        verbs: ["get", "list", "create", "update", "patch", "delete"],
      },
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] },
      { apiGroups: ["apps"], resources: ["*/scale"], verbs: ["update"] },
      { nonResourceURLs: ["/logs/*"], verbs: ["get"] },
    ]),
  ],
  [
    "clusterroles",
    clusterRole("binder", [
      { apiGroups: [GROUP], resources: ["clusterroles"], verbs: ["bind"], resourceNames: ["machine-viewer"] },
      { apiGroups: [GROUP], resources: ["roles"], verbs: ["escalate"] },
    ]),
  ],
  [
    "roles",
    role("secrets-by-name", [
      { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch", "delete"], resourceNames: ["db"] },
    ]),
  ],
  ["roles", role("everything", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }])],
  [
    "roles",
    role("makes", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "delete", "deletecollection"] }]),
  ],
  [
    "clusterrolebindings",
    clusterBinding("machine-viewers", "machine-viewer", [user("vera"), group("viewers"), account("robot", "team-a")]),
  ],
  ["clusterrolebindings", clusterBinding("status-writers", "status-writer", [user("stan")])],
  ["clusterrolebindings", clusterBinding("any-group", "any-group", [user("greg")])],
  ["clusterrolebindings", clusterBinding("urls", "urls", [user("nora")])],
  ["clusterrolebindings", clusterBinding("posts", "posts", [user("paul")])],
  ["clusterrolebindings", clusterBinding("one-namespace", "one-namespace", [user("nina")])],
  ["clusterrolebindings", clusterBinding("roots", "cluster-admin", [user("root")])],
  ["clusterrolebindings", clusterBinding("lost", "missing", [user("lost")])],
  ["clusterrolebindings", clusterBinding("role-writers", "role-writer", [user("ed"), user("edith")])],
  ["clusterrolebindings", clusterBinding("binders", "binder", [user("edith")])],
  ["rolebindings", binding("by-name", ["Role", "secrets-by-name"], { subjects: [user("rita"), account("bot")] })],
  ["rolebindings", binding("everything", ["Role", "everything"], { subjects: [user("alan")] })],
  ["rolebindings", binding("makers", ["Role", "makes"], { subjects: [user("carl")] })],
  ["rolebindings", binding("lost", ["Role", "missing-too"], { subjects: [user("lost")] })],
  [
    "rolebindings",
    binding("viewers", ["ClusterRole", "machine-viewer"], { namespace: "team-b", subjects: [group("team-b")] }),
  ],
];

/** Who sends which request, and whether he may. */
export interface AccessCase {
  readonly user: User;
  readonly method: string;
  readonly path: string;
  readonly isAllowed: boolean;
}

const AUTHENTICATED = "system:authenticated";
const named = (name: string, ...groups: string[]): User => ({ name, groups: [...groups, AUTHENTICATED] });
const serviceAccount = (namespace: string, name: string): User =>
  named(`system:serviceaccount:${namespace}:${name}`, "system:serviceaccounts", `system:serviceaccounts:${namespace}`);
const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

function cases(who: User, rows: readonly (readonly ["yes" | "no", string, string])[]): AccessCase[] {
  return rows.map(([answer, method, path]) => ({ user: who, method, path, isAllowed: answer === "yes" }));
}

/** What the real server decides; its words are asked for where there is one. */
export const accessCases: readonly AccessCase[] = [
  ...cases(ANONYMOUS, [
    ["yes", "GET", "/healthz"],
    ["yes", "GET", "/livez"],
    ["yes", "GET", "/readyz"],
    ["no", "GET", "/api"],
    ["no", "GET", "/apis"],
    ["no", "GET", "/openapi/v3"],
    ["no", "GET", "/metrics"],
    ["no", "GET", "/"],
    ["no", "POST", "/healthz"],
    ["no", "GET", "/api/v1/pods"],
    ["no", "GET", "/api/v1/namespaces/team-a/secrets/db"],
    ["no", "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews"],
  ]),
  ...cases(named("nobody"), [
    ["yes", "GET", "/api"],
    ["yes", "GET", "/apis/butler.butlerlabs.dev/v1alpha1"],
    ["yes", "GET", "/openapi/v2"],
    ["yes", "GET", "/version/"],
    ["yes", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"],
    ["no", "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews"],
    ["no", "POST", "/apis/authentication.k8s.io/v1/tokenreviews"],
    ["no", "GET", "/api/v1/namespaces/default"],
    ["no", "GET", "/api/v1/namespaces/default/configmaps?watch=true"],
    ["no", "DELETE", `${MACHINES}/namespaces/team-a/machinerequests`],
    ["no", "PUT", "/api/v1/namespaces/a/serviceaccounts/b/token"],
    ["no", "GET", "/nowhere/<script>&x"],
  ]),
  ...cases(named("vera"), [
    ["yes", "GET", `${MACHINES}/machinerequests`],
    ["yes", "GET", `${MACHINES}/namespaces/team-a/machinerequests/m`],
    ["yes", "GET", `${MACHINES}/namespaces/team-a/machinerequests/m/status`],
    ["yes", "GET", `${MACHINES}/namespaces/team-a/machinerequests?watch=1`],
    ["no", "GET", `${MACHINES}/namespaces/team-a/machinerequests/m/scale`],
    ["no", "PUT", `${MACHINES}/namespaces/team-a/machinerequests/m/status`],
    ["no", "PATCH", `${MACHINES}/namespaces/team-a/machinerequests/m`],
    ["no", "POST", `${MACHINES}/namespaces/team-a/machinerequests`],
    ["no", "GET", `${MACHINES}/providerconfigs`],
    ["no", "GET", "/apis/other.example.com/v1/machinerequests"],
  ]),
  ...cases(named("somebody", "viewers"), [["yes", "GET", `${MACHINES}/machinerequests`]]),
  ...cases(named("b-user", "team-b"), [
    ["yes", "GET", `${MACHINES}/namespaces/team-b/machinerequests`],
    ["no", "GET", `${MACHINES}/namespaces/team-a/machinerequests`],
    ["no", "GET", `${MACHINES}/machinerequests`],
  ]),
  ...cases(serviceAccount("team-a", "robot"), [
    ["yes", "GET", `${MACHINES}/machinerequests`],
    ["no", "GET", "/api/v1/namespaces/team-a/secrets/db"],
  ]),
  ...cases(serviceAccount("team-b", "robot"), [["no", "GET", `${MACHINES}/machinerequests`]]),
  ...cases(serviceAccount("team-a", "bot"), [
    ["yes", "GET", "/api/v1/namespaces/team-a/secrets/db"],
    ["no", "GET", "/api/v1/namespaces/team-b/secrets/db"],
  ]),
  ...cases(serviceAccount("team-b", "bot"), [["no", "GET", "/api/v1/namespaces/team-a/secrets/db"]]),
  ...cases(named("rita"), [
    ["yes", "GET", "/api/v1/namespaces/team-a/secrets/db"],
    ["yes", "DELETE", "/api/v1/namespaces/team-a/secrets/db"],
    ["yes", "GET", "/api/v1/namespaces/team-a/secrets?fieldSelector=metadata.name%3Ddb"],
    ["yes", "GET", "/api/v1/namespaces/team-a/secrets?fieldSelector=metadata.name%3Ddb&watch=true"],
    ["no", "GET", "/api/v1/namespaces/team-a/secrets?fieldSelector=metadata.name%3Dother"],
    ["no", "GET", "/api/v1/namespaces/team-a/secrets"],
    ["no", "GET", "/api/v1/namespaces/team-a/secrets/other"],
    ["no", "DELETE", "/api/v1/namespaces/team-a/secrets"],
    ["no", "PUT", "/api/v1/namespaces/team-a/secrets/db"],
  ]),
  ...cases(named("alan"), [
    ["yes", "POST", "/apis/anything.example.com/v7/namespaces/team-a/things/one/sub"],
    ["yes", "GET", "/api/v1/namespaces/team-a"],
    ["no", "GET", "/api/v1/namespaces"],
    ["no", "GET", "/api/v1/namespaces/team-b/things"],
    ["no", "GET", "/metrics"],
  ]),
  ...cases(named("stan"), [
    ["yes", "PUT", `${MACHINES}/namespaces/team-a/machinerequests/m/status`],
    ["yes", "PUT", "/api/v1/namespaces/team-a/status"],
    ["no", "PUT", `${MACHINES}/namespaces/team-a/machinerequests/m`],
    ["no", "PATCH", `${MACHINES}/namespaces/team-a/machinerequests/m/status`],
  ]),
  ...cases(named("greg"), [
    ["yes", "GET", "/apis/any.example.com/v1/namespaces/team-a/configmaps/c"],
    ["no", "GET", "/api/v1/namespaces/team-a/configmaps"],
    ["no", "HEAD", "/api/v1/namespaces/team-a/secrets/c"],
  ]),
  ...cases(named("nora"), [
    ["yes", "GET", "/metrics"],
    ["yes", "GET", "/debug/pprof/heap"],
    ["yes", "GET", "/xyz"],
    ["no", "GET", "/metrics/more"],
    ["no", "GET", "/debug"],
    ["no", "POST", "/metrics"],
  ]),
  ...cases(named("paul"), [
    ["yes", "POST", "/anything/at/all"],
    ["no", "GET", "/anything/at/all"],
    ["no", "POST", "/api/v1/namespaces"],
  ]),
  ...cases(named("nina"), [
    ["yes", "GET", "/api/v1/namespaces/team-a"],
    ["yes", "DELETE", "/api/v1/namespaces/team-a"],
    ["no", "GET", "/api/v1/namespaces/team-b"],
    ["no", "GET", "/api/v1/namespaces"],
    ["no", "GET", "/api/v1/namespaces/team-a/pods"],
  ]),
  ...cases(named("carl"), [
    ["yes", "POST", "/api/v1/namespaces/team-a/configmaps"],
    ["yes", "DELETE", "/api/v1/namespaces/team-a/configmaps"],
    ["no", "GET", "/api/v1/namespaces/team-a/configmaps"],
    ["no", "POST", "/api/v1/namespaces/team-b/configmaps"],
    ["no", "POST", "/api/v1/configmaps"],
  ]),
  ...cases(named("root"), [
    ["yes", "GET", "/api/v1/secrets"],
    ["yes", "GET", "/metrics"],
  ]),
  ...cases(named("lost"), [
    ["no", "GET", "/api/v1/namespaces/team-a/secrets"],
    ["no", "GET", "/api/v1/secrets"],
    ["no", "GET", "/metrics"],
    ["yes", "GET", "/version"],
  ]),
  ...cases({ name: "master", groups: ["system:masters"] }, [
    ["yes", "DELETE", "/api/v1/namespaces/team-a/secrets"],
    ["yes", "GET", "/nothing/here"],
  ]),
];

/** A role or binding that somebody wants to write. */
export interface EscalationCase {
  readonly name: string;
  readonly user: User;
  readonly plural: string;
  readonly object: KubeObject;
}

const inTeam = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace: "team-a" },
});
const reads = (verbs: readonly string[]) => [{ apiGroups: [""], resources: ["configmaps"], verbs }];

/** Who may write which role or binding is the real server's to say. */
export const escalationCases: readonly EscalationCase[] = [
  { name: "what one has", user: named("ed"), plural: "roles", object: role("new", reads(["get"])) },
  { name: "one verb more", user: named("ed"), plural: "roles", object: role("new", reads(["get", "watch", "list"])) },
  {
    name: "several resources, some of them",
    user: named("ed"),
    plural: "roles",
    object: role("new", [{ apiGroups: ["", "apps"], resources: ["configmaps", "secrets"], verbs: ["get", "update"] }]),
  },
  {
    name: "names",
    user: named("ed"),
    plural: "roles",
    object: role("new", [
      { apiGroups: [""], resources: ["configmaps", "pods"], verbs: ["get", "watch"], resourceNames: ["a", "b"] },
    ]),
  },
  {
    name: "subresources of all resources",
    user: named("ed"),
    plural: "roles",
    object: role("new", [
      { apiGroups: ["apps"], resources: ["deployments/scale", "*/scale", "deployments"], verbs: ["update"] },
    ]),
  },
  {
    name: "paths",
    user: named("ed"),
    plural: "clusterroles",
    object: clusterRole("new", [{ nonResourceURLs: ["/logs/a", "/logs/*", "/logs", "*"], verbs: ["get", "post"] }]),
  },
  {
    name: "everything",
    user: named("ed"),
    plural: "clusterroles",
    object: clusterRole("new", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]),
  },
  { name: "nothing", user: named("ed"), plural: "clusterroles", object: clusterRole("new", []) },
  {
    name: "an aggregated role",
    user: named("ed"),
    plural: "clusterroles",
    object: { ...clusterRole("new", []), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
  },
  {
    name: "an aggregated role of who may do everything",
    user: named("root"),
    plural: "clusterroles",
    object: { ...clusterRole("new", []), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
  },
  {
    name: "a master",
    user: { name: "m", groups: ["system:masters"] },
    plural: "roles",
    object: role("new", reads(["*"])),
  },
  { name: "who may escalate", user: named("edith"), plural: "roles", object: role("new", reads(["*"])) },
  {
    name: "who may escalate roles only",
    user: named("edith"),
    plural: "clusterroles",
    object: clusterRole("new", reads(["*"])),
  },
  {
    name: "a binding of what one has not",
    user: named("ed"),
    plural: "rolebindings",
    object: inTeam(binding("new", ["ClusterRole", "machine-viewer"], { subjects: [user("x")] })),
  },
  {
    name: "a binding of what one has",
    user: named("vera2", "viewers"),
    plural: "rolebindings",
    object: inTeam(binding("new", ["ClusterRole", "machine-viewer"], { subjects: [user("x")] })),
  },
  {
    name: "a binding of what one may bind",
    user: named("edith"),
    plural: "rolebindings",
    object: inTeam(binding("new", ["ClusterRole", "machine-viewer"], { subjects: [user("x")] })),
  },
  {
    name: "a binding of another role than one may bind",
    user: named("edith"),
    plural: "clusterrolebindings",
    object: clusterBinding("new", "cluster-admin", [user("x")]),
  },
  {
    name: "a binding of nothing",
    user: named("ed"),
    plural: "rolebindings",
    object: inTeam(binding("new", ["Role", "nowhere"], { subjects: [user("x")] })),
  },
  {
    name: "a binding of a role by name",
    user: named("ed", "some-group"),
    plural: "rolebindings",
    object: inTeam(binding("new", ["Role", "secrets-by-name"], { subjects: [user("x")] })),
  },
];
