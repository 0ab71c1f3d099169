// SPDX-License-Identifier: Apache-2.0
import { casesOf, type KindCase } from "./kind-case.ts";

const BIG = "x".repeat(1024 * 1024 + 1);
const base64 = (text: string) => Buffer.from(text).toString("base64");

const namespaces = casesOf("namespaces", [
  ["a namespace gets its finalizer, phase and label", {}],
  ["a status is not taken from a client", { status: { phase: "Terminating" } }],
  ["a name with dots is refused", { metadata: { name: "a.b" } }],
  ["a name that is too long is refused", { metadata: { name: "a".repeat(64) } }],
  ["own finalizers stay beside the server's", { spec: { finalizers: ["example.com/a"] } }],
  ["a finalizer must be known or qualified", { spec: { finalizers: ["x", "a b/c"] } }],
  ["a label of the server's is put back", { metadata: { labels: { "kubernetes.io/metadata.name": "other" } } }],
  ["a namespace in a namespace is forgotten", { metadata: { namespace: "other" } }],
  ["an update cannot change finalizers", { spec: { finalizers: ["example.com/a"] } }, { old: {} }],
  ["bad labels are refused on updates", { metadata: { labels: { "a b": "c" } } }, { old: {} }],
  ["a phase must fit", { status: { phase: "Terminating" } }, { old: {}, subresource: "status" }],
  [
    "conditions are status",
    { status: { phase: "Active", conditions: [{ type: "X", status: "True" }] } },
    { old: {}, subresource: "status" },
  ],
  [
    "finalizers are changed through finalize",
    { spec: { finalizers: ["kubernetes", "example.com/b"] } },
    { old: {}, subresource: "finalize" },
  ],
  ["finalize checks them", { spec: { finalizers: ["kubernetes", "b"] } }, { old: {}, subresource: "finalize" }],
]);

const secrets = casesOf("secrets", [
  ["a secret is opaque", { data: { a: "eA==" } }],
  ["stringData is merged into data", { data: { a: "eA==", b: "eQ==" }, stringData: { b: "z", c: "" } }],
  ["a null value is empty", { data: { a: null }, immutable: null }],
  ["a value must be text", { data: { a: 5 } }],
  ["a value must be base64", { data: { a: "%%" } }],
  ["base64 must be padded", { data: { a: "eA" } }],
  ["base64 must end after its padding", { data: { a: "eA==x" } }],
  ["base64 with one padding too few is refused", { data: { a: "eA=" } }],
  ["lines in base64 are joined", { data: { a: "eHh4\neHg=" } }],
  ["data must be a map", { data: [] }],
  ["immutable must be a boolean, and the first fault counts", { immutable: "x", type: 4 }],
  ["keys must be plain", { data: { "a b": "" } }],
  ["a key must not be two dots", { stringData: { "..": "x" } }],
  ["a key must not start with two dots", { stringData: { "..a": "x" } }],
  ["a key must not be one dot", { stringData: { ".": "x" } }],
  ["a key must not be long", { stringData: { ["k".repeat(254)]: "x" } }],
  ["data must not be large", { stringData: { a: BIG } }],
  ["a name must be a subdomain", { metadata: { name: "A_b" } }],
  ["a name must be given", { metadata: { name: "" } }],
  ["unknown fields are warned about", { data: {}, foo: 1, metadata: { bar: 2 } }],
  ["unknown fields are refused when strict", { foo: 1, metadata: { bar: 2 }, Data: {} }, { strict: true }],
  ["a basic-auth secret has a name or a password", { type: "kubernetes.io/basic-auth" }],
  ["a password is enough", { type: "kubernetes.io/basic-auth", stringData: { password: "" } }],
  ["an ssh secret has a key", { type: "kubernetes.io/ssh-auth", stringData: { "ssh-privatekey": "" } }],
  ["a tls secret has both files", { type: "kubernetes.io/tls", stringData: {} }],
  ["a tls secret's files are looked at", { type: "kubernetes.io/tls", stringData: { "tls.crt": "", "tls.key": "" } }],
  ["a docker configuration must be there", { type: "kubernetes.io/dockerconfigjson" }],
  [
    "a docker configuration must be JSON",
    { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "x" } },
  ],
  ["a docker configuration must be whole", { type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": '{"a":' } }],
  ["a docker configuration must be an object", { type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": "[]" } }],
  ["a token secret names its account", { type: "kubernetes.io/service-account-token" }],
  ["the type cannot change", { type: "b" }, { old: { type: "a" } }],
  ["a type that is left out is Opaque, which is a change", {}, { old: { type: "a" } }],
  ["an immutable secret stays", { stringData: { a: "2" } }, { old: { immutable: true, stringData: { a: "1" } } }],
  [
    "an immutable secret's metadata may change",
    { immutable: true, stringData: { a: "1" }, metadata: { labels: { a: "b" } } },
    { old: { immutable: true, stringData: { a: "1" } } },
  ],
  ["an update's labels are checked", { metadata: { labels: { a: "b c" } } }, { old: {} }],
  ["an update's finalizers are checked", { metadata: { finalizers: ["a b"] } }, { old: {} }],
  ["labels must be text", { metadata: { labels: { a: 4 } } }],
  ["finalizers must be a list", { metadata: { finalizers: "x" } }],
  ["finalizers must be text", { metadata: { finalizers: [1] } }],
  ["an owner's name must be text", { metadata: { ownerReferences: [{ name: 4 }] } }],
  ["an owner must be complete", { metadata: { ownerReferences: [{ name: "x" }] } }],
  ["times in metadata must be times", { metadata: { creationTimestamp: "x" } }],
  ["times in metadata must be text", { metadata: { creationTimestamp: 5 } }],
  ["months must exist", { metadata: { creationTimestamp: "2020-13-01T00:00:00Z" } }],
  ["days must exist", { metadata: { creationTimestamp: "2020-02-30T00:00:00Z" } }],
  ["seconds must exist", { metadata: { creationTimestamp: "2020-01-01T00:00:61Z" } }],
  ["times end", { metadata: { creationTimestamp: "2020-01-01T00:00:00Zx" } }],
  ["times have a zone", { metadata: { creationTimestamp: "2020-01-01T00:00:00" } }],
  ["dates have dashes", { metadata: { creationTimestamp: "2020/01/01" } }],
  ["a grace period is whole", { metadata: { deletionGracePeriodSeconds: 1.5 } }],
  ["metadata is an object", { metadata: "x" }],
  ["finalizers without a domain are refused", { metadata: { finalizers: ["a"] } }],
]);

const configMaps = casesOf("configmaps", [
  ["values are kept", { data: { a: "1" }, binaryData: { b: base64("\u0000") } }],
  ["an empty map is no map", { data: {} }],
  ["a key is in one map only", { data: { a: "x" }, binaryData: { a: "eA==" } }],
  ["keys must be plain", { data: { "a/b": "" } }],
  ["keys of binary values too", { binaryData: { "a/b": "" } }],
  ["values must be text", { data: { a: true } }],
  ["data must not be large", { data: { a: BIG } }],
  ["an immutable map stays", { data: { a: "2" } }, { old: { immutable: true, data: { a: "1" } } }],
  [
    "an immutable map's binary values stay",
    { immutable: true, binaryData: { a: "eA==" } },
    { old: { immutable: true } },
  ],
  ["data may become immutable", { immutable: true, data: { a: "1" } }, { old: { data: { a: "1" } } }],
]);

const serviceAccounts = casesOf("serviceaccounts", [
  ["an account needs nothing", {}],
  [
    "of secrets the name is kept",
    { secrets: [{ name: "a", kind: "Secret" }, {}], imagePullSecrets: [{ name: "" }, { name: "x" }] },
  ],
  ["a token may be mounted or not", { automountServiceAccountToken: false }],
  ["a name must be a subdomain", { metadata: { name: "a:b" } }],
  ["secrets must be references", { secrets: ["a"] }],
  [
    "an old annotation is warned about",
    { metadata: { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } } },
  ],
  ["an update's annotations are checked", { metadata: { annotations: { "a b": "" } } }, { old: {} }],
]);

const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const claims = casesOf("persistentvolumeclaims", [
  ["a claim waits for its volume", { spec: claim }],
  [
    "sizes are written in one way",
    { spec: { ...claim, resources: { requests: { storage: "1.5Gi" }, limits: { storage: 1048576 } } } },
  ],
  ["a size must be one", { spec: { ...claim, resources: { requests: { storage: "abc" } } } }],
  ["a size is no boolean", { spec: { ...claim, resources: { requests: { storage: true } } } }],
  ["sizes are a map", { spec: { ...claim, resources: { requests: [] } } }],
  ["a size must be positive", { spec: { ...claim, resources: { requests: { storage: "0" } } } }],
  ["parts of bytes are warned about", { spec: { ...claim, resources: { requests: { storage: "1500m" } } } }],
  ["a claim needs modes and a size", { spec: {} }],
  ["modes must exist", { spec: { ...claim, accessModes: ["x"] } }],
  ["modes are a list", { spec: { ...claim, accessModes: "x" } }],
  ["modes are text", { spec: { ...claim, accessModes: [4] } }],
  ["one pod alone is alone", { spec: { ...claim, accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] } }],
  ["a volume mode must exist", { spec: { ...claim, volumeMode: "x" } }],
  ["a class must be named right", { spec: { ...claim, storageClassName: "A" } }],
  [
    "a selector must be right",
    {
      spec: { ...claim, selector: { matchLabels: { "a b": "c d" }, matchExpressions: [{ key: "a", operator: "X" }] } },
    },
  ],
  [
    "an operator without values has none",
    { spec: { ...claim, selector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] } } },
  ],
  ["a source is said twice", { spec: { ...claim, dataSource: { kind: "PersistentVolumeClaim", name: "x" } } }],
  ["a reference is said twice", { spec: { ...claim, dataSourceRef: { apiGroup: "a.b", kind: "X", name: "x" } } }],
  ["an odd source is dropped", { spec: { ...claim, dataSource: { kind: "X", name: "x" } } }],
  ["an odd reference is refused", { spec: { ...claim, dataSourceRef: { kind: "X", name: "" } } }],
  [
    "a reference elsewhere is dropped",
    { spec: { ...claim, dataSourceRef: { kind: "PersistentVolumeClaim", name: "x", namespace: "y" } } },
  ],
  [
    "the old annotation is warned about",
    { metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "x" } }, spec: claim },
  ],
  ["a status is not taken", { spec: claim, status: { phase: "Bound" } }],
  ["a spec stays", { spec: { ...claim, accessModes: ["ReadOnlyMany"] } }, { old: { spec: claim } }],
  ["a size stays", { spec: { ...claim, resources: { requests: { storage: "2Gi" } } } }, { old: { spec: claim } }],
  ["a volume is named once", { spec: { ...claim, volumeName: "v" } }, { old: { spec: claim } }],
  [
    "a volume is not renamed",
    { spec: { ...claim, volumeName: "w" } },
    { old: { spec: { ...claim, volumeName: "v" } } },
  ],
  ["a class is named once", { spec: { ...claim, storageClassName: "v" } }, { old: { spec: claim } }],
  ["a volume mode stays", { spec: { ...claim, volumeMode: "Block" } }, { old: { spec: claim } }],
  [
    "much changes",
    {
      spec: {
        accessModes: ["ReadOnlyMany"],
        selector: { matchLabels: { a: "b" } },
        resources: { requests: { storage: "500Mi" }, limits: { storage: "3Gi" } },
      },
    },
    { old: { spec: { ...claim, accessModes: ["ReadWriteOnce", "ReadOnlyMany"] } } },
  ],
  [
    "a bound claim may not shrink",
    { spec: { ...claim, resources: { requests: { storage: "500Mi" } } } },
    { old: { spec: claim }, oldStatus: { phase: "Bound", capacity: { storage: "1Gi" } } },
  ],
  [
    "a status is written",
    { spec: claim, status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] } },
    { old: { spec: claim }, subresource: "status" },
  ],
  [
    "conditions have times",
    { spec: claim, status: { phase: "Bound", conditions: [{ type: "Resizing", status: "True" }] } },
    { old: { spec: claim }, subresource: "status" },
  ],
  [
    "a capacity is positive",
    { spec: claim, status: { phase: "Bound", capacity: { storage: "-1" } } },
    { old: { spec: claim }, subresource: "status" },
  ],
]);

/** Cases of the kinds in the core group. */
export const coreCases: readonly KindCase[] = [...namespaces, ...secrets, ...configMaps, ...serviceAccounts, ...claims];
