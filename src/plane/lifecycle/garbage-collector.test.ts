// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { owner, world } from "./testing/world.ts";

const GONE = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "00000000-0000-4000-8000-00000000dead" };
const BLOCKING = { blockOwnerDeletion: true };

test("dependents go with their owner, and theirs with them", async (t) => {
  const { create, remove, settled, names } = await world(t);
  const top = await create("configmaps", "top");
  const middle = await create("configmaps", "middle", { owners: [owner(top)] });
  await create("secrets", "bottom", { owners: [owner(middle)] });
  await create("configmaps", "other");
  await remove("configmaps", "top");
  await settled();
  assert.deepEqual(names("configmaps"), ["other"]);
  assert.deepEqual(names("secrets"), []);
});

test("a foreground deletion keeps the owner until dependents that block it are gone", async (t) => {
  const { create, remove, settled, names, get, change } = await world(t);
  const top = await create("configmaps", "top");
  await create("configmaps", "held", { owners: [owner(top, BLOCKING)], finalizers: ["example.com/hold"] });
  await create("configmaps", "free", { owners: [owner(top, BLOCKING)] });
  await remove("configmaps", "top", { propagationPolicy: "Foreground" });
  await settled();
  assert.deepEqual(names("configmaps"), ["held", "top"]);
  assert.deepEqual(get("configmaps", "top")?.metadata.finalizers, ["foregroundDeletion"]);
  assert.notEqual(get("configmaps", "held")?.metadata.deletionTimestamp, undefined);
  await change("configmaps", "held", (object) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } }));
  await settled();
  assert.deepEqual(names("configmaps"), []);
});

test("a foreground deletion does not wait for dependents that do not block it", async (t) => {
  const { create, remove, settled, names } = await world(t);
  const top = await create("configmaps", "top");
  await create("configmaps", "held", { owners: [owner(top)], finalizers: ["example.com/hold"] });
  await remove("configmaps", "top", { propagationPolicy: "Foreground" });
  await settled();
  assert.deepEqual(names("configmaps"), ["held"]);
});

test("a foreground deletion goes on when a dependent stops blocking", async (t) => {
  const { create, remove, settled, names, change } = await world(t);
  const top = await create("configmaps", "top");
  await create("configmaps", "held", { owners: [owner(top, BLOCKING)], finalizers: ["example.com/hold"] });
  await remove("configmaps", "top", { propagationPolicy: "Foreground" });
  await settled();
  await change("configmaps", "held", (object) => ({
    ...object,
    metadata: { ...object.metadata, ownerReferences: [owner(top)] },
  }));
  await settled();
  assert.deepEqual(names("configmaps"), ["held"]);
});

test("a foreground deletion reaches dependents of dependents first", async (t) => {
  const { create, remove, settled, names, get, server } = await world(t);
  const top = await create("configmaps", "top");
  const middle = await create("configmaps", "middle", { owners: [owner(top, BLOCKING)] });
  await create("configmaps", "bottom", { owners: [owner(middle, BLOCKING)], finalizers: ["example.com/hold"] });
  await remove("configmaps", "top", { propagationPolicy: "Foreground" });
  await settled();
  assert.deepEqual(names("configmaps"), ["bottom", "middle", "top"]);
  assert.deepEqual(get("configmaps", "middle")?.metadata.finalizers, ["foregroundDeletion"]);
  const before = server.store.revision;
  await server.objects.updateObject(server.type("configmaps"), { namespace: "default", name: "bottom" }, (object) => ({
    ...object,
    metadata: { ...object.metadata, finalizers: [] },
  }));
  await settled();
  const deleted = server.store.changesAfter(before, 100)?.filter(({ type }) => type === "DELETED");
  assert.deepEqual(
    deleted?.map(({ entry }) => entry.object.metadata.name),
    ["bottom", "middle", "top"],
  );
});

test("objects that own each other go, foreground or not", async (t) => {
  for (const propagationPolicy of ["Foreground", "Background"] as const) {
    const { create, change, remove, settled, names } = await world(t);
    const one = await create("configmaps", "one");
    const two = await create("configmaps", "two", { owners: [owner(one, BLOCKING)] });
    await change("configmaps", "one", (object) => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [owner(two, BLOCKING)] },
    }));
    await remove("configmaps", "one", { propagationPolicy });
    await settled();
    assert.deepEqual(names("configmaps"), [], propagationPolicy);
  }
});

test("orphans stay, without the reference to their owner", async (t) => {
  const { create, remove, settled, names, get } = await world(t);
  const top = await create("configmaps", "top");
  const other = await create("configmaps", "other");
  await create("configmaps", "one", { owners: [owner(top)] });
  await create("configmaps", "two", { owners: [owner(top), owner(other)] });
  await remove("configmaps", "top", { propagationPolicy: "Orphan" });
  await settled();
  assert.deepEqual(names("configmaps"), ["one", "other", "two"]);
  assert.equal(get("configmaps", "one")?.metadata.ownerReferences, undefined);
  assert.deepEqual(get("configmaps", "two")?.metadata.ownerReferences, [owner(other)]);
});

test("an object with several owners stays until the last is gone, and forgets those that are", async (t) => {
  const { create, remove, settled, names, get } = await world(t);
  const one = await create("configmaps", "one");
  const two = await create("configmaps", "two");
  await create("secrets", "shared", { owners: [owner(one), owner(two)] });
  await remove("configmaps", "one");
  await settled();
  assert.deepEqual(get("secrets", "shared")?.metadata.ownerReferences, [owner(two)]);
  await remove("configmaps", "two");
  await settled();
  assert.deepEqual(names("secrets"), []);
});

test("an object whose owner was never there goes at once", async (t) => {
  const { create, settled, names } = await world(t);
  await create("secrets", "lost", { owners: [GONE] });
  await settled();
  assert.deepEqual(names("secrets"), []);
});

test("an owner of the same name but another identity is no owner", async (t) => {
  const { create, settled, names } = await world(t);
  await create("configmaps", "gone");
  await create("secrets", "lost", { owners: [GONE] });
  await settled();
  assert.deepEqual(names("secrets"), []);
});

test("an owner in another namespace is no owner", async (t) => {
  const { create, settled, names } = await world(t);
  await create("namespaces", "elsewhere");
  const there = await create("configmaps", "there", { namespace: "elsewhere" });
  await create("secrets", "here", { owners: [owner(there)] });
  await settled();
  assert.deepEqual(names("secrets"), []);
  assert.deepEqual(names("configmaps", "elsewhere"), ["there"]);
});

test("an owner outside of namespaces is one for objects in any", async (t) => {
  const { create, remove, settled, names } = await world(t);
  const role = await create("clusterroles.rbac.authorization.k8s.io", "role");
  await create("secrets", "here", { owners: [owner(role)] });
  await settled();
  assert.deepEqual(names("secrets"), ["here"]);
  await remove("clusterroles.rbac.authorization.k8s.io", "role");
  await settled();
  assert.deepEqual(names("secrets"), []);
});

test("an object outside of namespaces with an owner inside stays, and an event says so", async (t) => {
  const { create, remove, settled, names, server } = await world(t);
  const inside = await create("configmaps", "inside");
  await create("clusterroles.rbac.authorization.k8s.io", "outside", { owners: [owner(inside)] });
  await settled();
  const [event] = server.store.list("/events/default/");
  assert.equal(event?.object.reason, "OwnerRefInvalidNamespace");
  await remove("configmaps", "inside");
  await settled();
  assert.ok(names("clusterroles.rbac.authorization.k8s.io").includes("outside"));
});

test("an object whose owner's kind is not served waits until it is", async (t) => {
  const { create, settled, names } = await world(t);
  const reference = { ...GONE, apiVersion: "lifecycle.example.com/v1", kind: "Widget" };
  await create("secrets", "patient", { owners: [reference] });
  await settled();
  assert.deepEqual(names("secrets"), ["patient"]);
  await create("customresourcedefinitions.apiextensions.k8s.io", "widgets.lifecycle.example.com", {
    body: {
      spec: {
        group: "lifecycle.example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
  });
  await settled();
  assert.deepEqual(names("secrets"), []);
});

test("events belong to nobody", async (t) => {
  const { create, settled, names } = await world(t);
  await create("events", "free", { owners: [GONE] });
  await settled();
  assert.deepEqual(names("events"), ["free"]);
});

test("what happened while nobody looked is caught up with", async (t) => {
  const { create, remove, start, settled, names } = await world(t, { isStarted: false });
  const top = await create("configmaps", "top");
  const waiting = await create("configmaps", "waiting");
  await create("configmaps", "lost", { owners: [owner(top)] });
  await create("configmaps", "blocking", { owners: [owner(waiting, BLOCKING)], finalizers: ["example.com/hold"] });
  await remove("configmaps", "top");
  await remove("configmaps", "waiting", { propagationPolicy: "Foreground" });
  start();
  await settled();
  assert.deepEqual(names("configmaps"), ["blocking", "waiting"]);
});

test("thousands of dependents go before an owner that waits for them", async (t) => {
  const { create, remove, settled, names, faults } = await world(t);
  const top = await create("configmaps", "top");
  const owners = [owner(top, BLOCKING)];
  await Promise.all(Array.from({ length: 2000 }, (_, at) => create("secrets", `s-${at}`, { owners })));
  await remove("configmaps", "top", { propagationPolicy: "Foreground" });
  await settled();
  assert.deepEqual([names("secrets"), names("configmaps")], [[], []]);
  assert.deepEqual(faults, []);
});
