// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "undici";
import {
  type Crd,
  collectionPath,
  createNamespace,
  installCrds,
  kubernetesTest,
  type TestServer,
} from "../../../test/kubernetes/harness.ts";
import { kinds } from "../../kinds.ts";
import { parseYaml } from "../../lib/yaml.ts";
import { isObject } from "../../schema/go-text.ts";
import { builtInTypes } from "../kinds/index.ts";
import { asObject } from "../rest/admit.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { customColumns, type PrinterColumn, tableOf } from "./index.ts";

const AS_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const EXAMPLES = join(import.meta.dirname, "../../../examples");

async function get(server: TestServer, path: string, accept: string): Promise<Record<string, unknown>> {
  const pool = new Pool(server.url, {
    connect: { ca: server.ca, cert: server.adminCertificate, key: server.adminKey },
  });
  try {
    const answer = await pool.request({ method: "GET", path, headers: { accept } });
    return Object(await answer.body.json());
  } finally {
    await pool.destroy();
  }
}

/** Compares the server's table of a list with ours of the same objects. Gives the number of rows. */
async function compareTables(server: TestServer, path: string, columns: ResourceType["columns"]): Promise<number> {
  const [some] = builtInTypes();
  assert.ok(some !== undefined);
  const { items } = await get(server, path, "application/json");
  const objects = (Array.isArray(items) ? items : []).map((item) => ({ object: asObject(Object(item)) }));
  const before = Date.now();
  const real = await get(server, path, AS_TABLE);
  const tables = [before, Date.now()].map((nowMs) => tableOf({ ...some, columns }, objects, { nowMs, metadata: {} }));
  const { columnDefinitions, rows } = real;
  const [own, later] = tables;
  assert.deepEqual(plainColumns(own?.columnDefinitions), plainColumns(columnDefinitions), `columns of ${path}`);
  const list: unknown[] = Array.isArray(rows) ? rows : [];
  assert.equal(list.length, objects.length, path);
  for (const [at, row] of list.entries()) {
    const { cells, object } = Object(row);
    // An age may grow by a second between the server's clock and ours.
    const isLater = JSON.stringify(cells) === JSON.stringify(later?.rows[at]?.cells);
    assert.deepEqual((isLater ? later : own)?.rows[at]?.cells, cells, `${path} ${Object(object).metadata?.name}`);
    assert.deepEqual(own?.rows[at]?.object, object, path);
  }
  return list.length;
}

/** Descriptions are our own words, and so differ. */
function plainColumns(definitions: unknown): unknown {
  const list: unknown[] = Array.isArray(definitions) ? definitions : [];
  return list.map((definition) => ({ ...Object(definition), description: "" }));
}

async function create(server: TestServer, path: string, object: unknown): Promise<KubeObject> {
  const { status, body } = await server.request("POST", path, object);
  assert.equal(status, 201, `${path}: ${JSON.stringify(body)}`);
  return asObject(Object(body));
}

kubernetesTest("the tables of our own kinds are the real server's", async (server) => {
  const crds = kinds.map((kind) => kind.crd());
  await installCrds(server, crds);
  let rowCount = 0;
  for (const file of globSync("*.yaml", { cwd: EXAMPLES })) {
    for (const { value } of parseYaml(readFileSync(join(EXAMPLES, file), "utf8"))) {
      if (!isObject(value)) continue;
      const { kind, metadata } = value;
      const crd = crds.find(({ spec }) => spec.names.kind === kind);
      const namespace = isObject(metadata) ? metadata.namespace : undefined;
      if (typeof namespace === "string") await createNamespace(server, namespace);
      if (crd === undefined) continue;
      const created = await create(server, collectionPath(crd, asObject(value)), value);
      const status = { phase: "Running", ipAddress: "10.40.0.10", ready: true };
      const path = `${collectionPath(crd, created)}/${created.metadata.name}/status`;
      await server.request("PATCH", path, { status }, { contentType: "application/merge-patch+json" });
    }
  }
  for (const { spec } of crds) {
    const [version] = spec.versions;
    const columns = customColumns(version?.additionalPrinterColumns);
    rowCount += await compareTables(server, `/apis/${spec.group}/${version?.name}/${spec.names.plural}`, columns);
  }
  assert.ok(rowCount >= 9, String(rowCount));
});

const GROUP = "tables.example.com";

const PATHS: readonly (readonly [type: string, path: string])[] = [
  ["string", ".spec['a','b']"],
  ["string", '.spec.list[?(@.type=="x")].v'],
  ["string", "..v"],
  ["string", ".spec.nothing"],
  ["string", ".spec.list[*].v"],
  ["string", ".spec.list[-1].v"],
  ["string", ".spec.list[1:].v"],
  ["string", ".spec.list[9].v"],
  ["string", ".spec.list"],
  ["string", ".spec.number"],
  ["integer", ".spec.number"],
  ["number", ".spec.number"],
  ["boolean", ".spec.a"],
  ["date", ".spec.time"],
  ["date", ".metadata.creationTimestamp"],
  ["string", ".spec.list[?(@.n>1)].v"],
  ["string", ".spec.list[?(@.n>=1.5)].v"],
  ["string", ".spec.list[?(@.v)].type"],
  ["string", ".spec.a.*"],
  ["string", ".metadata.annotations.a\\.b/c"],
  ["string", ".spec.names[0]"],
  ["integer", ".spec.a"],
  ["number", ".spec.a"],
  ["string", ".kind"],
];

const SPECS: readonly object[] = [
  {},
  { a: "<A&>", b: 3, number: 12345678.75, time: "2020-01-01T00:00:00Z", names: ["q", "r"] },
  { a: true, number: 7, time: "nope", list: [{ type: "x", v: 1, n: 1 }] },
  {
    a: 12,
    number: 1e21,
    time: "",
    list: [
      { type: "y", v: "two", n: 2 },
      { type: "x", v: { k: "<b>", l: [1, null] }, n: 1.5 },
    ],
  },
  { a: null, number: -0.00001, time: "2020-01-01T00:00:00+05:30", list: [] },
  {
    a: "",
    number: 0,
    list: [
      { type: 1, v: "x" },
      { type: "x", v: "y" },
    ],
  },
  { a: { b: "c" }, number: "text", time: 5, list: { not: "a list" }, names: [] },
  {
    a: ["x"],
    number: true,
    time: "3020-01-01T00:00:00Z",
    list: [
      { n: 2, v: false },
      { n: 0, v: 1.5 },
    ],
  },
];

function tableCrd(columns: readonly PrinterColumn[] | undefined, plural: string): Crd & object {
  const kind = plural.slice(0, 1).toUpperCase() + plural.slice(1, -1);
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          ...(columns === undefined ? {} : { additionalPrinterColumns: columns }),
        },
      ],
    },
  } as unknown as Crd & object;
}

kubernetesTest("columns of any path and type are the real server's", async (server) => {
  const columns = PATHS.map(([type, jsonPath], at) => ({ name: `c${at}`, type, jsonPath, priority: at % 2 }));
  const broken = [
    { name: "ok", type: "string", jsonPath: ".kind" },
    { name: "broken", type: "string", jsonPath: ".a[" },
  ];
  const definitions = [tableCrd(columns, "things"), tableCrd(undefined, "plains"), tableCrd(broken, "brokens")];
  await installCrds(server, definitions);
  let rowCount = 0;
  for (const [at, declared] of [columns, undefined, broken].entries()) {
    const definition = definitions[at];
    assert.ok(definition !== undefined);
    const { plural } = definition.spec.names;
    const path = `/apis/${GROUP}/v1/namespaces/default/${plural}`;
    for (const [index, spec] of SPECS.entries()) {
      const kind = plural.slice(0, 1).toUpperCase() + plural.slice(1, -1);
      const metadata = { name: `o${index}`, annotations: { "a.b/c": "dotted" } };
      await create(server, path, { apiVersion: `${GROUP}/v1`, kind, metadata, spec });
    }
    rowCount += await compareTables(server, path, customColumns(declared));
  }
  assert.ok(rowCount >= 24);
});

kubernetesTest("the tables of built-in kinds are the real server's", async (server) => {
  const core = "/api/v1/namespaces/default";
  await create(server, `${core}/configmaps`, { metadata: { name: "a" }, data: { x: "y" }, binaryData: { z: "AAAA" } });
  await create(server, `${core}/secrets`, { metadata: { name: "a" }, stringData: { x: "y" } });
  await create(server, `${core}/serviceaccounts`, { metadata: { name: "a" }, secrets: [{ name: "a" }] });
  await create(server, `${core}/events`, {
    metadata: { name: "a", namespace: "default" },
    involvedObject: { kind: "ConfigMap", name: "a", namespace: "default" },
    reason: "Because",
    message: "it happened",
    type: "Normal",
    firstTimestamp: "2020-01-01T00:00:00Z",
    lastTimestamp: "2020-01-02T00:00:00Z",
    count: 3,
  });
  await create(server, `${core}/persistentvolumeclaims`, {
    metadata: { name: "a" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await create(server, "/apis/coordination.k8s.io/v1/namespaces/default/leases", {
    metadata: { name: "a" },
    spec: { holderIdentity: "me", leaseDurationSeconds: 3 },
  });
  await create(server, "/apis/storage.k8s.io/v1/storageclasses", {
    metadata: { name: "a", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "example.com/x",
  });
  let rowCount = 0;
  for (const { group, version, plural, columns, isVirtual } of builtInTypes()) {
    if (isVirtual === true) continue;
    const path = group === "" ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`;
    rowCount += await compareTables(server, path, columns);
  }
  assert.ok(rowCount >= 25, String(rowCount));
});
