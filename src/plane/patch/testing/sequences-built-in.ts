// SPDX-License-Identifier: Apache-2.0
import { configMap, secret, serviceAccount } from "./built-in.ts";
import type { Sequence, Step, Subject } from "./sequence.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** What `kubectl apply` writes on the client's side. */
function clientSide(data: { [key: string]: string }): Step {
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data };
  return {
    by: "kubectl-client-side-apply",
    create: { metadata: { annotations: { [LAST_APPLIED]: JSON.stringify(config) } }, data },
  };
}

const owner = (uid: string, name: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid });

const table: readonly (readonly [Subject, string, ...Step[]])[] = [
  [
    configMap,
    "apply, conflict, force",
    { by: "a", apply: { data: { key: "1", other: "2" } } },
    { by: "b", apply: { data: { key: "2" } } },
    { by: "b", apply: { data: { key: "2" } }, force: true },
    { by: "a", apply: { data: { other: "2" } } },
    { by: "a", apply: {} },
  ],
  [
    configMap,
    "apply takes over from client-side apply",
    clientSide({ key: "1", other: "2" }),
    { by: "kubectl", apply: { data: { key: "2" } } },
    { by: "kubectl", apply: { data: { key: "3" } } },
  ],
  [
    configMap,
    "client-side apply is a conflict for others",
    clientSide({ key: "1" }),
    { by: "x", apply: { data: { key: "2" } } },
  ],
  [
    configMap,
    "kubectl conflicts where the live value is another",
    clientSide({ key: "1", other: "2" }),
    { by: "u", merge: { data: { other: "3" } } },
    { by: "kubectl", apply: { data: { key: "9", other: "4" } } },
    { by: "kubectl", apply: { data: { key: "9", other: "4" } }, force: true },
  ],
  [
    configMap,
    "kubectl without an annotation",
    { by: "u", create: { data: { key: "1" } } },
    { by: "kubectl", apply: { data: { key: "2" } } },
  ],
  [
    configMap,
    "a null in an applied map",
    { by: "a", apply: { data: { a: "1", b: "2" } } },
    { by: "b", merge: { data: { a: null } } },
    { by: "c", json: [{ op: "add", path: "/data/c", value: "3" }] },
  ],
  [
    configMap,
    "immutable and binary data",
    { by: "a", apply: { binaryData: { x: "AAEC" }, immutable: false } },
    { by: "b", apply: { binaryData: { x: "AAEC", y: "" } } },
    { by: "a", apply: {} },
  ],
  [
    configMap,
    "finalizers by strategic patches",
    { by: "u", create: { metadata: { finalizers: ["example.com/a", "example.com/b"] } } },
    { by: "v", strategic: { metadata: { finalizers: ["example.com/c"] } } },
    {
      by: "v",
      strategic: {
        metadata: { finalizers: ["example.com/d"], "$setElementOrder/finalizers": ["example.com/d", "example.com/a"] },
      },
    },
    {
      by: "w",
      strategic: { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a", "example.com/zzz"] } },
    },
    { by: "w", strategic: { metadata: { "$setElementOrder/finalizers": ["example.com/c", "example.com/b"] } } },
    { by: "w", strategic: { metadata: { finalizers: null } } },
  ],
  [
    configMap,
    "owner references by strategic patches",
    { by: "u", create: { metadata: { ownerReferences: [owner("u1", "a"), owner("u2", "b")] } } },
    { by: "v", strategic: { metadata: { ownerReferences: [{ uid: "u2", controller: true }, owner("u3", "c")] } } },
    { by: "v", strategic: { metadata: { ownerReferences: [{ uid: "u1", $patch: "delete" }] } } },
    { by: "w", strategic: { metadata: { ownerReferences: [{ $patch: "replace" }, owner("u4", "d")] } } },
    { by: "w", strategic: { metadata: { ownerReferences: [{ $patch: "delete" }] } } },
    { by: "w", strategic: { metadata: { ownerReferences: [{ name: "x" }] } } },
  ],
  [
    configMap,
    "owner references in order",
    { by: "u", create: { metadata: { ownerReferences: [owner("u1", "a"), owner("u2", "b"), owner("u3", "c")] } } },
    {
      by: "v",
      strategic: {
        metadata: {
          ownerReferences: [owner("u4", "d")],
          "$setElementOrder/ownerReferences": [{ uid: "u3" }, { uid: "u4" }, { uid: "u1" }],
        },
      },
    },
    { by: "v", strategic: { metadata: { "$setElementOrder/ownerReferences": [{ uid: "u2" }, { uid: "u1" }] } } },
    {
      by: "v",
      strategic: {
        metadata: {
          ownerReferences: [{ uid: "u1", $patch: "delete" }],
          "$setElementOrder/ownerReferences": [{ uid: "u4" }, { uid: "u2" }],
        },
      },
    },
  ],
  [
    configMap,
    "maps by strategic patches",
    { by: "u", create: { metadata: { labels: { a: "1", b: "2" } }, data: { x: "1", y: "2" } } },
    { by: "v", strategic: { metadata: { labels: { a: null, c: "3" } }, data: { x: "2" } } },
    { by: "v", strategic: { data: { $patch: "replace", z: "3" } } },
    { by: "w", strategic: { metadata: { labels: { $patch: "delete" } } } },
    { by: "w", strategic: { metadata: { annotations: { $patch: "replace", q: "1" } } } },
    { by: "w", strategic: { data: null } },
  ],
  [
    configMap,
    "retained keys",
    { by: "u", create: { metadata: { labels: { a: "1", b: "2" } }, data: { x: "1", y: "2" } } },
    { by: "v", strategic: { data: { $retainKeys: ["x"], x: "3" } } },
    { by: "v", strategic: { metadata: { labels: { $retainKeys: ["b"], a: null } } } },
  ],
  [
    serviceAccount,
    "keyed lists of references",
    { by: "u", create: { secrets: [{ name: "a" }, { name: "b" }], imagePullSecrets: [{ name: "p" }] } },
    { by: "v", strategic: { secrets: [{ name: "c" }], imagePullSecrets: [{ name: "q" }] } },
    { by: "a", apply: { secrets: [{ name: "d" }, { name: "a" }], automountServiceAccountToken: false } },
    { by: "b", apply: { secrets: [{ name: "d", namespace: "x" }] } },
    { by: "a", apply: { imagePullSecrets: [{ name: "q" }] } },
    {
      by: "w",
      strategic: {
        secrets: [{ name: "b", $patch: "delete" }, { name: "e" }],
        "$setElementOrder/secrets": [{ name: "e" }, { name: "c" }],
      },
    },
  ],
  [
    serviceAccount,
    "a boolean goes",
    { by: "a", apply: { automountServiceAccountToken: false } },
    { by: "b", merge: { automountServiceAccountToken: true } },
    { by: "a", apply: {} },
  ],
  [
    secret,
    "secrets",
    { by: "a", apply: { type: "Opaque", data: { a: "MQ==" } } },
    { by: "b", merge: { data: { b: "Mg==" } } },
    { by: "a", apply: { type: "Opaque", data: { b: "Mw==" } } },
    { by: "a", apply: { type: "Opaque" } },
  ],
];

export const builtInSequences: readonly Sequence[] = table.map(([subject, name, ...steps]) => ({
  name: `${subject.kind}: ${name}`,
  subject,
  steps,
}));
