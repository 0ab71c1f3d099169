// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { annotation, conditions, raiseLifeStage } from "./testing/life-stage.ts";

test("integration: full MachineRequest lifecycle costs three writes and two events up, one create and no direct look", async () => {
  const stage = await raiseLifeStage({ watches: true });
  const { cloud } = stage;
  await stage.request("web-1", { userData: "top secret", labels: { team: "a" } });
  const creating = await stage.phase("web-1", "Creating");
  assert.equal(creating.status?.providerID, "id-1");
  assert.deepEqual(conditions(creating), [
    "Ready=False Creating",
    "Progressing=True Creating",
    "Degraded=False Creating",
  ]);
  cloud.change("web-1", { detail: "Starting" });
  await stage.settle(100);
  cloud.change("web-1", { state: "running", macAddress: "52:54:00:12:34:56", failureDomain: "zone-a" });
  await stage.settle(100);
  cloud.change("web-1", { addresses: ["127.0.0.5", "fd00::5"] });
  const running = await stage.phase("web-1", "Running");
  const { conditions: _conditions, lastUpdated, ...rest } = running.status ?? {};
  assert.ok(lastUpdated);
  assert.deepEqual(rest, {
    phase: "Running",
    providerID: "id-1",
    ipAddress: "127.0.0.5",
    ipAddresses: ["127.0.0.5", "fd00::5"],
    macAddress: "52:54:00:12:34:56",
    failureDomain: "zone-a",
    observedGeneration: 1,
  });
  assert.deepEqual(conditions(running), [
    "Ready=True VMRunning",
    "Progressing=False VMRunning",
    "Degraded=False VMRunning",
  ]);
  await stage.settle(5_000);
  // The first is the test's own.
  assert.deepEqual(stage.machineWrites(), ["PATCH", "PATCH", "PUT status", "PUT status"]);
  assert.deepEqual(cloud.calls, ["watch", "create web-1"]);
  assert.deepEqual(await stage.events(), [
    'VMCreated: Virtual machine "web-1" (id-1) was created',
    'VMRunning: Virtual machine "web-1" is running at 127.0.0.5',
  ]);
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.deepEqual(stage.machineWrites(), ["DELETE", "PUT status", "PUT status", "PATCH"]);
  assert.deepEqual(cloud.calls.slice(2), ["delete web-1", "find web-1"]);
  assert.equal(
    (await stage.events()).at(-1),
    'VMDeleted: Virtual machine "web-1" and all that belonged to it are gone',
  );
  assert.equal(cloud.machines.size, 0);
  assert.ok(!stage.lines.join("").includes("top secret"));
  await stage.stop();
});

test("VM create: Pending -> Creating, and what was launched is in the annotations before the call", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  cloud.inject({ on: "create", times: 1, hangs: true });
  await stage.request("web-1");
  await stage.until("create is called", () => cloud.calls.includes("create web-1"));
  const request = await stage.read("web-1");
  assert.deepEqual(request.metadata.finalizers, ["machinerequest.butler.butlerlabs.dev/harvester-finalizer"]);
  assert.match(annotation(request, "machineId") ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(annotation(request, "attempt"), "1");
  const launch = JSON.parse(annotation(request, "launch") ?? "");
  assert.equal(launch.providerConfig, "butler-system/prod");
  assert.equal(launch.place, "harvester default");
  assert.equal(request.status?.phase, "Pending");
  // The call is given up after its time limit, and made again.
  await stage.phase("web-1", "Creating");
  assert.equal(cloud.machines.get("web-1")?.mark.machineId, annotation(request, "machineId"));
  await stage.stop();
});

test("VM create: idempotency on existing VM: an answer that was lost leaves one machine, which is taken on", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  cloud.inject({ on: "create", times: 1, isAfter: true });
  await stage.request("web-1");
  const creating = await stage.phase("web-1", "Creating");
  assert.equal(creating.status?.providerID, "id-1");
  assert.equal(cloud.machines.size, 1);
  assert.equal(cloud.mostPerId(), 1);
  await stage.stop();
});

test("VM status poll: Creating -> Running when an address is reported, at most ten seconds later", async () => {
  const stage = await raiseLifeStage();
  const { cloud, clock } = stage;
  await stage.request("web-1");
  await stage.phase("web-1", "Creating");
  await stage.settle(60_000);
  cloud.boot("web-1", "127.0.0.5");
  const since = clock.now();
  await stage.phase("web-1", "Running");
  assert.ok(clock.now() - since <= 11_000, `${clock.now() - since}`);
  const looks = cloud.calls.filter((call) => call === "list").length;
  assert.ok(looks >= 6, "looks come often while something is on its way");
  await stage.settle(10 * 60_000);
  const quiet = cloud.calls.filter((call) => call === "list").length - looks;
  assert.ok(quiet < 15, `${quiet} looks in ten quiet minutes`);
  await stage.stop();
});

test("VM delete: the finalizer goes after the machine and every part of it, and never before", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  cloud.deletesSlowly = true;
  cloud.leavesDisks = true;
  await stage.grow("web-1");
  await stage.remove("web-1");
  const deleting = await stage.phase("web-1", "Deleting");
  assert.deepEqual(conditions(deleting), [
    "Ready=False Deleting",
    "Progressing=True Deleting",
    "Degraded=False Deleting",
  ]);
  await stage.settle(5 * 60_000);
  assert.ok(await stage.requestNow("web-1"), "it waits as long as the machine is there");
  cloud.vanish("web-1");
  await stage.gone("web-1");
  assert.equal(cloud.machines.size, 0);
  assert.equal(cloud.disks.size, 0);
  await stage.stop();
});

test("VM delete: idempotency on missing VM", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  await stage.settle(3 * 60_000);
  cloud.machines.clear();
  await stage.remove("web-1");
  await stage.gone("web-1");
  await stage.stop();
});

test("a request that was never launched is released without a call", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  cloud.problems = () => ["spec.cpu: too many"];
  await stage.request("web-1");
  const failed = await stage.phase("web-1", "Failed");
  assert.equal(failed.status?.failureReason, "InvalidConfiguration");
  assert.equal(failed.status?.failureMessage, "spec.cpu: too many");
  assert.equal(failed.metadata.finalizers, undefined);
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.deepEqual(
    cloud.calls.filter((call) => call !== "list"),
    [],
  );
  await stage.stop();
});

test("provider filter: a request for another provider is left alone, whatever it is like", async () => {
  const { plainCloud } = await import("./testing/plain-provider.ts");
  const { raiseStage } = await import("./testing/stage.ts");
  const [ours, theirs] = [plainCloud(), plainCloud({ name: "nutanix" })];
  const stage = await raiseStage([ours.entry, theirs.entry]);
  await stage.secret();
  await stage.config({ provider: "nutanix", nutanix: {}, harvester: undefined });
  stage.run("harvester");
  await stage.settle(1_000);
  stage.writes.length = 0;
  await stage.request("web-1");
  await stage.settle(60_000);
  assert.deepEqual((await stage.requestNow("web-1"))?.status, { phase: "Pending" });
  assert.deepEqual(ours.calls, []);
  stage.run("nutanix");
  await stage.until("created", () => theirs.machines.size === 1);
  const request = await stage.requestNow("web-1");
  assert.deepEqual(request?.metadata.finalizers, ["machinerequest.butler.butlerlabs.dev/nutanix-finalizer"]);
  await stage.stop();
});
