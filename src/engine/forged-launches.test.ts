// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import { namespace as namespaceKind, secret as secretKind } from "../kube/index.ts";
import { finalizerOf } from "./identity.ts";
import { TEAM_LABEL } from "./may-use.ts";
import { CREDENTIALS_FINALIZER, CREDENTIALS_OF_ANNOTATION, LAUNCH_ANNOTATION, MACHINE_ID_ANNOTATION } from "./names.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import { conditions, type LifeStage, raiseLifeStage } from "./testing/life-stage.ts";

const PRIVATE = { name: "private", namespace: "team-a" };

/** A team with a ProviderConfig of its own, and a namespace that does not belong to it. */
async function raiseTeams(): Promise<LifeStage> {
  const stage = await raiseLifeStage();
  await stage.client.create(namespaceKind, { metadata: { name: "evil" } });
  await stage.client.create(namespaceKind, { metadata: { name: "team-a", labels: { [TEAM_LABEL]: "a" } } });
  await stage.secret(undefined, { name: "credentials", namespace: "team-a" });
  await stage.config({ scope: { type: "team", teamRef: { name: "a" } }, limits: { maxMachines: 1 } }, PRIVATE);
  await stage.settle(2_000);
  return stage;
}

interface Forgery {
  readonly launch?: object;
  readonly providerRef?: { readonly name: string; readonly namespace: string };
  readonly isHeld?: boolean;
}

async function forge({ client, settle }: LifeStage, { launch, providerRef = PRIVATE, isHeld }: Forgery): Promise<void> {
  const annotations = {
    [MACHINE_ID_ANNOTATION]: "11111111-2222-3333-4444-555555555555",
    ...(launch === undefined ? {} : { [LAUNCH_ANNOTATION]: JSON.stringify(launch) }),
    "butler.butlerlabs.dev/paused": "true",
  };
  const finalizers = isHeld ? [finalizerOf("harvester")] : [];
  await client.create(machineRequest, {
    metadata: { name: "forged", namespace: "evil", annotations, finalizers },
    spec: {
      providerRef,
      machineName: "forged",
      role: "worker",
      cpu: 2,
      memoryMB: 2048,
      diskGB: 20,
      deletionPolicy: "Delete",
    },
  });
  await settle(3_000);
}

test("a request that may not use a ProviderConfig takes no place of its maxMachines", async () => {
  const stage = await raiseTeams();
  await forge(stage, {});
  await stage.request("legit", { providerRef: { name: "private" } }, { namespace: "team-a" });
  await stage.until("made", () => stage.cloud.machines.has("legit"));
  await stage.stop();
});

for (const isHeld of [false, true])
  test(`a forged launch does not keep a ProviderConfig${isHeld ? ", not even one with our finalizer" : ""}`, async () => {
    const stage = await raiseTeams();
    const providerRef = { name: "whatever", namespace: "evil" };
    await stage.request("legit", { providerRef: { name: "private" } }, { namespace: "team-a" });
    await stage.until("made", () => stage.cloud.machines.has("legit"));
    await forge(stage, { launch: { providerConfig: "team-a/private", owner: "evil/forged" }, providerRef, isHeld });
    await stage.client.delete(providerConfigDescriptor, PRIVATE);
    await stage.client.delete(machineRequest, { namespace: "team-a", name: "legit" });
    await stage.until("gone", async () => (await stage.configNow(PRIVATE)) === undefined);
    await stage.stop();
  });

test("a forged launch through a ProviderConfig that does not exist keeps no Secret", async () => {
  const stage = await raiseTeams();
  const key = { namespace: "butler-system", name: "credentials" };
  await stage.grow("web-1");
  await forge(stage, { launch: { providerConfig: "butler-system/nowhere", owner: "evil/forged" }, isHeld: true });
  await stage.secret(undefined, { name: "others" });
  await stage.config({ credentialsRef: { name: "others" } });
  await stage.until("let go", async () => {
    const { finalizers = [] } = (await stage.client.get(secretKind, key)).metadata;
    return !finalizers.includes(CREDENTIALS_FINALIZER);
  });
  await stage.stop();
});

test("a launch that its owner rewrote to a ProviderConfig that does not exist keeps no Secret of others", async () => {
  const stage = await raiseTeams();
  const own = { name: "own", namespace: "evil" };
  const mine = { name: "mine", namespace: "evil" };
  await stage.secret(undefined, { name: "credentials", namespace: "evil" });
  await stage.config({ harvester: { namespace: "theirs" } }, own);
  await stage.request("mine", { providerRef: own }, { namespace: "evil" });
  await stage.grow("web-1");
  const seen = async () => (await stage.requestNow("mine", "evil"))?.status?.providerID !== undefined;
  await stage.until("a machine of its own", seen);
  const launch = JSON.parse(
    (await stage.client.get(machineRequest, mine)).metadata.annotations?.[LAUNCH_ANNOTATION] ?? "",
  );
  const forged = JSON.stringify({ ...launch, providerConfig: "butler-system/nowhere" });
  await stage.client.mergePatch(machineRequest, mine, { metadata: { annotations: { [LAUNCH_ANNOTATION]: forged } } });
  await stage.client.delete(providerConfigDescriptor, own);
  await stage.until("its ProviderConfig is gone", async () => (await stage.configNow(own)) === undefined);
  await stage.secret(undefined, { name: "others" });
  await stage.config({ credentialsRef: { name: "others" } });
  await stage.until("let go", async () => {
    const { finalizers = [], annotations = {} } = (
      await stage.client.get(secretKind, { namespace: "butler-system", name: "credentials" })
    ).metadata;
    return !finalizers.includes(CREDENTIALS_FINALIZER) && !(CREDENTIALS_OF_ANNOTATION in annotations);
  });
  await stage.stop();
});

for (const place of ["harvester a", ""])
  test(`a launch that its owner rewrote does not look about with a team's credentials${place === "" ? ", nor does one without a place" : ""}`, async () => {
    const stage = await raiseTeams();
    const { client, cloud } = stage;
    const [own, probe] = [
      { name: "own", namespace: "evil" },
      { name: "probe", namespace: "evil" },
    ];
    await stage.config({ scope: { type: "team", teamRef: { name: "a" } }, harvester: { namespace: "a" } }, PRIVATE);
    await stage.request("payroll", { providerRef: PRIVATE, machineName: "db-0" }, { namespace: "team-a" });
    await stage.secret(undefined, { name: "credentials", namespace: "evil" });
    await stage.config({ harvester: { namespace: "evil" } }, own);
    await stage.until("the victim", () => cloud.machines.size === 1);
    cloud.showsCreated = false;
    await stage.request("probe", { providerRef: own }, { namespace: "evil" });
    await stage.until("gone at once", () => cloud.machines.delete("probe at harvester evil"));
    await stage.until("creating", async () => (await stage.requestNow("probe", "evil"))?.status?.phase === "Creating");
    const { [LAUNCH_ANNOTATION]: launch = "" } = (await client.get(machineRequest, probe)).metadata.annotations ?? {};
    const forged = { ...JSON.parse(launch), providerConfig: "team-a/private", place, name: "db-0" };
    cloud.calls.length = 0;
    const annotations = { [LAUNCH_ANNOTATION]: JSON.stringify(forged) };
    await client.mergePatch(machineRequest, probe, { metadata: { annotations } });
    await stage.settle(60_000);
    await stage.secret({ other: "x" }, { name: "credentials", namespace: "team-a" });
    await stage.settle(150_000);
    const told = JSON.stringify((await client.get(machineRequest, probe)).status);
    assert.match(told, /"ProviderConfigNotAllowed".*To give up machine/);
    assert.doesNotMatch(told, /payroll|credentials/);
    assert.ok(!cloud.calls.includes("find db-0"), "it is not even looked for");
    await stage.stop();
  });

test("a machine is followed where it is really seen, also when its namespace may not use that ProviderConfig any more", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await stage.config({ scope: { type: "team", teamRef: { name: "x" } } });
  await stage.settle(2_000);
  await stage.restart();
  await stage.settle(5_000);
  await stage.edit("web-1", { spec: { labels: { tier: "web" } } });
  const waits = await stage.when("web-1", "labels wait", (each) =>
    conditions(each).includes("Degraded=True ProviderConfigNotAllowed"),
  );
  assert.match(waits.status?.lastError?.message ?? "", /^the labels of machine "web-1" wait to be brought in line: /);
  assert.equal(waits.status?.phase, "Running");
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.equal(stage.cloud.machines.size, 0);
  await stage.stop();
});

test("a machine whose launch is lost is not taken on where a stranger's infrastructure shows its mark", async () => {
  const stage = await raiseLifeStage();
  const { client, cloud } = stage;
  await client.create(namespaceKind, { metadata: { name: "aaa-evil" } });
  await stage.secret(undefined, { name: "credentials", namespace: "aaa-evil" });
  await stage.config({ harvester: { namespace: "evil" } }, { name: "own", namespace: "aaa-evil" });
  await stage.grow("web-1");
  const real = cloud.machines.get("web-1");
  assert.ok(real);
  cloud.machines.set("web-1 at harvester evil", real);
  await stage.restart();
  await stage.settle(60_000);
  const key = { namespace: "butler-system", name: "web-1" };
  await client.mergePatch(machineRequest, key, { metadata: { annotations: { [LAUNCH_ANNOTATION]: null } } });
  await stage.settle(10_000);
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.deepEqual([...cloud.machines.keys()], ["web-1 at harvester evil"]);
  await stage.stop();
});

test("machines of a ProviderConfig that was taken away by force are not too many for another at the same place", async () => {
  const stage = await raiseLifeStage();
  await stage.config({}, { name: "second" });
  await stage.grow("web-1");
  await stage.grow("web-2", "127.0.0.6");
  const prod = { namespace: "butler-system", name: "prod" };
  await stage.client.delete(providerConfigDescriptor, prod);
  await stage.client.mergePatch(providerConfigDescriptor, prod, { metadata: { finalizers: null } });
  await stage.settle(30_000);
  await stage.request("web-3", { providerRef: { name: "second" } });
  await stage.until("made", () => stage.cloud.machines.size === 3);
  await stage.stop();
});
