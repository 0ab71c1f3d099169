// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { textAt } from "../kinds/rules.ts";
import { StatusError } from "../status-error.ts";
import type { KubeObject } from "../types.ts";
import { EVENT_LIFE_MS } from "./event-expiry.ts";
import { world } from "./testing/world.ts";

const CRDS = "customresourcedefinitions.apiextensions.k8s.io";
const WIDGETS = {
  spec: {
    group: "lifecycle.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

function conditions(object: KubeObject | undefined): Record<string, string> {
  const list = Object(object?.status).conditions as Record<string, string>[];
  return Object.fromEntries(list.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]));
}

test("a namespace goes with all that is in it, custom resources too", async (t) => {
  const { create, remove, settled, names, get } = await world(t);
  await create("namespaces", "doomed");
  await create(CRDS, "widgets.lifecycle.example.com", { body: WIDGETS });
  await settled();
  await create("configmaps", "one", { namespace: "doomed" });
  await create("widgets.lifecycle.example.com", "two", { namespace: "doomed" });
  await create("widgets.lifecycle.example.com", "safe");
  await remove("namespaces", "doomed");
  await settled();
  assert.equal(get("namespaces", "doomed"), undefined);
  assert.deepEqual(names("configmaps", "doomed"), []);
  assert.deepEqual(names("serviceaccounts", "doomed"), []);
  assert.deepEqual(names("widgets.lifecycle.example.com"), ["safe"]);
});

test("a namespace tells what keeps it, and goes when that is gone", async (t) => {
  const { create, remove, settled, get, server } = await world(t);
  await create("namespaces", "doomed");
  await create("configmaps", "held", { namespace: "doomed", finalizers: ["example.com/hold"] });
  await remove("namespaces", "doomed");
  await settled();
  assert.equal(textAt(get("namespaces", "doomed"), "status", "phase"), "Terminating");
  assert.deepEqual(conditions(get("namespaces", "doomed")), {
    NamespaceDeletionDiscoveryFailure: "False ResourcesDiscovered: All resources successfully discovered",
    NamespaceDeletionGroupVersionParsingFailure: "False ParsedGroupVersions: All legacy kube types successfully parsed",
    NamespaceDeletionContentFailure:
      "False ContentDeleted: All content successfully deleted, may be waiting on finalization",
    NamespaceContentRemaining:
      "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
    NamespaceFinalizersRemaining:
      "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
  });
  const key = { namespace: "doomed", name: "held" };
  await server.objects.updateObject(server.type("configmaps"), key, (object) => ({
    ...object,
    metadata: { ...object.metadata, finalizers: [] },
  }));
  await settled();
  assert.equal(get("namespaces", "doomed"), undefined);
});

test("the server's own namespaces cannot be deleted", async (t) => {
  const { remove } = await world(t);
  for (const name of ["default", "kube-system", "kube-public"])
    await assert.rejects(remove("namespaces", name), (error) => {
      assert.ok(error instanceof StatusError);
      assert.equal(error.message, `namespaces "${name}" is forbidden: this namespace may not be deleted`);
      return error.status.code === 403;
    });
});

test("nothing new comes into a namespace on its way out", async (t) => {
  const { create, remove, settled } = await world(t);
  await create("namespaces", "doomed");
  await create("configmaps", "held", { namespace: "doomed", finalizers: ["example.com/hold"] });
  await remove("namespaces", "doomed");
  await settled();
  await assert.rejects(create("secrets", "late", { namespace: "doomed" }), /because it is being terminated/);
});

test("every namespace has a default account, also after it was deleted", async (t) => {
  const { create, remove, settled, names } = await world(t);
  await settled();
  assert.deepEqual(names("serviceaccounts"), ["default"]);
  await create("namespaces", "fresh");
  await settled();
  assert.deepEqual(names("serviceaccounts", "fresh"), ["default"]);
  await remove("serviceaccounts", "default");
  await settled();
  assert.deepEqual(names("serviceaccounts"), ["default"]);
});

test("a definition goes after its objects, and tells that it is on its way", async (t) => {
  const { create, remove, settled, get, server } = await world(t);
  await create(CRDS, "widgets.lifecycle.example.com", { body: WIDGETS });
  await settled();
  await create("widgets.lifecycle.example.com", "free");
  await create("widgets.lifecycle.example.com", "held", { finalizers: ["example.com/hold"] });
  await remove(CRDS, "widgets.lifecycle.example.com");
  await settled();
  const crd = get(CRDS, "widgets.lifecycle.example.com");
  assert.deepEqual(crd?.metadata.finalizers, ["customresourcecleanup.apiextensions.k8s.io"]);
  assert.equal(conditions(crd).Terminating, "True InstanceDeletionInProgress: CustomResource deletion is in progress");
  assert.equal(get("widgets.lifecycle.example.com", "free"), undefined);
  const key = { namespace: "default", name: "held" };
  await server.objects.updateObject(server.type("widgets.lifecycle.example.com"), key, (object) => ({
    ...object,
    metadata: { ...object.metadata, finalizers: [] },
  }));
  await settled();
  assert.equal(get(CRDS, "widgets.lifecycle.example.com"), undefined);
  assert.equal(server.registry.findKind("lifecycle.example.com", "Widget"), undefined);
});

test("a deleted claim goes, though it is protected", async (t) => {
  const { create, remove, settled, names } = await world(t);
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await create("persistentvolumeclaims", "claim", { body: { spec } });
  await remove("persistentvolumeclaims", "claim");
  await settled();
  assert.deepEqual(names("persistentvolumeclaims"), []);
});

test("events are forgotten an hour after they were last written", async (t) => {
  const { create, change, clock, settled, names } = await world(t);
  await create("events", "old");
  await create("events", "renewed");
  clock.advance(EVENT_LIFE_MS / 2);
  await change("events", "renewed", (event) => ({ ...event, count: 2 }));
  await settled();
  clock.advance(EVENT_LIFE_MS / 2);
  await settled();
  assert.deepEqual(names("events"), ["renewed"]);
  clock.advance(EVENT_LIFE_MS / 2);
  await settled();
  assert.deepEqual(names("events"), []);
});

test("events of a server that starts again go when their time has come", async (t) => {
  const { create, clock, start, settled, names } = await world(t, { isStarted: false });
  await create("events", "old");
  clock.advance(EVENT_LIFE_MS / 2);
  await create("events", "new");
  start();
  clock.advance(EVENT_LIFE_MS / 2);
  await settled();
  assert.deepEqual(names("events"), ["new"]);
});
