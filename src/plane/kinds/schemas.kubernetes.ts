// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { Agent, request } from "undici";
import { kubernetesTest, type TestServer } from "../../../test/kubernetes/harness.ts";
import type { Schema } from "../../schema/index.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { builtInTypes, definitionName } from "./index.ts";

type OpenApi = Readonly<Record<string, OpenApiSchema>>;
interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly [keyword: string]: unknown;
}

/** What applies, patches and `kubectl explain` go by; descriptions are our own. */
const KEYWORDS = [
  "type",
  "format",
  "enum",
  "required",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
];
/** Written in another way by us, with the same meaning. */
const OPAQUE = /\.(Quantity|JSON|JSONSchemaPropsOr\w+|FieldsV1)$/;

function groupPath({ group, version }: ResourceType): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

async function definitionsOf(server: TestServer, type: ResourceType): Promise<OpenApi> {
  const { body } = await server.request("GET", `/openapi/v3/${groupPath(type)}`);
  return (body as { components: { schemas: OpenApi } }).components.schemas;
}

function refOf({ $ref, allOf }: OpenApiSchema): string | undefined {
  return ($ref ?? allOf?.[0]?.$ref)?.split("/").at(-1);
}

/** Both schemas as flat lists of what counts, by path, down to where a definition contains itself. */
function flatten(
  schema: OpenApiSchema,
  all: OpenApi,
  path = "",
  within: readonly string[] = [],
): Record<string, unknown> {
  const name = refOf(schema);
  if (name !== undefined && (OPAQUE.test(name) || within.includes(name))) return { [path]: name };
  const whole: OpenApiSchema = name === undefined ? schema : { ...all[name], ...withoutRef(schema) };
  return parts(whole, path, (part, at) => flatten(part, all, at, name === undefined ? within : [...within, name]));
}

function withoutRef({ $ref, allOf, description, default: _, ...rest }: OpenApiSchema): OpenApiSchema {
  return rest;
}

function flattenOurs(schema: Schema, path = "", within: readonly string[] = []): Record<string, unknown> {
  const name = definitionName(schema);
  if (name !== undefined && (OPAQUE.test(name) || within.includes(name))) return { [path]: name };
  const inside = name === undefined ? within : [...within, name];
  return parts(schema as OpenApiSchema, path, (part, at) => flattenOurs(part as Schema, at, inside));
}

function parts(
  schema: OpenApiSchema,
  path: string,
  next: (part: OpenApiSchema, at: string) => Record<string, unknown>,
): Record<string, unknown> {
  const own = KEYWORDS.flatMap((keyword) => {
    // A list that says nothing is atomic.
    const isList = keyword === "x-kubernetes-list-type" && schema.type === "array";
    const value = schema[keyword] ?? (isList ? "atomic" : undefined);
    return value === undefined ? [] : [`${keyword}=${Array.isArray(value) ? [...value].sort() : value}`];
  });
  let flat: Record<string, unknown> = { [path]: own.join(" ") };
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    flat = { ...flat, ...next(property, `${path}.${name}`) };
  if (schema.items !== undefined) flat = { ...flat, ...next(schema.items, `${path}[]`) };
  if (schema.additionalProperties !== undefined) flat = { ...flat, ...next(schema.additionalProperties, `${path}{}`) };
  return flat;
}

/** Schemas of arbitrary values are bare in the real documents, and say so in ours. */
function known(flat: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(flat).filter(([path]) => !/openAPIV3Schema\./.test(path) && !/fieldsV1/.test(path));
  return Object.fromEntries(entries.map(([path, text]) => [path, path.endsWith("openAPIV3Schema") ? "" : text]));
}

kubernetesTest(
  "schemas of built-in kinds have the fields, types and merge rules of the real ones",
  async (server, t) => {
    for (const type of builtInTypes()) {
      await t.test(`${type.group || "core"} ${type.kind}`, async () => {
        const name = definitionName(type.schema);
        assert.ok(name !== undefined);
        const all = await definitionsOf(server, type);
        const real = all[name];
        assert.ok(real !== undefined, `${name} is no definition`);
        assert.deepEqual(known(flattenOurs(type.schema)), known(flatten(real, all)));
      });
    }
  },
);

kubernetesTest("a JSON schema in a definition has the fields of the real one", async (server) => {
  const type = builtInTypes().find(({ kind }) => kind === "CustomResourceDefinition");
  assert.ok(type !== undefined);
  const all = await definitionsOf(server, type);
  const name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
  const version = type.schema.properties?.spec?.properties?.versions?.items;
  const ours = version?.properties?.schema?.properties?.openAPIV3Schema;
  assert.deepEqual(Object.keys(ours?.properties ?? {}).sort(), Object.keys(all[name]?.properties ?? {}).sort());
});

kubernetesTest("discovery says of built-in kinds what the real server says", async (server) => {
  for (const type of builtInTypes()) {
    const { body } = await server.request("GET", `/${groupPath(type)}`);
    const { resources } = body as { resources: Record<string, unknown>[] };
    const real = resources.find(({ name }) => name === type.plural);
    assert.deepEqual(
      {
        kind: type.kind,
        namespaced: type.namespaced,
        singularName: type.singular,
        verbs: [...type.verbs].sort(),
        shortNames: type.shortNames,
        categories: type.categories,
      },
      {
        kind: real?.kind,
        namespaced: real?.namespaced,
        singularName: real?.singularName,
        verbs: real?.verbs,
        shortNames: real?.shortNames ?? [],
        categories: real?.categories ?? [],
      },
    );
    const below = resources.filter(({ name }) => String(name).startsWith(`${type.plural}/`));
    const ours = [...(type.hasStatus ? ["status"] : []), ...(type.subresources ?? []).map(({ name }) => name)];
    assert.deepEqual(ours.map((name) => `${type.plural}/${name}`).sort(), below.map(({ name }) => name).sort());
  }
});

const SAMPLES: readonly { path: string; kind: string; group: string; object: object }[] = [
  { path: "/api/v1/namespaces/default/secrets", kind: "Secret", group: "", object: { stringData: { a: "b" } } },
  {
    path: "/api/v1/namespaces/default/configmaps",
    kind: "ConfigMap",
    group: "",
    object: { data: { a: "b" }, binaryData: { c: "" } },
  },
  { path: "/api/v1/namespaces/default/serviceaccounts", kind: "ServiceAccount", group: "", object: {} },
  { path: "/api/v1/namespaces", kind: "Namespace", group: "", object: {} },
  {
    path: "/api/v1/namespaces/default/events",
    kind: "Event",
    group: "",
    object: {
      involvedObject: { kind: "Pod", name: "x", namespace: "default" },
      count: 3,
      message: " m ",
      firstTimestamp: "2020-01-01T00:00:00Z",
      source: { component: "c" },
    },
  },
  {
    path: "/apis/events.k8s.io/v1/namespaces/default/events",
    kind: "Event",
    group: "events.k8s.io",
    object: {
      metadata: { name: "newer" },
      eventTime: "2020-01-01T00:00:00.000001Z",
      reportingController: "c",
      reportingInstance: "i",
      action: "a",
      reason: "r",
      type: "Normal",
    },
  },
  {
    path: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    kind: "Lease",
    group: "coordination.k8s.io",
    object: { spec: { holderIdentity: "me" } },
  },
  {
    path: "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
    kind: "Role",
    group: "rbac.authorization.k8s.io",
    object: {},
  },
  {
    path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    kind: "ClusterRole",
    group: "rbac.authorization.k8s.io",
    object: {},
  },
  {
    path: "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
    kind: "RoleBinding",
    group: "rbac.authorization.k8s.io",
    object: {
      roleRef: { kind: "Role", name: "r" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "ServiceAccount", name: "s" },
      ],
    },
  },
  {
    path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    kind: "ClusterRoleBinding",
    group: "rbac.authorization.k8s.io",
    object: { roleRef: { kind: "ClusterRole", name: "r" }, subjects: [{ kind: "Group", name: "g" }] },
  },
  {
    path: "/api/v1/namespaces/default/persistentvolumeclaims",
    kind: "PersistentVolumeClaim",
    group: "",
    object: { spec: { accessModes: ["ReadWriteOnce"], volumeName: "v", resources: { requests: { storage: "1Gi" } } } },
  },
  {
    path: "/apis/storage.k8s.io/v1/storageclasses",
    kind: "StorageClass",
    group: "storage.k8s.io",
    object: { provisioner: "p" },
  },
  {
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    kind: "CustomResourceDefinition",
    group: "apiextensions.k8s.io",
    object: {
      metadata: { name: "foos.tables.example.com" },
      spec: {
        group: "tables.example.com",
        scope: "Namespaced",
        names: { plural: "foos", kind: "Foo" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
  },
];

interface Table {
  readonly columnDefinitions: readonly { name: string; type: string; format: string; priority: number }[];
  readonly rows: readonly { cells: readonly unknown[] }[];
}

kubernetesTest("tables have the columns and cells of the real server's", async (server) => {
  for (const { path, kind, group, object } of SAMPLES) {
    const created = await server.request("POST", path, { metadata: { name: "sample" }, ...object });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const stored = created.body as KubeObject;
    const answer = await fetchTable(server, `${path}/${stored.metadata.name}`);
    const type = builtInTypes().find((one) => one.kind === kind && one.group === group);
    assert.ok(type !== undefined);
    assert.deepEqual(
      type.columns.map(({ name, type: of, format = "", priority }) => ({ name, type: of, format, priority })),
      answer.columnDefinitions.map(({ name, type: of, format, priority }) => ({ name, type: of, format, priority })),
    );
    const cells = type.columns.map(({ value }) =>
      typeof value === "string" ? stored.metadata.name : value(stored, Date.now()),
    );
    const isAge = (cell: unknown) => typeof cell === "string" && /^\d+(s|[ydhm]\d*\w?)/.test(cell);
    const comparable = (list: readonly unknown[]) => list.map((cell) => (isAge(cell) ? "age" : cell));
    assert.deepEqual(comparable(cells), comparable(answer.rows[0]?.cells ?? []), kind);
  }
});

async function fetchTable(server: TestServer, path: string): Promise<Table> {
  const { ca, adminCertificate: cert, adminKey: key, url } = server;
  const dispatcher = new Agent({ connect: { ca, cert, key } });
  try {
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const { body } = await request(`${url}${path}`, { dispatcher, headers });
    return (await body.json()) as Table;
  } finally {
    await dispatcher.close();
  }
}
