// SPDX-License-Identifier: Apache-2.0
import type { PlaneRequest } from "../../src/plane/types.ts";
import type { Random } from "../seeded-random.ts";
import { garble, mutate, nastyText, nastyValue } from "./hostile-values.ts";

/** A credential and a secret value that no answer or log may ever show to whom they do not belong. */
export const TOKEN = "token-that-nobody-may-see";
export const SECRET = "c2VjcmV0LXRoYXQtbm9ib2R5LW1heS1zZWU=";

type Seed = Readonly<Record<string, unknown>>;

const SCHEMA = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, default: 3 },
        mode: { type: "string", enum: ["a", "b"], pattern: "^[ab]+$" },
        items: {
          type: "array",
          maxItems: 20,
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string", maxLength: 20 }, any: { type: "string" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        quantity: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
      },
      "x-kubernetes-validations": [{ rule: "self.size < 100", message: "too large" }],
    },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

/** A definition of widgets, which the fuzzed requests also break. */
const WIDGETS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList", shortNames: ["wd"] },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: SCHEMA },
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        selectableFields: [{ jsonPath: ".spec.mode" }],
      },
    ],
  },
};

const metadata = {
  name: "one",
  labels: { app: "x" },
  annotations: { note: "y" },
  finalizers: [],
  // One that names an owner would be collected as garbage before much can be done to it.
  ownerReferences: [],
};

/** A well-formed object per collection, to be broken. */
export const OBJECTS: Readonly<Record<string, Seed>> = {
  "/api/v1/namespaces/default/configmaps": { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "b" } },
  "/api/v1/namespaces/default/secrets": {
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    type: "Opaque",
    data: { a: SECRET },
  },
  "/api/v1/namespaces": {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "one" },
    spec: { finalizers: ["kubernetes"] },
  },
  "/api/v1/namespaces/default/serviceaccounts": { apiVersion: "v1", kind: "ServiceAccount", metadata },
  "/api/v1/namespaces/default/serviceaccounts/default/token": {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: ["a"], expirationSeconds: 3600 },
  },
  "/api/v1/namespaces/default/events": {
    apiVersion: "v1",
    kind: "Event",
    metadata,
    involvedObject: { kind: "ConfigMap", namespace: "default", name: "one" },
    reason: "Because",
    type: "Normal",
  },
  "/apis/coordination.k8s.io/v1/namespaces/default/leases": {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata,
    spec: { holderIdentity: "a", leaseDurationSeconds: 3, renewTime: "2026-01-01T00:00:00.000000Z" },
  },
  "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles": {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata,
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  },
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { verb: "get", resource: "pods" } },
  },
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions": WIDGETS,
  "/apis/example.com/v1/namespaces/default/widgets": {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata,
    spec: { size: 3, mode: "a", items: [{ name: "x" }], free: { a: 1 }, quantity: "1Gi" },
    status: { size: 3 },
  },
};
const COLLECTIONS = Object.keys(OBJECTS);

const OTHER_PATHS = [
  "/",
  "/version",
  "/livez",
  "/readyz/x",
  "/openapi/v3",
  "/openapi/v3/apis/example.com/v1",
  "/openapi/v2",
  "/apis",
  "/api/v1",
  "/apis/example.com",
];

const QUERY_KEYS = [
  "labelSelector",
  "fieldSelector",
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "timeoutSeconds",
  "sendInitialEvents",
  "allowWatchBookmarks",
  "watch",
  "dryRun",
  "fieldManager",
  "force",
  "fieldValidation",
  "propagationPolicy",
  "gracePeriodSeconds",
  "orphanDependents",
  "pretty",
  "includeObject",
  "verbose",
];
const QUERY_VALUES = [
  "All",
  "Strict",
  "Warn",
  "Exact",
  "NotOlderThan",
  "true",
  "1",
  "500",
  "Foreground",
  "Metadata",
  "app=x",
  "spec.mode=a",
];

const ODD_METHODS = ["DELETE", "HEAD", "OPTIONS", "TRACE", "BREW"];
const METHODS = ["GET", "POST", "POST", "PUT", "PUT", "PATCH", "PATCH", "PATCH"];

const TYPES = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

const ACCEPTS = [
  "application/json",
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/vnd.kubernetes.protobuf",
  "*/*;q=0.0001,,;;=",
];

/** A request that a client with bad intentions, or none at all, could send. */
export function hostileRequest(random: Random): Omit<PlaneRequest, "signal"> {
  const collection = random.pick(COLLECTIONS);
  const method = random.pick(random.chance(0.1) ? ODD_METHODS : METHODS);
  const contentType = method === "PATCH" ? random.pick(TYPES.slice(3)) : random.pick(TYPES.slice(0, 2));
  const headers: Record<string, string> = {
    "content-type": random.chance(0.1) ? random.pick([...TYPES, nastyText(random)]) : contentType,
    accept: random.chance(0.15) ? random.pick([...ACCEPTS, nastyText(random)]) : "application/json",
    ...(random.chance(0.05) ? { authorization: `Bearer ${random.pick([TOKEN, nastyText(random)])}` } : {}),
    ...(random.chance(0.05) ? { "impersonate-user": nastyText(random), "impersonate-group": nastyText(random) } : {}),
    ...(random.chance(0.1) ? { "user-agent": nastyText(random), "if-none-match": nastyText(random) } : {}),
  };
  const hasBody = method !== "GET" && method !== "HEAD" && random.chance(0.95);
  const body = hasBody ? bodyFor(random, Object(OBJECTS[collection]), headers["content-type"] ?? "") : undefined;
  return { method, path: pathFor(random, collection, method), headers, body };
}

/** Answered, not stored. */
const UNNAMED = /reviews$|token$/;

function pathFor(random: Random, collection: string, method: string): string {
  let path = collection;
  if (random.chance(0.03)) path = random.pick(OTHER_PATHS);
  else if (random.chance(method === "POST" || UNNAMED.test(path) ? 0.05 : 0.9)) {
    const usual = Object(OBJECTS[collection]?.metadata).name ?? "one";
    path += `/${random.pick([usual, usual, usual, usual, usual, usual, "two", encodeURIComponent(wellFormed(nastyText(random)))])}`;
    if (random.chance(0.2)) path += `/${random.pick(["status", "scale", "token", "finalize", nastyText(random)])}`;
  }
  if (random.chance(0.05)) {
    const parts = path.split("/");
    parts[random.below(parts.length)] = nastyText(random);
    path = parts.join("/");
  }
  const query = Array.from({ length: random.chance(method === "GET" ? 0.7 : 0.2) ? 1 + random.below(3) : 0 }, () => {
    const value = random.chance(0.5) ? random.pick(QUERY_VALUES) : nastyText(random);
    return `${random.pick(QUERY_KEYS)}=${random.chance(0.9) ? encodeURIComponent(wellFormed(value)) : value}`;
  });
  if (random.chance(0.02)) query.push(nastyText(random));
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}

function bodyFor(random: Random, object: Seed, contentType: string): Uint8Array {
  const value = random.chance(0.85) ? named(random, mutate(random, object)) : mutate(random, mutate(random, object));
  let text = JSON.stringify(value) ?? "";
  if (contentType.includes("json-patch")) text = JSON.stringify(patchFor(random));
  else if (contentType.includes("merge-patch")) text = JSON.stringify(mergeFor(random, object));
  else if (contentType.includes("protobuf")) return protobufFor(random);
  return random.chance(0.1) ? garble(random, text) : Buffer.from(text);
}

/** Mostly of a name that works, so that what is behind the name is reached too. */
function named(random: Random, value: unknown): unknown {
  const { metadata: given } = Object(value);
  if (typeof given !== "object" || given === null || random.chance(0.2)) return value;
  const names: unknown[] = [Object(given).name ?? null, "one", "two", `n${random.below(50)}`];
  return { ...Object(value), metadata: { ...given, name: random.pick(names) } };
}

function patchFor(random: Random): unknown {
  if (random.chance(0.1)) return nastyValue(random);
  const paths = [
    "/data/a",
    "/metadata/labels",
    "/metadata/labels/app",
    "/metadata/finalizers/-",
    "/spec/items/0",
    "/spec/items/99999999999",
    "/spec",
    "",
    "/status",
  ];
  return Array.from({ length: 1 + random.below(4) }, () => ({
    op: random.pick(["add", "remove", "replace", "move", "copy", "test", nastyText(random)]),
    path: random.chance(0.7) ? random.pick(paths) : nastyText(random),
    ...(random.chance(0.5) ? { from: random.chance(0.7) ? random.pick(paths) : nastyText(random) } : {}),
    ...(random.chance(0.8) ? { value: nastyValue(random) } : {}),
  }));
}

function mergeFor(random: Random, object: Seed): unknown {
  if (random.chance(0.3)) return mutate(random, object);
  const directives = { $patch: random.pick(["replace", "delete", "merge", nastyText(random)]), $retainKeys: ["a"] };
  const value = random.chance(0.3) ? { ...Object(nastyValue(random)), ...directives } : nastyValue(random);
  const orders = random.chance(0.2)
    ? { "$setElementOrder/items": nastyValue(random), "$deleteFromPrimitiveList/finalizers": ["a"] }
    : {};
  return { [random.pick(["metadata", "data", "spec", "status", "items", "rules"])]: value, ...orders };
}

function protobufFor(random: Random): Uint8Array {
  const bytes = Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)));
  return random.chance(0.5) ? Buffer.concat([Buffer.from("k8s\0"), bytes]) : bytes;
}
