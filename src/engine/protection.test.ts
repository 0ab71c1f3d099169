// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import { event as eventKind, isNotFound, secret as secretKind } from "../kube/index.ts";
import { ANNOTATIONS } from "./identity.ts";
import { CONFIG_FINALIZER, CREDENTIALS_FINALIZER, CREDENTIALS_OF_ANNOTATION } from "./names.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import { type ScriptedProvider, scriptedProvider } from "./testing/scripted-provider.ts";
import { raiseStage, type Stage } from "./testing/stage.ts";

const config = { namespace: "butler-system", name: "prod" };
const credentials = { namespace: "butler-system", name: "credentials" };

/** A stage with a Secret, a ProviderConfig and running machines of these names. */
async function staged(
  names: readonly string[],
  act: (stage: Stage, provider: ScriptedProvider) => Promise<void>,
): Promise<void> {
  const provider = scriptedProvider();
  const stage = await raiseStage([provider.entry]);
  try {
    stage.run("harvester");
    await stage.secret();
    await stage.config();
    for (const name of names) await stage.request(name);
    for (const name of names)
      await stage.until(`${name} runs`, async () => (await stage.requestNow(name))?.status?.phase === "Running");
    await act(stage, provider);
  } finally {
    await stage.stop();
  }
}

const secretNow = (stage: Stage) =>
  stage.client.get(secretKind, credentials).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });

async function finalizers(stage: Stage) {
  const [pc, secret] = [await stage.configNow(), await secretNow(stage)];
  return { config: pc?.metadata.finalizers ?? [], secret: secret?.metadata.finalizers ?? [] };
}

const remove = (stage: Stage, name: string) =>
  stage.client.delete(machineRequest, { namespace: "butler-system", name });

test("finalizers keep a ProviderConfig and its Secret from the first launch until the last machine is gone", () =>
  staged([], async (stage) => {
    await stage.settle(10_000);
    assert.deepEqual(await finalizers(stage), { config: [], secret: [] });
    await stage.request("one");
    await stage.until("launched", async () => {
      const request = await stage.requestNow("one");
      if (request?.metadata.annotations?.[ANNOTATIONS.launch] === undefined) return false;
      // Not a moment later than the launch.
      assert.deepEqual(await finalizers(stage), { config: [CONFIG_FINALIZER], secret: [CREDENTIALS_FINALIZER] });
      return true;
    });
    await stage.until("running", async () => (await stage.requestNow("one"))?.status?.phase === "Running");
    await stage.settle(150_000);
    assert.deepEqual(await finalizers(stage), { config: [CONFIG_FINALIZER], secret: [CREDENTIALS_FINALIZER] });
    await remove(stage, "one");
    await stage.until("let go", async () => {
      const { config: ofConfig, secret } = await finalizers(stage);
      return ofConfig.length === 0 && secret.length === 0;
    });
    assert.equal(await stage.requestNow("one"), undefined);
  }));

test("W-63: a ProviderConfig that is deleted while machines need it says which, makes no more, and goes with the last", () =>
  staged(["a", "b", "c", "d"], async (stage, provider) => {
    await stage.client.delete(providerConfigDescriptor, config);
    const blocked = async () =>
      (await stage.configNow())?.status?.conditions?.find(({ type }) => type === "DeletionBlocked");
    await stage.until("told", async () => (await blocked()) !== undefined);
    assert.equal(
      (await blocked())?.message,
      "4 MachineRequests need it until their machines are gone: butler-system/a, butler-system/b, butler-system/c and 1 more; delete those first",
    );
    await stage.until("event", async () => {
      const { items } = await stage.client.list(eventKind);
      return items.some(({ reason }) => reason === "ProviderConfigInUse");
    });
    await stage.request("e");
    await stage.settle(30_000);
    assert.equal(provider.machines.size, 4);
    assert.equal((await stage.requestNow("e"))?.metadata.annotations?.[ANNOTATIONS.launch], undefined);
    const conditions = (await stage.requestNow("e"))?.status?.conditions ?? [];
    assert.ok(
      conditions.some(({ message }) => message.includes("is being deleted")),
      JSON.stringify(conditions),
    );
    for (const name of ["a", "b", "c", "d", "e"]) await remove(stage, name);
    await stage.until("gone", async () => (await stage.configNow()) === undefined);
    assert.equal(provider.machines.size, 0);
    assert.deepEqual((await secretNow(stage))?.metadata.finalizers ?? [], []);
  }));

test("a Secret that is deleted while machines need it stays until they are gone", () =>
  staged(["one"], async (stage, provider) => {
    await stage.client.delete(secretKind, credentials);
    await stage.until("told", async () => {
      const { items } = await stage.client.list(eventKind);
      const told = items.find(({ reason, regarding }) => reason === "SecretInUse" && regarding?.kind === "Secret");
      return told?.note?.includes("butler-system/one") === true;
    });
    assert.ok((await secretNow(stage))?.metadata.deletionTimestamp);
    const ready = (await stage.configNow())?.status?.conditions?.find(({ type }) => type === "Ready");
    assert.equal(ready?.reason, "CredentialsDeleting");
    await remove(stage, "one");
    await stage.until("gone", async () => (await secretNow(stage)) === undefined);
    assert.equal(provider.machines.size, 0);
  }));

test("W-03: a ProviderConfig and a Secret that are gone all the same are waited for in life and death, and the end comes with them", () =>
  staged(["one"], async (stage, provider) => {
    // Somebody takes the finalizers away by force.
    await stage.client.mergePatch(providerConfigDescriptor, config, { metadata: { finalizers: null } });
    await stage.client.delete(providerConfigDescriptor, config);
    await stage.client.mergePatch(secretKind, credentials, { metadata: { finalizers: null } });
    await stage.client.delete(secretKind, credentials);
    await stage.until("both gone", async () => !(await stage.configNow()) && !(await secretNow(stage)));
    await stage.settle(30_000);
    assert.equal((await stage.requestNow("one"))?.status?.providerID, "id-one");
    await remove(stage, "one");
    await stage.until("deleting", async () => (await stage.requestNow("one"))?.status?.phase === "Deleting");
    const told = async () => JSON.stringify((await stage.requestNow("one"))?.status?.conditions);
    assert.match(await told(), /ProviderConfig \\"butler-system\/prod\\" does not exist/);
    assert.match(await told(), /butler.butlerlabs.dev\/abandon=/);
    await stage.config();
    await stage.until("the Secret is missed", async () => (await told()).includes("Secret"));
    assert.equal(provider.machines.size, 1);
    await stage.secret();
    await stage.until("gone", async () => (await stage.requestNow("one")) === undefined);
    assert.equal(provider.machines.size, 0);
  }));

test("a Secret stays while a machine needs it whose ProviderConfig is gone all the same, and others do not", () =>
  staged(["one"], async (stage) => {
    const other = { namespace: "butler-system", name: "other" };
    await stage.secret(undefined, other);
    await stage.client.mergePatch(secretKind, other, {
      metadata: {
        finalizers: [CREDENTIALS_FINALIZER],
        annotations: { [CREDENTIALS_OF_ANNOTATION]: "butler-system/gone" },
      },
    });
    await stage.client.mergePatch(providerConfigDescriptor, config, { metadata: { finalizers: null } });
    await stage.client.delete(providerConfigDescriptor, config);
    await stage.until("let go", async () => {
      const { finalizers: left } = (await stage.client.get(secretKind, other)).metadata;
      return left === undefined;
    });
    await stage.settle(60_000);
    const kept = await secretNow(stage);
    assert.deepEqual(kept?.metadata.finalizers, [CREDENTIALS_FINALIZER]);
    assert.equal(kept?.metadata.annotations?.[CREDENTIALS_OF_ANNOTATION], "butler-system/prod");
  }));

test("a Secret that gets its finalizer late, when nothing needs it any more, is let go of", () =>
  staged([], async (stage) => {
    await stage.settle(10_000);
    const late = {
      finalizers: [CREDENTIALS_FINALIZER],
      annotations: { [CREDENTIALS_OF_ANNOTATION]: "butler-system/prod" },
    };
    await stage.client.mergePatch(secretKind, credentials, { metadata: late });
    await stage.settle(1_000);
    const { finalizers: left = [], annotations = {} } = (await secretNow(stage))?.metadata ?? {};
    assert.deepEqual([left, annotations[CREDENTIALS_OF_ANNOTATION]], [[], undefined]);
    await stage.client.delete(secretKind, credentials);
    assert.equal(await secretNow(stage), undefined);
  }));

test("a Secret that its ProviderConfig names no longer is let go of", () =>
  staged(["one"], async (stage) => {
    await stage.secret({ kubeconfig: "other" }, { name: "other" });
    await stage.config({ credentialsRef: { name: "other" } });
    await stage.until("let go", async () => (await secretNow(stage))?.metadata.finalizers === undefined);
    const other = await stage.client.get(secretKind, { namespace: "butler-system", name: "other" });
    assert.deepEqual(other.metadata.finalizers, [CREDENTIALS_FINALIZER]);
  }));

test("finalizers that were set for a launch that never came are taken away, after a crash too, wherever the Secret is", async () => {
  const provider = scriptedProvider();
  const stage = await raiseStage([provider.entry]);
  try {
    const key = { namespace: "default", name: "prod" };
    const secretKey = { namespace: "default", name: "credentials" };
    await stage.secret({ kubeconfig: "x" }, secretKey);
    await stage.config({}, key);
    await stage.client.mergePatch(providerConfigDescriptor, key, { metadata: { finalizers: [CONFIG_FINALIZER] } });
    await stage.client.mergePatch(secretKind, secretKey, { metadata: { finalizers: [CREDENTIALS_FINALIZER] } });
    stage.run("harvester");
    await stage.until("let go", async () => (await stage.configNow(key))?.metadata.finalizers === undefined);
    assert.equal((await stage.client.get(secretKind, secretKey)).metadata.finalizers, undefined);
  } finally {
    await stage.stop();
  }
});
