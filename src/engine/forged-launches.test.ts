// SPDX-License-Identifier: Apache-2.0
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import { namespace as namespaceKind, secret as secretKind } from "../kube/index.ts";
import { finalizerOf } from "./identity.ts";
import { TEAM_LABEL } from "./may-use.ts";
import { CREDENTIALS_FINALIZER, CREDENTIALS_OF_ANNOTATION, LAUNCH_ANNOTATION, MACHINE_ID_ANNOTATION } from "./names.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import { type LifeStage, raiseLifeStage } from "./testing/life-stage.ts";

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
