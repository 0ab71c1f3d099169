// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import { configMap, namespace as namespaceKind } from "../kube/index.ts";
import { ANNOTATIONS } from "./identity.ts";
import { annotation, conditions, type LifeStage, raiseLifeStage } from "./testing/life-stage.ts";

const RELEASED = { namespace: "butler-system", name: "butler-released" };

/** A machine "web-1" that was let go of; resolves to its id. */
async function letGo(stage: LifeStage): Promise<string> {
  const grown = await stage.grow("web-1");
  await stage.edit("web-1", { spec: { deletionPolicy: "Retain" } });
  await stage.remove("web-1");
  await stage.gone("web-1");
  return annotation(grown, "machineId") ?? assert.fail("it has no id");
}

/** Takes all of a request's annotations and its finalizer off, and points its ProviderConfig elsewhere. */
async function loseTrace(stage: LifeStage): Promise<void> {
  await stage.manager.stop();
  const { apiVersion, kind, metadata, spec } = await stage.read("web-1");
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = metadata;
  await stage.client.update(machineRequest, {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec,
  });
  await stage.config({ harvester: { namespace: "other" } });
  await stage.restart();
  const told = await stage.when("web-1", "told", (request) =>
    conditions(request).includes("Degraded=True LaunchUnknown"),
  );
  assert.match(told.status?.lastError?.message ?? "", /abandon=id-1, and delete/);
}

for (const deletionPolicy of ["Delete", "Retain"])
  for (const isRestarted of [false, true])
    test(`a request with the name of a machine that was let go of says so, and goes when it is deleted (${deletionPolicy}${isRestarted ? ", restarted" : ""})`, async () => {
      const stage = await raiseLifeStage();
      const machineId = await letGo(stage);
      await stage.request("web-1", { deletionPolicy });
      await stage.phase("web-1", "Failed");
      if (isRestarted) await stage.restart();
      const retried = isRestarted ? { [ANNOTATIONS.retry]: "now" } : {};
      await stage.annotate("web-1", retried);
      await stage.settle(10_000);
      const { status } = await stage.read("web-1");
      assert.equal(status?.failureReason, "NameConflict");
      assert.match(status?.failureMessage ?? "", /was let go of/);
      assert.ok(status?.failureMessage?.includes(machineId), status?.failureMessage);
      await stage.remove("web-1");
      await stage.gone("web-1");
      assert.equal(stage.cloud.machines.get("web-1")?.mark.machineId, machineId);
      await stage.stop();
    });

test("a machine that was let go of is taken back as the message of its successor says", async () => {
  const stage = await raiseLifeStage();
  const machineId = await letGo(stage);
  await stage.request("web-1");
  await stage.phase("web-1", "Failed");
  await stage.client.mergePatch(configMap, RELEASED, { data: { [machineId]: null } });
  await stage.settle(11_000);
  await stage.annotate("web-1", { [ANNOTATIONS.retry]: "now" });
  const back = await stage.phase("web-1", "Running");
  assert.equal(annotation(back, "machineId"), machineId);
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.equal(stage.cloud.machines.size, 0);
  await stage.stop();
});

test("abandon with the providerID, as the status has said, holds also when the machine is found again", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await loseTrace(stage);
  await stage.annotate("web-1", { [ANNOTATIONS.abandon]: "id-1" });
  await stage.config();
  await stage.phase("web-1", "Running");
  await stage.settle(60_000);
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.deepEqual([...stage.cloud.machines.keys()], ["web-1"]);
  await stage.stop();
});

test("abandon with a wrong id deletes nothing and says so, until it is put right or taken off", async () => {
  for (const isKept of [true, false]) {
    const stage = await raiseLifeStage();
    const machineId = annotation(await stage.grow("web-1"), "machineId") ?? "";
    await stage.annotate("web-1", { [ANNOTATIONS.abandon]: `${machineId.slice(0, -1)}x` });
    await stage.remove("web-1");
    const told = await stage.when("web-1", "told", (request) =>
      conditions(request).includes("Degraded=True AbandonUnclear"),
    );
    assert.equal(told.status?.phase, "Deleting");
    assert.ok(told.status?.lastError?.message?.includes(`${ANNOTATIONS.abandon}=${machineId} --overwrite`));
    await stage.settle(10 * 60_000);
    assert.equal(stage.cloud.machines.get("web-1")?.state, "running");
    assert.ok((await stage.events()).some((event) => event.startsWith("VMDeletionFailed: the annotation")));
    await stage.annotate("web-1", { [ANNOTATIONS.abandon]: isKept ? machineId : null });
    await stage.gone("web-1");
    assert.equal(stage.cloud.machines.size, isKept ? 1 : 0);
    await stage.stop();
  }
});

for (const isNamespaceGone of [false, true])
  test(`a machine kept by a team does not stop others at the same place${isNamespaceGone ? ", also when the team's namespace is gone" : ""}`, async () => {
    const stage = await raiseLifeStage();
    await stage.client.create(namespaceKind, { metadata: { name: "apps" } });
    await stage.secret(undefined, { name: "credentials", namespace: "apps" });
    await stage.config({}, { name: "own", namespace: "apps" });
    await stage.request("kept", { providerRef: { name: "own" }, deletionPolicy: "Retain" }, { namespace: "apps" });
    await stage.until("made", () => stage.cloud.machines.has("kept"));
    await stage.settle(20_000);
    await stage.client.delete(machineRequest, { namespace: "apps", name: "kept" });
    await stage.until("gone", async () => (await stage.requestNow("kept", "apps")) === undefined);
    if (isNamespaceGone) await stage.client.delete(namespaceKind, { name: "apps" });
    await stage.settle(30_000);
    await stage.request("web-1");
    await stage.phase("web-1", "Creating");
    assert.deepEqual([...stage.cloud.machines.keys()], ["kept", "web-1"]);
    await stage.stop();
  });

test("a machine that was let go of by its providerID alone stops nobody, and is not taken on again", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await loseTrace(stage);
  await stage.annotate("web-1", { [ANNOTATIONS.abandon]: "id-1" });
  await stage.remove("web-1");
  await stage.gone("web-1");
  await stage.config();
  await stage.settle(30_000);
  await stage.request("web-2");
  await stage.phase("web-2", "Creating");
  await stage.request("web-1");
  const { status } = await stage.phase("web-1", "Failed");
  assert.match(status?.failureMessage ?? "", /was let go of/);
  await stage.stop();
});
