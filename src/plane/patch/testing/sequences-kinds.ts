// SPDX-License-Identifier: Apache-2.0
import type { Client } from "../../../../test/kubernetes/request.ts";
import { isObject } from "../../../schema/go-text.ts";
import type { Json, Schema } from "../../../schema/index.ts";
import { builtInTypes } from "../../kinds/index.ts";
import type { JsonObject } from "../json-object.ts";
import type { Sequence, Step, Subject } from "./sequence.ts";

/** Sequences on kinds whose schemas are long: those of the plane, and some of which only a real server has the schema. */
export async function kindSequences(server: Client): Promise<Sequence[]> {
  const apps = await openApi(server, "/openapi/v3/apis/apps/v1");
  const core = await openApi(server, "/openapi/v3/api/v1");
  const deployment = filledIn("apps/v1", "Deployment", apps("io.k8s.api.apps.v1.Deployment"));
  const service = filledIn("v1", "Service", core("io.k8s.api.core.v1.Service"));
  return [
    { name: "Deployment, by apply", subject: deployment, steps: deploymentApplies },
    { name: "Deployment, by strategic patches", subject: deployment, steps: deploymentPatches },
    { name: "Service", subject: service, steps: serviceSteps },
    ...Object.entries(planeSteps).map(([kind, steps]) => ({ name: kind, subject: ofPlane(kind), steps })),
  ];
}

function filledIn(apiVersion: string, kind: string, schema: Schema): Subject {
  const plural = `${kind.toLowerCase()}s`;
  return { apiVersion, kind, plural, schema, isNamespaced: true, isCustom: false, hasStatus: true, isFilledIn: true };
}

function ofPlane(kind: string): Subject {
  const type = builtInTypes().find((known) => known.kind === kind && known.group !== "events.k8s.io");
  if (type === undefined) throw new Error(`no kind ${kind}`);
  const { group, version, plural, namespaced, hasStatus, schema } = type;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { apiVersion, kind, plural, schema, isNamespaced: namespaced, isCustom: false, hasStatus, type };
}

/** The schemas of a group of a server's, with their references resolved. */
async function openApi(server: Client, path: string): Promise<(name: string) => Schema> {
  const { body } = await server.request("GET", path);
  const schemas: { readonly [name: string]: JsonObject } = Object(body).components.schemas;
  function resolve(value: Json | undefined): Json {
    if (Array.isArray(value)) return value.map(resolve);
    if (!isObject(value)) return value ?? null;
    if (typeof value.$ref === "string") return resolve(schemas[value.$ref.split("/").at(-1) ?? ""]);
    const { allOf, description: _, ...rest } = value;
    const own = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, resolve(item)]));
    return Array.isArray(allOf) && allOf.length === 1 ? { ...Object(resolve(allOf[0])), ...own } : own;
  }
  return (name) => resolve(schemas[name]) as Schema;
}

const container = (name: string, more: JsonObject = {}): JsonObject => ({ name, image: "i", ...more });

const deploymentOf = (containers: Json, more: JsonObject = {}): JsonObject => ({
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers, ...more } },
  },
});

const podOf = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });

const deploymentApplies: readonly Step[] = [
  {
    by: "a",
    apply: deploymentOf([
      container("x", { ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] }),
      container("y"),
    ]),
  },
  {
    by: "b",
    apply: {
      spec: {
        replicas: 3,
        ...(podOf({
          containers: [{ name: "x", env: [{ name: "B", value: "2" }], resources: { limits: { cpu: "1" } } }],
        }).spec as JsonObject),
      },
    },
  },
  { by: "c", apply: { spec: { replicas: 4 } } },
  { by: "c", apply: { spec: { replicas: 4 } }, force: true },
  {
    by: "a",
    apply: deploymentOf([
      container("x", {
        ports: [
          { containerPort: 80, protocol: "TCP" },
          { containerPort: 81, protocol: "UDP" },
        ],
      }),
    ]),
  },
  { by: "a", apply: deploymentOf([container("y"), container("x")]) },
];

const variables = ["A", "B", "C"].map((name) => ({ name, value: "1" }));

const deploymentPatches: readonly Step[] = [
  {
    by: "u",
    apply: deploymentOf([container("x", { env: variables }), container("y")], {
      volumes: [{ name: "v", emptyDir: {} }],
    }),
  },
  {
    by: "v",
    strategic: podOf({
      containers: [
        {
          name: "x",
          env: [
            { name: "D", value: "4" },
            { name: "A", $patch: "delete" },
          ],
          "$setElementOrder/env": [{ name: "D" }, { name: "C" }],
        },
      ],
    }),
  },
  {
    by: "v",
    strategic: podOf({
      containers: [{ name: "z", image: "z" }],
      "$setElementOrder/containers": [{ name: "z" }, { name: "y" }, { name: "x" }],
    }),
  },
  { by: "v", strategic: podOf({ containers: [{ name: "y", $patch: "delete" }] }) },
  {
    by: "w",
    strategic: podOf({
      volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" }, emptyDir: null }],
    }),
  },
  { by: "w", strategic: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } } },
  { by: "w", strategic: podOf({ containers: [{ $patch: "replace" }, { name: "q", image: "q" }] }) },
  { by: "w", strategic: { spec: { template: { $patch: "frob" } } } },
  { by: "w", strategic: podOf({ containers: [{ image: "q" }] }) },
  { by: "w", strategic: podOf({ containers: [{ name: "q", $patch: "merge" }] }) },
  { by: "w", strategic: podOf({ containers: [{ name: "q", $patch: "zzz" }] }) },
];

const ports = [{ port: 80, name: "a" }];

const serviceSteps: readonly Step[] = [
  { by: "a", apply: { spec: { ports, selector: { x: "y" } } } },
  { by: "b", apply: { spec: { ports: [{ port: 80, protocol: "UDP", name: "b" }] } } },
  { by: "c", strategic: { spec: { ports: [{ port: 81, name: "c" }] } } },
  { by: "c", strategic: { spec: { selector: { z: "1" } } } },
  { by: "a", apply: { spec: { ports, selector: { q: "y" } } } },
  { by: "a", apply: { spec: { ports, selector: { q: "y" } } }, force: true },
];

const RBAC = "rbac.authorization.k8s.io";
const roleRef = { apiGroup: RBAC, kind: "Role", name: "x" };
const rule = (verb: string): JsonObject => ({ apiGroups: [""], resources: ["pods"], verbs: [verb] });
const user = (name: string): JsonObject => ({ kind: "User", name, apiGroup: RBAC });
const storage = (size: string): JsonObject => ({ resources: { requests: { storage: size } } });

/** Only who owns what is compared: what a kind's own rules fill in is not ours. */
const planeSteps: { readonly [kind: string]: readonly Step[] } = {
  Namespace: [
    { by: "u", create: {} },
    { by: "a", apply: { metadata: { labels: { x: "1" } } } },
    { by: "b", merge: { metadata: { labels: { y: "1" } } } },
    {
      by: "c",
      subresource: "status",
      merge: { status: { conditions: [{ type: "X", status: "True" }] }, metadata: { labels: { z: "1" } } },
    },
    {
      by: "d",
      subresource: "status",
      apply: { status: { conditions: [{ type: "Y", status: "True" }] }, metadata: { labels: { w: "1" } } },
    },
    { by: "e", subresource: "status", strategic: { status: { conditions: [{ type: "Y", status: "False" }] } } },
    { by: "v", merge: { metadata: { managedFields: [{}] } } },
    { by: "a", apply: { metadata: { labels: { q: "1" } } } },
  ],
  PersistentVolumeClaim: [
    { by: "a", apply: { spec: { accessModes: ["ReadWriteOnce"], ...storage("1Gi") } } },
    { by: "b", apply: { spec: storage("1024Mi") } },
    { by: "b", merge: { spec: storage("1024Mi") } },
  ],
  Role: [
    { by: "a", apply: { rules: [rule("get")] } },
    { by: "b", apply: { rules: [rule("list")] } },
    { by: "c", strategic: { rules: [rule("list")] } },
  ],
  RoleBinding: [
    { by: "u", create: { roleRef, subjects: [user("y")] } },
    { by: "a", apply: { roleRef, subjects: [user("z")] } },
    { by: "a", apply: { roleRef, subjects: [user("z")] }, force: true },
  ],
  Lease: [
    { by: "u", create: { spec: { holderIdentity: "x", renewTime: "2026-01-01T00:00:00.000000Z" } } },
    { by: "v", merge: { spec: { renewTime: "2026-01-01T00:00:01.000000Z" } } },
    { by: "a", apply: { spec: { holderIdentity: "y" } } },
    { by: "a", apply: { spec: { holderIdentity: "y" } }, force: true },
  ],
  Event: [
    {
      by: "u",
      create: {
        metadata: { namespace: "default" },
        involvedObject: { kind: "ConfigMap", name: "x", namespace: "default" },
        reason: "R",
        type: "Normal",
        count: 1,
        source: { component: "c" },
      },
    },
    { by: "v", merge: { count: 2, lastTimestamp: "2026-01-01T00:00:00Z" } },
    { by: "v", strategic: { series: { count: 3, lastObservedTime: "2026-01-01T00:00:00.000000Z" } } },
  ],
  Secret: [
    { by: "u", create: { stringData: { a: "1" }, type: "Opaque" } },
    { by: "a", apply: { stringData: { a: "2", b: "3" } } },
    { by: "a", apply: { stringData: { a: "2", b: "3" } } },
    { by: "a", apply: { data: { b: "Mw==" } } },
  ],
  StorageClass: [
    { by: "u", create: { provisioner: "x", parameters: { a: "b" } } },
    { by: "a", apply: { provisioner: "x", allowVolumeExpansion: true } },
    { by: "a", apply: { provisioner: "x" } },
  ],
  ConfigMap: [
    { by: "u", create: { data: { a: "1" } } },
    { by: "v", json: [{ op: "add", path: "/data/n", value: null }] },
    { by: "a", apply: { data: { n: null, m: null } } },
    { by: "a", apply: { data: { n: "" } } },
  ],
};
