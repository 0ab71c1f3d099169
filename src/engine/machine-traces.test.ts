// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import { configMap } from "../kube/index.ts";
import { ANNOTATIONS, finalizerOf } from "./identity.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import { annotation, conditions, type LifeStage, raiseLifeStage } from "./testing/life-stage.ts";
import { plainCloud } from "./testing/plain-provider.ts";
import { raiseStage, type Stage } from "./testing/stage.ts";

const CONFIG = { namespace: "butler-system", name: "prod" };
const HELD = [finalizerOf("harvester")];

/** Takes a ProviderConfig away by force. */
async function dropConfig({ client, until, configNow }: Stage): Promise<void> {
  await client.delete(providerConfigDescriptor, CONFIG);
  await client.mergePatch(providerConfigDescriptor, CONFIG, { metadata: { finalizers: null } });
  await until("the ProviderConfig is gone", async () => (await configNow()) === undefined);
}

/** Takes everything away that Butler has written to the request but its status. */
async function strip({ client, read }: LifeStage, name: string): Promise<void> {
  const { apiVersion, kind, metadata, spec } = await read(name);
  const { namespace = "", resourceVersion = "", uid = "" } = metadata;
  await client.update(machineRequest, { apiVersion, kind, metadata: { name, namespace, resourceVersion, uid }, spec });
}

const elsewhere = { harvester: { namespace: "other" } };

for (const isBare of [false, true])
  test(`a request without finalizer${isBare ? " and annotations" : ""} and without ProviderConfig is held again, and its machine goes when it can`, async () => {
    const stage = await raiseLifeStage();
    await stage.grow("web-1");
    await dropConfig(stage);
    await stage.settle(10_000);
    if (isBare) await strip(stage, "web-1");
    else await stage.edit("web-1", { metadata: { finalizers: null } });
    await stage.when("web-1", "held", ({ metadata }) => metadata.finalizers?.includes(HELD[0] ?? "") === true);
    await stage.remove("web-1");
    await stage.settle(10 * 60_000);
    const waits = await stage.read("web-1");
    assert.equal(waits.status?.phase, "Deleting");
    assert.ok(conditions(waits).includes("Degraded=True ProviderConfigNotFound"), conditions(waits).join());
    assert.match(waits.status?.lastError?.message ?? "", /To give up machine "web-1".*abandon=\S+, and delete/);
    await stage.config();
    await stage.gone("web-1");
    assert.equal(stage.cloud.machines.size, 0);
    await stage.stop();
  });

test("only the provider that made a machine holds its request, whatever its ProviderConfig is for by now", async () => {
  const clouds = [plainCloud(), plainCloud({ name: "proxmox" })] as const;
  const stage = await raiseStage(clouds.map(({ entry }) => entry));
  const runs = clouds.map(({ provider }) => stage.run(provider.name));
  await stage.secret();
  await stage.config();
  await stage.request("web-1");
  await stage.until("made", () => clouds[0].machines.has("web-1"));
  await stage.until("told", async () => (await stage.requestNow("web-1"))?.status?.providerID !== undefined);
  for (const run of runs) await run.stop();
  await dropConfig(stage);
  await stage.config({ provider: "proxmox", harvester: undefined, proxmox: {} });
  const key = { namespace: "butler-system", name: "web-1" };
  await stage.client.mergePatch(machineRequest, key, { metadata: { finalizers: null } });
  for (const { provider } of clouds) stage.run(provider.name);
  await stage.settle(60_000);
  const held = await stage.requestNow("web-1");
  assert.deepEqual(held?.metadata.finalizers, HELD);
  assert.match(JSON.stringify(held?.status?.conditions), /is not for provider \\"harvester\\" any more/);
  await stage.client.delete(machineRequest, key);
  await stage.settle(60_000);
  assert.ok(await stage.requestNow("web-1"));
  await stage.client.delete(providerConfigDescriptor, CONFIG);
  assert.equal(await stage.configNow(), undefined, "what another provider has made does not need it");
  await stage.config();
  await stage.until("gone", async () => (await stage.requestNow("web-1")) === undefined);
  assert.deepEqual([clouds[0].machines.size, clouds[1].machines.size], [0, 0]);
  await stage.stop();
});

for (const what of ["without annotations", "without its launch", "with a damaged launch"] as const)
  test(`a request ${what} whose ProviderConfig leads elsewhere is neither lost nor let go of, and found again when it leads back`, async () => {
    const stage = await raiseLifeStage();
    await stage.grow("web-1");
    await stage.manager.stop();
    if (what === "without annotations") await strip(stage, "web-1");
    else await stage.annotate("web-1", { [ANNOTATIONS.launch]: what === "without its launch" ? null : "{}" });
    await stage.config(elsewhere);
    await stage.restart();
    await stage.settle(3 * 60_000);
    const told = await stage.read("web-1");
    assert.equal(told.status?.phase, "Unknown");
    assert.equal(told.status?.providerID, "id-1");
    assert.ok(conditions(told).includes("Degraded=True LaunchUnknown"), conditions(told).join());
    assert.match(
      told.status?.lastError?.message ?? "",
      /machine "web-1" \(id-1\).*not found where ProviderConfig "butler-system\/prod" leads/,
    );
    await stage.annotate("web-1", { [ANNOTATIONS.retry]: "now" });
    await stage.remove("web-1");
    await stage.settle(10 * 60_000);
    assert.equal((await stage.read("web-1")).status?.phase, "Deleting");
    assert.deepEqual([...stage.cloud.machines.keys()], ["web-1"]);
    await stage.config();
    await stage.gone("web-1");
    assert.equal(stage.cloud.machines.size, 0);
    await stage.stop();
  });

for (const isDeleted of [false, true])
  test(`a machine that is seen through another ProviderConfig is found there${isDeleted ? ", and deleted" : ""}`, async () => {
    const stage = await raiseLifeStage();
    const grown = await stage.grow("web-1");
    await stage.config({}, { name: "second" });
    await stage.manager.stop();
    await strip(stage, "web-1");
    if (isDeleted) await stage.edit("web-1", { metadata: { finalizers: [...HELD] } });
    await stage.config(elsewhere);
    if (isDeleted) await stage.remove("web-1");
    await stage.restart();
    if (isDeleted) {
      await stage.gone("web-1");
      assert.equal(stage.cloud.machines.size, 0);
      return await stage.stop();
    }
    await stage.settle(60_000);
    const found = await stage.read("web-1");
    assert.equal(annotation(found, "machineId"), annotation(grown, "machineId"));
    assert.equal(JSON.parse(annotation(found, "launch") ?? "").providerConfig, "butler-system/second");
    assert.equal(found.status?.phase, "Running");
    assert.deepEqual([...stage.cloud.machines.keys()], ["web-1"]);
    await stage.stop();
  });

test("a recorded machine is not let go of with annotations that were copied over its own", async () => {
  const stage = await raiseLifeStage();
  const other = await stage.grow("web-2");
  await stage.grow("web-1", "127.0.0.6");
  await stage.manager.stop();
  await stage.annotate("web-1", {
    [ANNOTATIONS.machineId]: annotation(other, "machineId") ?? null,
    [ANNOTATIONS.launch]: annotation(other, "launch") ?? null,
  });
  await stage.remove("web-1");
  await stage.restart();
  await stage.gone("web-1");
  assert.deepEqual([...stage.cloud.machines.keys()], ["web-2"]);
  await stage.stop();
});

test("a machine of which only its providerID is known is let go of by that", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await stage.manager.stop();
  await strip(stage, "web-1");
  await stage.config(elsewhere);
  await stage.restart();
  await stage.when("web-1", "told", (request) => conditions(request).includes("Degraded=True LaunchUnknown"));
  await stage.annotate("web-1", { [ANNOTATIONS.abandon]: "id-1" });
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.deepEqual([...stage.cloud.machines.keys()], ["web-1"]);
  assert.ok((await stage.events()).some((each) => /^VMReleased: .*"web-1" \(id-1\) was let go of/.test(each)));
  await stage.stop();
});

for (const how of ["stripped of", "overwritten in"])
  test(`a create call that is under way leaves nothing behind when its request is ${how} its annotations and deleted`, async () => {
    const stage = await raiseLifeStage();
    stage.cloud.inject({ on: "create", times: 1, lateMs: 40_000 });
    await stage.request("web-1");
    await stage.until("sent", () => stage.cloud.calls.includes("create web-1"));
    await stage.manager.stop();
    const copied = { time: "2026-01-01T00:00:00Z", hash: "x", place: "harvester default" };
    const another = JSON.stringify({ ...copied, providerConfig: "butler-system/prod", owner: "butler-system/other" });
    const isStripped = how === "stripped of";
    await stage.annotate("web-1", {
      [ANNOTATIONS.machineId]: isStripped ? null : "11111111-2222-3333-4444-555555555555",
      [ANNOTATIONS.launch]: isStripped ? null : another,
      [ANNOTATIONS.attempt]: null,
    });
    await stage.remove("web-1");
    await stage.restart();
    await stage.gone("web-1");
    await stage.settle(60_000);
    assert.deepEqual([...stage.cloud.machines.keys()], []);
    await stage.stop();
  });

test("a request that is held and tells of no machine says how to let it go where nothing can be asked", async () => {
  const stage = await raiseLifeStage();
  await stage.request("web-1");
  await stage.phase("web-1", "Creating");
  await stage.manager.stop();
  const { apiVersion, kind, metadata, spec } = await stage.read("web-1");
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = metadata;
  const bare = { name, namespace, uid, resourceVersion, finalizers: HELD };
  await stage.client.update(machineRequest, { apiVersion, kind, metadata: bare, spec });
  const stripped = await stage.read("web-1");
  const status = { phase: "Creating" } as const;
  await stage.client.update(machineRequest, { ...stripped, status }, { subresource: "status" });
  await dropConfig(stage);
  await stage.remove("web-1");
  await stage.restart();
  const stuck = await stage.when("web-1", "told", (request) =>
    conditions(request).includes("Degraded=True ProviderConfigNotFound"),
  );
  assert.ok(
    stuck.status?.lastError?.message?.includes(`${ANNOTATIONS.abandon}=${uid}`),
    stuck.status?.lastError?.message,
  );
  await stage.annotate("web-1", { [ANNOTATIONS.abandon]: uid });
  await stage.gone("web-1");
  await stage.stop();
});

test("what was refused and left nothing is free to go elsewhere, also when that is put right while no manager runs", async () => {
  const stage = await raiseLifeStage();
  await stage.config({ harvester: { namespace: "wrong" } });
  await stage.settle(3_000);
  const message = "namespace wrong does not exist";
  const heal = stage.cloud.inject({ on: "create", error: { kind: "invalid", reason: "NamespaceNotFound", message } });
  await stage.request("web-1");
  await stage.phase("web-1", "Failed");
  await stage.manager.stop();
  heal();
  await stage.config();
  await stage.restart();
  await stage.phase("web-1", "Creating");
  assert.deepEqual([...stage.cloud.machines.keys()], ["web-1"]);
  await stage.stop();
});

test("where the installation's id is gone and no launch tells it, nothing is made under a new one", async () => {
  const stage = await raiseLifeStage();
  const key = { namespace: "butler-system", name: "butler-installation" };
  const grown = await stage.grow("web-1");
  const { data } = await stage.client.get(configMap, key);
  const { installation: _lost, ...launch } = JSON.parse(annotation(grown, "launch") ?? "");
  await stage.manager.stop();
  await stage.annotate("web-1", { [ANNOTATIONS.launch]: JSON.stringify(launch) });
  await stage.client.delete(configMap, key);
  await stage.request("web-2");
  await stage.restart();
  const told = await stage.when("web-2", "told", (request) =>
    conditions(request).includes("Degraded=True InstallationUnknown"),
  );
  assert.match(told.status?.lastError?.message ?? "", /"butler-system\/web-1"/);
  await stage.settle(5 * 60_000);
  assert.deepEqual([...stage.cloud.machines.keys()], ["web-1"]);
  await stage.client.create(configMap, { metadata: key, data: { ...data } });
  await stage.phase("web-2", "Creating");
  await stage.phase("web-1", "Running");
  await stage.stop();
});
