// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import { ApiError, type Client, configMap, namespace as namespaceKind } from "../kube/index.ts";
import { ANNOTATIONS } from "./identity.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import { annotation, conditions, raiseLifeStage } from "./testing/life-stage.ts";

const RELEASED = { namespace: "butler-system", name: "butler-released" };

/** The same client, but for ConfigMaps of machines let go of, which it refuses to make as long as this holds. */
function refusing(client: Client, isRefused: () => boolean): Client {
  const create: Client["create"] = async (kind, draft, options) => {
    if (isRefused() && draft.metadata.name?.startsWith("butler-released"))
      throw new ApiError({ status: 403, reason: "Forbidden", message: "the policy says no" });
    return await client.create(kind, draft, options);
  };
  return { ...client, create, withGate: (gate) => refusing(client.withGate(gate), isRefused) };
}

/** The same client, but for finalizers of MachineRequests, which stay on as long as this holds. */
function withStuckFinalizers(client: Client, isStuck: () => boolean): Client {
  const jsonPatch: Client["jsonPatch"] = async (kind, key, patch, options) => {
    if (isStuck() && kind.kind === "MachineRequest")
      throw new ApiError({ status: 403, reason: "Forbidden", message: "the policy says no" });
    return await client.jsonPatch(kind, key, patch, options);
  };
  return { ...client, jsonPatch, withGate: (gate) => withStuckFinalizers(client.withGate(gate), isStuck) };
}

test("Retain in a namespace that is being deleted lets go of the machine, and the namespace goes", async () => {
  const stage = await raiseLifeStage();
  await stage.client.create(namespaceKind, { metadata: { name: "apps" } });
  await stage.secret(undefined, { name: "credentials", namespace: "apps" });
  await stage.config({}, { name: "own", namespace: "apps" });
  await stage.request("web-1", { providerRef: { name: "own" }, deletionPolicy: "Retain" }, { namespace: "apps" });
  await stage.until("made", () => stage.cloud.machines.has("web-1"));
  stage.cloud.boot("web-1", "127.0.0.5");
  await stage.settle(20_000);
  const machineId = annotation(
    (await stage.requestNow("web-1", "apps")) ?? assert.fail("the request is gone"),
    "machineId",
  );
  await stage.client.delete(namespaceKind, { name: "apps" });
  await stage.until("gone", async () => (await stage.requestNow("web-1", "apps")) === undefined);
  assert.equal(stage.cloud.machines.get("web-1")?.state, "running");
  const { data = {} } = await stage.client.get(configMap, RELEASED);
  assert.deepEqual(Object.keys(data), [machineId]);
  await stage.stop();
});

test("a machine that cannot be let go of says why, is tried again, and goes once that is mended", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await stage.manager.stop();
  let isRefused = true;
  stage.manager = stage.run(stage.cloud.provider.name, { client: refusing(stage.client, () => isRefused) });
  await stage.edit("web-1", { spec: { deletionPolicy: "Retain" } });
  await stage.remove("web-1");
  const stuck = await stage.when("web-1", "told", (request) =>
    conditions(request).includes("Degraded=True ReleaseFailed"),
  );
  assert.equal(stuck.status?.phase, "Deleting");
  assert.match(stuck.status?.lastError?.message ?? "", /the policy says no/);
  const ready = stuck.status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";
  assert.match(ready, /"web-1" stays; the MachineRequest is let go of/);
  stage.machineWrites();
  await stage.settle(10 * 60_000);
  assert.ok(stage.machineWrites().length <= 12, "tries that fail are far apart");
  isRefused = false;
  await stage.gone("web-1");
  assert.equal(stage.cloud.machines.size, 1);
  await stage.stop();
});

test("a request whose finalizer cannot be taken off says why, and goes once that is mended", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await stage.manager.stop();
  let isRefused = true;
  stage.manager = stage.run(stage.cloud.provider.name, { client: withStuckFinalizers(stage.client, () => isRefused) });
  await stage.remove("web-1");
  const stuck = await stage.when("web-1", "told", (request) =>
    conditions(request).includes("Degraded=True ReleaseFailed"),
  );
  assert.equal(stuck.status?.phase, "Deleting");
  const ready = stuck.status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";
  assert.match(ready, /"web-1" is gone; the MachineRequest is let go of/);
  isRefused = false;
  await stage.gone("web-1");
  assert.equal(stage.cloud.machines.size, 0);
  await stage.stop();
});

test("a running machine whose labels cannot be changed for now stays Ready, and says what holds it back", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await stage.client.delete(providerConfigDescriptor, { namespace: "butler-system", name: "prod" });
  await stage.settle(5_000);
  await stage.edit("web-1", { spec: { labels: { tier: "web" } } });
  const held = await stage.when("web-1", "told", (request) =>
    conditions(request).includes("Degraded=True ProviderConfigDeleting"),
  );
  assert.equal(held.status?.phase, "Running");
  assert.ok(conditions(held).includes("Ready=True VMRunning"), conditions(held).join());
  await stage.stop();
});

test("a request that never had a machine is not said to have lost one when it is deleted", async () => {
  const stage = await raiseLifeStage();
  await stage.request("one", { machineName: "vm" });
  await stage.phase("one", "Creating");
  await stage.request("two", { machineName: "vm" });
  await stage.when("two", "conflict", ({ status }) => status?.phase === "Failed");
  await stage.remove("two");
  await stage.gone("two");
  assert.deepEqual(
    (await stage.events()).filter((event) => event.startsWith("VMDeleted")),
    [],
  );
  assert.equal(stage.cloud.machines.size, 1);
  await stage.remove("one");
  await stage.gone("one");
  assert.match((await stage.events()).at(-1) ?? "", /^VMDeleted: Virtual machine "vm"/);
  await stage.stop();
});

test("once a renamed machine is launched anew the status speaks of the new one", async () => {
  const stage = await raiseLifeStage();
  await stage.request("web-1", { machineName: "old" });
  await stage.phase("web-1", "Creating");
  stage.cloud.change("old", { state: "failed", detail: "CrashLoopBackOff" });
  await stage.phase("web-1", "Failed");
  await stage.edit("web-1", { spec: { machineName: "new" } });
  const made = await stage.when("web-1", "made anew", ({ status }) => status?.phase === "Creating");
  for (const { type, message } of made.status?.conditions ?? []) assert.doesNotMatch(message ?? "", /"old"/, type);
  await stage.stop();
});

test("a running machine is looked after when its namespace may not use the ProviderConfig any more", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await stage.config({ scope: { type: "team", teamRef: { name: "x" } } });
  await stage.settle(7 * 60_000);
  assert.equal((await stage.read("web-1")).status?.phase, "Running");
  assert.notDeepEqual((await stage.configNow())?.metadata.finalizers ?? [], [], "its ProviderConfig is kept");
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.equal(stage.cloud.machines.size, 0);
  await stage.stop();
});

test("abandon with the id of another request's machine lets go of nothing that is not the request's own", async () => {
  const stage = await raiseLifeStage();
  const victim = await stage.grow("web-1");
  const machineId = annotation(victim, "machineId") ?? "";
  const launch = { time: "2026-01-01T00:00:00Z", hash: "", place: "", providerConfig: "butler-system/prod" };
  await stage.client.create(machineRequest, {
    metadata: {
      namespace: "butler-system",
      name: "thief",
      finalizers: victim.metadata.finalizers ?? [],
      annotations: {
        [ANNOTATIONS.paused]: "true",
        [ANNOTATIONS.machineId]: machineId,
        [ANNOTATIONS.abandon]: machineId,
        [ANNOTATIONS.launch]: JSON.stringify({ ...launch, owner: "butler-system/thief", name: "web-1" }),
      },
    },
    spec: { ...victim.spec, machineName: "thief" },
  });
  await stage.remove("thief");
  await stage.annotate("thief", { [ANNOTATIONS.paused]: null });
  await stage.gone("thief");
  const released = await stage.client.list(configMap, { namespace: "butler-system" });
  assert.ok(!released.items.some(({ data = {} }) => machineId in data));
  assert.equal((await stage.read("web-1")).status?.phase, "Running");
  await stage.stop();
});
