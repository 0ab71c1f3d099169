// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import { configMap, secret } from "../kube/index.ts";
import { ANNOTATIONS } from "./identity.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import { annotation, conditions, type LifeStage, raiseLifeStage } from "./testing/life-stage.ts";
import { plainCloud } from "./testing/plain-provider.ts";
import { raiseStage } from "./testing/stage.ts";

const PLACE = { namespace: "butler-system", name: "prod" };

/** Removes a ProviderConfig as somebody would who forces it: finalizers do not hold it. */
async function forceConfigAway({ client }: LifeStage): Promise<void> {
  await client.delete(providerConfigDescriptor, PLACE);
  await client.mergePatch(providerConfigDescriptor, PLACE, { metadata: { finalizers: [] } });
}

test("W-03: a ProviderConfig that is gone: deletion waits, says how to let go, and goes on when it is back", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const running = await stage.grow("web-1");
  await forceConfigAway(stage);
  await stage.remove("web-1");
  const stuck = await stage.when("web-1", "stuck", (request) => {
    const isTold = conditions(request).includes("Degraded=True ProviderConfigNotFound");
    return isTold && request.status?.phase === "Deleting";
  });
  const message = stuck.status?.conditions?.find(({ type }) => type === "Degraded")?.message ?? "";
  assert.match(message, /does not exist/);
  assert.ok(message.includes(`${ANNOTATIONS.abandon}=${annotation(running, "machineId")}`), message);
  await stage.settle(10 * 60_000);
  assert.ok(await stage.requestNow("web-1"));
  await stage.config();
  await stage.gone("web-1");
  assert.equal(cloud.machines.size, 0);
  await stage.stop();
});

test("W-03: abandon lets go of a machine whose ProviderConfig is gone, and writes it down", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const running = await stage.grow("web-1");
  const machineId = annotation(running, "machineId") ?? "";
  await forceConfigAway(stage);
  await stage.remove("web-1");
  await stage.phase("web-1", "Deleting");
  await stage.annotate("web-1", { [ANNOTATIONS.abandon]: "another id" });
  await stage.settle(60_000);
  assert.ok(await stage.requestNow("web-1"), "the value must be the machine's id");
  await stage.annotate("web-1", { [ANNOTATIONS.abandon]: machineId });
  await stage.gone("web-1");
  assert.equal(cloud.machines.size, 1, "the machine was not touched");
  const released = await stage.client.get(configMap, { namespace: "butler-system", name: "butler-released" });
  const { name, providerID, why } = JSON.parse(released.data?.[machineId] ?? "{}");
  assert.deepEqual({ name, providerID, why }, { name: "web-1", providerID: "id-1", why: "abandon" });
  assert.match((await stage.events()).at(-1) ?? "", /^VMReleased: Virtual machine "web-1" \(id-1\) was let go of/);
  await stage.stop();
});

test("a running machine whose Secret is gone is Unknown after five minutes, and Running again when it is back", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  const key = { namespace: "butler-system", name: "credentials" };
  await stage.client.delete(secret, key);
  await stage.client.mergePatch(secret, key, { metadata: { finalizers: [] } });
  const degraded = await stage.when("web-1", "degraded", ({ status }) => status?.lastError !== undefined);
  assert.equal(degraded.status?.phase, "Running");
  await stage.settle(5 * 60_000);
  assert.equal((await stage.phase("web-1", "Unknown")).status?.ipAddress, "127.0.0.5");
  await stage.secret();
  const running = await stage.phase("web-1", "Running");
  assert.equal(running.status?.lastError, undefined);
  await stage.stop();
});

test("deletionPolicy Retain lets go of the machine and leaves it running", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  await stage.edit("web-1", { spec: { deletionPolicy: "Retain" } });
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.equal(cloud.machines.get("web-1")?.state, "running");
  assert.deepEqual(
    cloud.calls.filter((call) => call.startsWith("delete")),
    [],
  );
  assert.match((await stage.events()).at(-1) ?? "", /^VMReleased/);
  await stage.stop();
});

test("paused: nothing is done, deletion included, until it is taken off", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  await stage.annotate("web-1", { [ANNOTATIONS.paused]: "" });
  await stage.when("web-1", "paused", (request) => conditions(request).includes("Progressing=False Paused"));
  await stage.remove("web-1");
  await stage.settle(5 * 60_000);
  assert.ok(await stage.requestNow("web-1"));
  assert.equal(cloud.machines.size, 1);
  await stage.annotate("web-1", { [ANNOTATIONS.paused]: "false" });
  await stage.gone("web-1");
  assert.equal(cloud.machines.size, 0);
  await stage.stop();
});

test("retry: a machine that failed is deleted and made anew; on a running one it does nothing and does not stay", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.request("web-1");
  await stage.phase("web-1", "Creating");
  cloud.change("web-1", { state: "failed", detail: "CrashLoopBackOff" });
  const failed = await stage.phase("web-1", "Failed");
  assert.equal(failed.status?.failureReason, "VMFailed");
  assert.match(failed.status?.failureMessage ?? "", /CrashLoopBackOff/);
  await stage.annotate("web-1", { [ANNOTATIONS.retry]: "1" });
  await stage.when("web-1", "made anew", ({ status }) => status?.providerID === "id-2" && status.phase === "Creating");
  cloud.boot("web-1", "127.0.0.5");
  await stage.phase("web-1", "Running");
  await stage.annotate("web-1", { [ANNOTATIONS.retry]: "2" });
  await stage.when("web-1", "dropped", (request) => annotation(request, "retry") === undefined);
  await stage.settle(60_000);
  assert.equal((await stage.read("web-1")).status?.providerID, "id-2");
  assert.equal(cloud.mostPerId(), 1);
  await stage.stop();
});

test("a copied manifest is a conflict that names the original, whose machine is untouched", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const original = await stage.grow("web-1");
  const { annotations = {}, finalizers = [] } = original.metadata;
  const copy = {
    metadata: { name: "web-2", namespace: "butler-system", annotations, finalizers },
    spec: original.spec,
  };
  await stage.client.create(machineRequest, copy);
  const failed = await stage.phase("web-2", "Failed");
  assert.equal(failed.status?.failureReason, "IdentityConflict");
  assert.match(failed.status?.failureMessage ?? "", /MachineRequest "butler-system\/web-1"/);
  const { length } = stage.writes;
  await stage.settle(5 * 60_000);
  const again = stage.writes.slice(length).filter((write) => write.includes("/web-2"));
  assert.deepEqual(again, [], "what was told is not told again and again");
  await stage.remove("web-2");
  await stage.gone("web-2");
  assert.equal(cloud.machines.size, 1);
  assert.equal((await stage.read("web-1")).status?.phase, "Running");
  const { [ANNOTATIONS.machineId]: id = "" } = annotations;
  await stage.client.create(machineRequest, {
    metadata: { name: "web-3", namespace: "butler-system", annotations: { [ANNOTATIONS.machineId]: id } },
    spec: original.spec,
  });
  const second = await stage.phase("web-3", "Failed");
  assert.equal(second.status?.failureReason, "IdentityConflict");
  await stage.stop();
});

test("two requests with one machineName: the later one is the conflict, and its message names the first", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  await stage.request("web-2", { machineName: "web-1" });
  const failed = await stage.phase("web-2", "Failed");
  assert.equal(failed.status?.failureReason, "NameConflict");
  assert.equal(cloud.machines.size, 1);
  await stage.remove("web-1");
  await stage.gone("web-1");
  await stage.annotate("web-2", { [ANNOTATIONS.retry]: "now" });
  await stage.phase("web-2", "Creating");
  await stage.stop();
});

test("a ProviderConfig that leads elsewhere: nothing is believed, and it says how to mend it", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  await stage.config({ harvester: { namespace: "other" } });
  const told = await stage.when("web-1", "told", (request) =>
    conditions(request).includes("Degraded=True ProviderConfigPointsElsewhere"),
  );
  assert.match(told.status?.lastError?.message ?? "", /does not lead to "harvester default" any more.*: point it back/);
  await stage.remove("web-1");
  await stage.settle(5 * 60_000);
  assert.ok(await stage.requestNow("web-1"));
  await stage.config();
  await stage.gone("web-1");
  assert.equal(cloud.machines.size, 0);
  await stage.stop();
});

test("a ProviderConfig that was wrong may be put right, also its place: what was refused has left nothing", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const mend = cloud.inject({
    on: "create",
    error: { kind: "invalid", reason: "NamespaceNotFound", message: "no such namespace" },
  });
  await stage.request("web-1");
  await stage.phase("web-1", "Failed");
  mend();
  await stage.config({ harvester: { namespace: "right" } });
  const creating = await stage.phase("web-1", "Creating");
  assert.equal(JSON.parse(annotation(creating, "launch") ?? "").place, "harvester right");
  await stage.stop();
});

test("a failed request that is pointed at another provider is handed over clean", async () => {
  const [ours, theirs] = [plainCloud(), plainCloud({ name: "nutanix" })];
  const stage = await raiseStage([ours.entry, theirs.entry]);
  await stage.secret();
  await stage.config({ timeouts: { creation: "1m" } });
  await stage.config({ provider: "nutanix", nutanix: {}, harvester: undefined }, { name: "other" });
  stage.run("harvester");
  stage.run("nutanix");
  await stage.request("web-1");
  await stage.until("failed", async () => (await stage.requestNow("web-1"))?.status?.phase === "Failed");
  assert.equal(ours.machines.size, 1);
  await stage.client.mergePatch(
    machineRequest,
    { namespace: "butler-system", name: "web-1" },
    {
      spec: { providerRef: { name: "other" } },
    },
  );
  await stage.until("made there", () => theirs.machines.size === 1);
  assert.equal(ours.machines.size, 0);
  const request = await stage.requestNow("web-1");
  assert.deepEqual(request?.metadata.finalizers, ["machinerequest.butler.butlerlabs.dev/nutanix-finalizer"]);
  await stage.stop();
});

test("W-13: one connection serves every reconcile", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  await stage.grow("web-2", "127.0.0.6");
  await stage.settle(5 * 60_000);
  assert.equal(cloud.opened, 1);
  await stage.stop();
});

test("a create call that comes late does not become an orphan, also when a later call was refused", async () => {
  const stage = await raiseLifeStage();
  const { cloud, clock } = stage;
  cloud.inject({ on: "create", times: 1, lateMs: 100_000 });
  cloud.inject({ on: "create", error: { kind: "invalid", reason: "ImageNotFound", message: "no image" } });
  await stage.request("web-1");
  await stage.phase("web-1", "Failed");
  assert.ok(clock.monotonic() < 60_000);
  await stage.remove("web-1");
  await stage.phase("web-1", "Deleting");
  await stage.settle(1_000);
  const [ready] = (await stage.read("web-1")).status?.conditions ?? [];
  assert.match(ready?.message ?? "", /waiting until no earlier create call can bring it up/);
  await stage.gone("web-1");
  assert.ok(clock.monotonic() > 100_000);
  await stage.settle(60_000);
  assert.equal(cloud.machines.size, 0);
  await stage.stop();
});

test("a machine that vanished while an answer is missing is not called lost before its time", async () => {
  const stage = await raiseLifeStage({ visibilityLagMs: 30_000 });
  const { cloud } = stage;
  await stage.request("web-1");
  await stage.phase("web-1", "Creating");
  await stage.settle(20_000);
  assert.equal((await stage.read("web-1")).status?.phase, "Creating", "looks lag behind");
  await stage.settle(30_000);
  cloud.boot("web-1", "127.0.0.5");
  await stage.phase("web-1", "Running");
  assert.deepEqual(
    cloud.calls.filter((call) => call.startsWith("create")),
    ["create web-1"],
  );
  await stage.stop();
});

test("an infrastructure that only orders a machine: create is not repeated while it is on its way", async () => {
  const stage = await raiseLifeStage({ visibilityLagMs: 10_000 });
  const { cloud } = stage;
  cloud.showsCreated = false;
  await stage.request("web-1");
  const ordered = await stage.phase("web-1", "Creating");
  assert.equal(ordered.status?.operation?.id, "task-web-1");
  assert.equal(ordered.status?.operation?.kind, "create");
  assert.equal(ordered.status?.operation?.attempt, 1);
  await stage.when("web-1", "seen", ({ status }) => status?.providerID === "id-1");
  cloud.boot("web-1", "127.0.0.5");
  const running = await stage.phase("web-1", "Running");
  assert.equal(running.status?.operation, undefined);
  assert.deepEqual(
    cloud.calls.filter((call) => call.startsWith("create")),
    ["create web-1"],
  );
  await stage.stop();
});

test("labels of a running machine follow the spec; bad ones set Degraded and nothing else", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  await stage.edit("web-1", { spec: { labels: { tier: "front" } } });
  await stage.until("aligned", () => cloud.machines.get("web-1")?.labels.tier === "front");
  cloud.problems = ({ labels }) => (labels.tier === "?" ? ['spec.labels: "?" is no label value'] : []);
  await stage.edit("web-1", { spec: { labels: { tier: "?" } } });
  const bad = await stage.when("web-1", "told", (request) =>
    conditions(request).includes("Degraded=True InvalidConfiguration"),
  );
  assert.equal(bad.status?.phase, "Running");
  assert.ok(conditions(bad).includes("Ready=True VMRunning"));
  cloud.inject({ on: "create", times: 1, error: { kind: "invalid", reason: "BadLabel", message: "refused" } });
  await stage.edit("web-1", { spec: { labels: { tier: "back" } } });
  const refused = await stage.when("web-1", "refused", (request) =>
    conditions(request).includes("Degraded=True BadLabel"),
  );
  assert.equal(refused.status?.phase, "Running");
  assert.ok(refused.status?.lastError?.nextRetryTime);
  await stage.settle(11 * 60_000);
  const fine = await stage.when("web-1", "fine", (request) => conditions(request).includes("Degraded=False VMRunning"));
  assert.equal(fine.status?.lastError, undefined);
  assert.equal(cloud.machines.get("web-1")?.labels.tier, "back");
  assert.deepEqual([cloud.machines.size, annotation(fine, "attempt")], [1, "1"]);
  await stage.stop();
});

test("a restart in the middle of a life takes up what is there; VMAdopted tells so", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  cloud.inject({ on: "create", times: 1, isAfter: true, hangs: true });
  await stage.request("web-1");
  await stage.until("sent", () => cloud.calls.includes("create web-1"));
  stage.kill();
  const identity = await stage.read("web-1");
  // The call of the killed manager takes effect, and nobody hears the answer.
  const creating = await stage.phase("web-1", "Creating");
  assert.equal(annotation(creating, "machineId"), annotation(identity, "machineId"));
  cloud.boot("web-1", "127.0.0.5");
  await stage.phase("web-1", "Running");
  const calls = cloud.calls.filter((call) => !["list", "watch"].includes(call));
  assert.equal(calls[1], "find web-1", "after a restart it is looked for first");
  stage.kill();
  await stage.settle(60_000);
  assert.equal((await stage.read("web-1")).status?.phase, "Running");
  assert.equal(cloud.mostPerId(), 1);
  await stage.stop();
});

test("a restored request, with annotations and without status, finds its machine again", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const running = await stage.grow("web-1");
  await stage.manager.stop();
  const { name, namespace, annotations = {}, finalizers = [] } = running.metadata;
  await stage.client.mergePatch(
    machineRequest,
    { namespace: "butler-system", name: "web-1" },
    { metadata: { finalizers: [] } },
  );
  await stage.client.delete(machineRequest, { namespace: "butler-system", name: "web-1" });
  for (const kept of [finalizers, []]) {
    const metadata = { name: name ?? "", namespace: namespace ?? "", annotations, finalizers: kept };
    await stage.client.create(machineRequest, { metadata, spec: running.spec });
    stage.run("harvester");
    const restored = await stage.phase("web-1", "Running");
    assert.equal(restored.status?.providerID, "id-1");
    assert.equal(restored.metadata.finalizers?.length, 1);
    assert.ok((await stage.events()).some((each) => each.startsWith("VMAdopted")));
    break;
  }
  assert.deepEqual(
    cloud.calls.filter((call) => call.startsWith("create")),
    ["create web-1"],
  );
  await stage.stop();
});

test("an order that came to nothing is given again by itself", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  cloud.showsCreated = false;
  await stage.request("web-1");
  await stage.until("ordered", () => cloud.machines.size === 1);
  cloud.machines.clear();
  await stage.until("ordered again", () => cloud.machines.size === 1);
  await stage.when("web-1", "seen", ({ status }) => status?.providerID !== undefined);
  await stage.stop();
});

test("a machine that is out of the picture and cannot be looked for is Unknown, and looked for again in time", async () => {
  const stage = await raiseLifeStage({ watches: true });
  const { cloud } = stage;
  await stage.grow("web-1");
  const mend = cloud.inject({ on: "find", error: { kind: "unavailable", reason: "ServerError", message: "503" } });
  cloud.vanish("web-1");
  const unknown = await stage.phase("web-1", "Unknown");
  assert.ok(conditions(unknown).includes("Degraded=True ServerError"));
  mend();
  const lost = await stage.phase("web-1", "Failed");
  assert.equal(lost.status?.failureReason, "VMLost");
  await stage.stop();
});

test("a request whose machine has gone without the watch telling so is let go of by a direct look, not by the next watch", async () => {
  const stage = await raiseLifeStage({ watches: true });
  const { cloud, clock } = stage;
  await stage.grow("web-1");
  cloud.deletesSlowly = true;
  await stage.remove("web-1");
  await stage.until("on its way out", () => cloud.machines.get("web-1")?.state === "deleting");
  cloud.machines.clear();
  const missedAt = clock.monotonic();
  await stage.gone("web-1");
  assert.ok(clock.monotonic() - missedAt < 2 * 60_000);
  await stage.stop();
});
