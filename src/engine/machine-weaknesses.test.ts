// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { isInvalid } from "../kube/index.ts";
import { annotation, conditions, raiseLifeStage } from "./testing/life-stage.ts";
import { plainCloud } from "./testing/plain-provider.ts";
import { raiseStage } from "./testing/stage.ts";

for (const watches of [true, false])
  test(`W-01: a running machine is watched over from the first moment, by ${watches ? "watch" : "list"}`, async () => {
    const stage = await raiseLifeStage({ watches });
    const { cloud } = stage;
    await stage.grow("web-1", "127.0.0.5");
    cloud.boot("web-1", "127.0.0.6");
    const moved = await stage.when("web-1", "address", ({ status }) => status?.ipAddress === "127.0.0.6");
    assert.equal(moved.status?.phase, "Running");
    cloud.vanish("web-1");
    const lost = await stage.phase("web-1", "Failed");
    assert.equal(lost.status?.failureReason, "VMLost");
    assert.ok((await stage.events()).some((each) => each.startsWith("VMAddressChanged")));
    assert.ok((await stage.events()).some((each) => each.startsWith("VMLost")));
    await stage.settle(10 * 60_000);
    assert.equal(cloud.machines.size, 0, "it is not rebuilt unasked");
    await stage.stop();
  });

test("W-02: a missing ProviderConfig, Secret or infrastructure is waited for, never the end", async () => {
  const cloud = plainCloud();
  const stage = await raiseStage([cloud.entry]);
  stage.run("harvester");
  await stage.settle(1_000);
  await stage.request("web-1");
  await stage.until("told", async () => (await stage.requestNow("web-1"))?.status?.lastError !== undefined);
  assert.equal((await stage.requestNow("web-1"))?.status?.phase, "Pending");
  await stage.config();
  await stage.settle(5_000);
  const refused = await stage.requestNow("web-1");
  assert.match(refused?.status?.lastError?.message ?? "", /credentials/);
  cloud.inject({ on: "create", times: 5 });
  await stage.secret();
  await stage.until("created", () => cloud.machines.size === 1);
  await stage.until("creating", async () => (await stage.requestNow("web-1"))?.status?.phase === "Creating");
  assert.equal((await stage.requestNow("web-1"))?.status?.lastError, undefined);
  await stage.stop();
});

test("W-04: a missing ProviderConfig is told once, in the same words, however many managers run", async () => {
  const [ours, theirs] = [plainCloud(), plainCloud({ name: "nutanix" })];
  const stage = await raiseStage([ours.entry, theirs.entry]);
  stage.run("harvester");
  stage.run("nutanix");
  await stage.settle(1_000);
  stage.writes.length = 0;
  await stage.request("web-1");
  await stage.settle(5 * 60_000);
  const { status, metadata } = (await stage.requestNow("web-1")) ?? {};
  assert.equal(status?.phase, "Pending");
  assert.match(status?.lastError?.message ?? "", /ProviderConfig "butler-system\/prod" does not exist/);
  assert.equal(metadata?.finalizers, undefined);
  const statusWrites = stage.writes.filter((write) => write.endsWith("/web-1/status"));
  assert.ok(statusWrites.length <= 2, statusWrites.join());
  const events = stage.writes.filter((write) => write.startsWith("POST") && write.endsWith("/events"));
  assert.ok(events.length <= 2);
  await stage.stop();
});

test("W-06: every field of the status is filled, of every generation", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.request("web-1");
  await stage.phase("web-1", "Creating");
  const addresses = ["127.0.0.5", "127.0.0.6", "fd00::5"];
  cloud.change("web-1", { state: "running", addresses, macAddress: "52:54:00:12:34:56", instanceType: "small" });
  const { status } = await stage.phase("web-1", "Running");
  assert.equal(status?.ipAddress, "127.0.0.5");
  assert.deepEqual(status?.ipAddresses, addresses);
  assert.equal(status?.macAddress, "52:54:00:12:34:56");
  assert.equal(status?.instanceType, "small");
  await stage.edit("web-1", { spec: { labels: { a: "b" } } });
  const seen = await stage.when("web-1", "observed", ({ status: now }) => now?.observedGeneration === 2);
  assert.deepEqual(
    seen.status?.conditions?.map(({ observedGeneration }) => observedGeneration),
    [2, 2, 2],
  );
  assert.deepEqual(cloud.machines.get("web-1")?.labels, { a: "b" });
  await stage.stop();
});

test("W-06: Unknown when nothing can be seen for three looks, and back again by itself", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  const mend = cloud.inject({ on: "list", error: { kind: "unavailable", reason: "ServerError", message: "503" } });
  const unknown = await stage.phase("web-1", "Unknown");
  assert.deepEqual(conditions(unknown), [
    "Ready=Unknown StateUnknown",
    "Progressing=False StateUnknown",
    "Degraded=True ServerError",
  ]);
  assert.equal(unknown.status?.ipAddress, "127.0.0.5");
  assert.ok(cloud.calls.filter((call) => call === "list").length >= 3);
  mend();
  const running = await stage.phase("web-1", "Running");
  assert.deepEqual(conditions(running), [
    "Ready=True VMRunning",
    "Progressing=False VMRunning",
    "Degraded=False VMRunning",
  ]);
  assert.equal(running.status?.lastError, undefined);
  await stage.stop();
});

test("W-07: a machine without an address fails after the creation timeout, stays, and may still come up", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.config({ timeouts: { creation: "5m" } });
  await stage.request("web-1");
  await stage.phase("web-1", "Creating");
  cloud.change("web-1", { state: "running" });
  await stage.when("web-1", "waits for an address", (request) =>
    conditions(request).includes("Ready=False WaitingForIP"),
  );
  const failed = await stage.phase("web-1", "Failed");
  assert.equal(failed.status?.failureReason, "CreationTimeout");
  assert.match(failed.status?.failureMessage ?? "", /within 5m.*address yet/);
  assert.equal(failed.status?.providerID, "id-1");
  await stage.settle(5 * 60_000);
  assert.equal(cloud.machines.size, 1);
  cloud.boot("web-1", "127.0.0.5");
  const running = await stage.phase("web-1", "Running");
  assert.equal(running.status?.failureReason, undefined);
  await stage.stop();
});

test("W-08: a spec edit is refused while the machine is being made, and honoured where it failed", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.config({ timeouts: { creation: "1m" } });
  await stage.request("web-1");
  await stage.phase("web-1", "Creating");
  await assert.rejects(stage.edit("web-1", { spec: { cpu: 4 } }), isInvalid);
  const failed = await stage.phase("web-1", "Failed");
  await stage.edit("web-1", { spec: { cpu: 4, machineName: "web-1b" } });
  await stage.until("replaced", () => cloud.machines.has("web-1b"));
  assert.equal(cloud.machines.size, 1, "the old machine is gone");
  const creating = await stage.when("web-1", "new", ({ status }) => status?.providerID === "id-2");
  assert.equal(annotation(creating, "attempt"), "2");
  assert.equal(annotation(creating, "machineId"), annotation(failed, "machineId"));
  assert.equal(cloud.mostPerId(), 1, "there were never two");
  await stage.stop();
});

test("W-09: a machine that merely has the name is neither adopted nor deleted, and the conflict goes by itself", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  cloud.addStranger("web-1");
  await stage.request("web-1");
  const failed = await stage.phase("web-1", "Failed");
  assert.equal(failed.status?.failureReason, "NameConflict");
  assert.match(failed.status?.failureMessage ?? "", /web-1/);
  await stage.restart();
  await stage.settle(60_000);
  const still = await stage.read("web-1");
  assert.equal(still.status?.failureReason, "NameConflict");
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.equal(cloud.machines.get("web-1")?.providerId, "theirs");
  await stage.stop();
});

test("W-10: conditions stay truthful through failure, loss and stop", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  cloud.change("web-1", { state: "stopped", addresses: [] });
  const stopped = await stage.when("web-1", "stopped", (request) =>
    conditions(request).includes("Ready=False VMStopped"),
  );
  assert.deepEqual(conditions(stopped), [
    "Ready=False VMStopped",
    "Progressing=False VMStopped",
    "Degraded=True VMStopped",
  ]);
  assert.equal(stopped.status?.phase, "Running");
  cloud.boot("web-1", "127.0.0.7");
  const running = await stage.when("web-1", "up", ({ status }) => status?.ipAddress === "127.0.0.7");
  assert.deepEqual(conditions(running), [
    "Ready=True VMRunning",
    "Progressing=False VMRunning",
    "Degraded=False VMRunning",
  ]);
  cloud.vanish("web-1");
  const lost = await stage.phase("web-1", "Failed");
  assert.deepEqual(conditions(lost), ["Ready=False VMLost", "Progressing=False VMLost", "Degraded=True VMLost"]);
  assert.equal(lost.status?.providerID, "id-1");
  assert.equal(lost.status?.ipAddress, undefined);
  await stage.annotate("web-1", { "butler.butlerlabs.dev/retry": "please" });
  const again = await stage.phase("web-1", "Creating");
  assert.equal(again.status?.failureReason, undefined);
  assert.equal(again.status?.providerID, "id-2");
  assert.equal(annotation(again, "retry"), undefined);
  assert.equal(annotation(again, "attempt"), "2");
  await stage.stop();
});

test("W-11: a delete that fails is told, and the finalizer goes only when the machine is gone", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  cloud.deletesSlowly = true;
  const error = { kind: "denied", reason: "PermissionMissing", message: "may not delete", code: "403" } as const;
  const mend = cloud.inject({ on: "delete", error });
  await stage.remove("web-1");
  const stuck = await stage.when("web-1", "stuck", (request) =>
    conditions(request).includes("Degraded=True PermissionMissing"),
  );
  assert.equal(stuck.status?.phase, "Deleting");
  assert.deepEqual((await stage.events()).at(-1), "VMDeletionFailed: may not delete");
  mend();
  await stage.until("accepted", () => cloud.machines.get("web-1")?.state === "deleting");
  await stage.settle(60_000);
  assert.ok((await stage.read("web-1")).metadata.finalizers?.length, "accepted is not gone");
  cloud.vanish("web-1");
  await stage.gone("web-1");
  await stage.stop();
});

test("W-15: conflicts and repeated reconciles do not repeat what was done outside", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.request("web-1");
  for (let edit = 0; edit < 10; edit += 1) await stage.annotate("web-1", { "example.com/note": String(edit) });
  await stage.phase("web-1", "Creating");
  for (let edit = 0; edit < 10; edit += 1) await stage.annotate("web-1", { "example.com/note": `again ${edit}` });
  await stage.settle(1_000);
  assert.equal(cloud.calls.filter((call) => call === "create web-1").length, 1);
  const request = await stage.read("web-1");
  assert.equal(request.metadata.annotations?.["example.com/note"], "again 9", "others' annotations stay");
  await stage.stop();
});
