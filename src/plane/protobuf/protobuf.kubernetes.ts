// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { Pool } from "undici";
import { kubernetesTest, type TestServer } from "../../../test/kubernetes/harness.ts";
import { builtInTypes } from "../kinds/index.ts";
import type { ResourceType } from "../types.ts";
import { PROTOBUF, readProtobuf } from "./index.ts";

const CORE = "/api/v1/namespaces/default";

/** Objects with as many kinds of fields as there are. */
const OBJECTS: readonly (readonly [path: string, object: object])[] = [
  [`${CORE}/configmaps`, { data: { a: "b", c: "" }, binaryData: { z: "AAEC" }, immutable: false }],
  [`${CORE}/secrets`, { data: { a: "AAEC" }, type: "example.com/x" }],
  [`${CORE}/serviceaccounts`, { secrets: [{ name: "x" }], automountServiceAccountToken: false }],
  [
    `${CORE}/events`,
    {
      involvedObject: { kind: "ConfigMap", name: "a", namespace: "default" },
      firstTimestamp: "2020-01-01T00:00:00Z",
      eventTime: "2020-01-01T00:00:00.123456Z",
      reportingComponent: "example.com/x",
      reportingInstance: "x",
      action: "Act",
      reason: "Because",
      type: "Normal",
      series: { count: 2, lastObservedTime: "2020-01-02T00:00:00.000001Z" },
    },
  ],
  [
    `${CORE}/persistentvolumeclaims`,
    {
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1536Mi" } },
        selector: { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] },
        volumeMode: "Block",
      },
    },
  ],
  ["/api/v1/namespaces", { metadata: { name: "proto", labels: { a: "b" }, annotations: { "c/d": "e" } } }],
  [
    "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    { spec: { holderIdentity: "me", leaseDurationSeconds: 3, renewTime: "2020-01-02T00:00:00.000001Z" } },
  ],
  [
    "/apis/storage.k8s.io/v1/storageclasses",
    { provisioner: "example.com/x", parameters: { a: "b" }, mountOptions: ["x"], allowVolumeExpansion: true },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" },
      subjects: [{ kind: "ServiceAccount", name: "x", namespace: "y" }],
    },
  ],
];

async function get(server: TestServer, path: string, accept: string): Promise<Buffer> {
  const pool = new Pool(server.url, {
    connect: { ca: server.ca, cert: server.adminCertificate, key: server.adminKey },
  });
  try {
    const answer = await pool.request({ method: "GET", path, headers: { accept } });
    assert.equal(answer.statusCode, 200, path);
    return Buffer.from(await answer.body.arrayBuffer());
  } finally {
    await pool.destroy();
  }
}

/** One version of an object in both forms: the server's own Leases and such may change between two reads. */
async function getBoth(server: TestServer, path: string, type: ResourceType) {
  const versionOf = (object: object): unknown => Object(object).metadata.resourceVersion;
  for (let tries = 1; ; tries += 1) {
    const asJson = JSON.parse((await get(server, path, "application/json")).toString());
    const asProtobuf = readProtobuf(await get(server, path, PROTOBUF), type);
    if (versionOf(asProtobuf) === versionOf(asJson) || tries === 10) return { asProtobuf, asJson };
  }
}

kubernetesTest("what a real server writes as protobuf is read as what it writes as JSON", async (server) => {
  for (const [path, object] of OBJECTS) {
    const metadata = { name: "proto", finalizers: ["example.com/f"], ...Object(object).metadata };
    const { status, body } = await server.request("POST", path, { ...object, metadata });
    assert.equal(status, 201, JSON.stringify(body));
  }
  let count = 0;
  for (const type of builtInTypes()) {
    const { group, version, plural, isVirtual } = type;
    if (isVirtual === true || group === "apiextensions.k8s.io") continue;
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const { items } = JSON.parse((await get(server, `${root}/${plural}`, "application/json")).toString());
    for (const { metadata } of items.slice(0, 40)) {
      const space = metadata.namespace === undefined ? "" : `namespaces/${metadata.namespace}/`;
      const path = `${root}/${space}${plural}/${metadata.name}`;
      const { asProtobuf, asJson } = await getBoth(server, path, type);
      assert.deepEqual(type.resource.decode(asProtobuf).object, type.resource.decode(asJson).object, path);
      count += 1;
    }
  }
  assert.ok(count >= 60, String(count));
});
