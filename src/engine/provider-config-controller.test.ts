// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { event as eventKind, secret as secretKind } from "../kube/index.ts";
import { ProviderError } from "./provider-error.ts";
import { fineReport, type ScriptedProvider, scriptedProvider } from "./testing/scripted-provider.ts";
import { raiseStage, type Stage } from "./testing/stage.ts";

/** A stage with one scripted provider whose engine runs. */
async function staged(act: (stage: Stage, provider: ScriptedProvider) => Promise<void>): Promise<void> {
  const provider = scriptedProvider();
  const stage = await raiseStage([provider.entry]);
  try {
    stage.run("harvester");
    await act(stage, provider);
  } finally {
    await stage.stop();
  }
}

async function condition(stage: Stage, type: string) {
  const { status, reason, message } =
    (await stage.configNow())?.status?.conditions?.find((each) => each.type === type) ?? {};
  return { status, reason, message };
}

const isReady = (stage: Stage, wanted: boolean) => async () => (await stage.configNow())?.status?.ready === wanted;

async function notes(stage: Stage, reason: string): Promise<readonly string[]> {
  const { items } = await stage.client.list(eventKind);
  return items.filter((each) => each.reason === reason).map(({ note = "" }) => note);
}

test("a ProviderConfig that works says so, with version, conditions, machines and times", () =>
  staged(async (stage) => {
    await stage.secret();
    await stage.config();
    await stage.until("ready", isReady(stage, true));
    const { status } = (await stage.configNow()) ?? {};
    assert.equal(status?.validated, true);
    assert.equal(status?.providerVersion, "v1.0");
    assert.equal(status?.observedGeneration, 1);
    assert.match(status?.lastProbeTime ?? "", /^2026-01-01T/);
    assert.equal(status?.lastValidationTime, status?.lastProbeTime);
    assert.equal((await condition(stage, "CredentialsValid")).status, "True");
    assert.deepEqual(await condition(stage, "ImageAvailable"), {
      status: "Unknown",
      reason: "NotReadable",
      message: "not known",
    });
    await stage.until("counted", async () => (await stage.configNow())?.status?.machines?.total === 0);
    await stage.until("told", async () => (await notes(stage, "ProviderReady")).length === 1);
  }));

test("what keeps machines from being made is told in the condition, in Ready and in an event, and heals by itself", () =>
  staged(async (stage, provider) => {
    const message = 'image "default/talos" does not exist; upload it';
    provider.check = () => ({
      findings: [{ condition: "ImageAvailable", result: "failed", reason: "ImageNotFound", message, isBlocking: true }],
    });
    await stage.secret();
    await stage.config();
    await stage.until("not ready", isReady(stage, false));
    const told = { status: "False", reason: "ImageNotFound", message };
    assert.deepEqual(await condition(stage, "ImageAvailable"), told);
    assert.deepEqual(await condition(stage, "Ready"), told);
    assert.equal((await stage.configNow())?.status?.validated, false);
    await stage.until("told", async () => (await notes(stage, "ImageNotFound"))[0] === message);
    provider.check = () => fineReport;
    await stage.until("ready", isReady(stage, true));
  }));

test("a missing Secret and a missing key are named, never a value, and looked at again the moment they change", () =>
  staged(async (stage, provider) => {
    await stage.config();
    await stage.until("not ready", isReady(stage, false));
    assert.deepEqual(await condition(stage, "CredentialsValid"), {
      status: "False",
      reason: "SecretNotFound",
      message:
        'Secret "butler-system/credentials", which ProviderConfig "butler-system/prod" names, does not exist; create it, or correct spec.credentialsRef',
    });
    await stage.secret({ config: "hidden-value", kubeconfig: "" });
    await stage.until("the key", async () => (await condition(stage, "Ready")).reason === "SecretKeyMissing");
    const { message = "" } = await condition(stage, "CredentialsValid");
    assert.match(message, /lacks the key "kubeconfig"/);
    assert.doesNotMatch(
      JSON.stringify([...stage.plane.dump().values()].filter(({ kind }) => kind !== "Secret")),
      /hidden-value/,
    );
    const before = stage.clock.monotonic();
    await stage.secret({ kubeconfig: "good" });
    await stage.until("ready", isReady(stage, true));
    assert.ok(stage.clock.monotonic() - before < 5_000);
    assert.deepEqual(provider.opened, [{ kubeconfig: "good" }]);
  }));

test("W-13: one connection serves all machines and checks until the ProviderConfig or the Secret's data change", () =>
  staged(async (stage, provider) => {
    await stage.secret({ kubeconfig: "first" });
    await stage.config();
    await stage.until("ready", isReady(stage, true));
    for (const name of ["one", "two", "three"]) await stage.request(name);
    await stage.until("running", async () => (await stage.requestNow("three"))?.status?.phase === "Running");
    await stage.settle(60_000);
    assert.equal(provider.opened.length, 1);
    // Labels and finalizers of the Secret are no new credentials.
    await stage.client.mergePatch(
      secretKind,
      { namespace: "butler-system", name: "credentials" },
      { metadata: { labels: { touched: "yes" } } },
    );
    await stage.settle(5_000);
    assert.equal(provider.opened.length, 1);
    await stage.secret({ kubeconfig: "second" });
    await stage.until("rotated", () => provider.opened.length === 2 && provider.closed === 1);
    assert.deepEqual(provider.opened[1], { kubeconfig: "second" });
    await stage.config({ harvester: { namespace: "elsewhere" } });
    await stage.until("moved", () => provider.opened.length === 3 && provider.closed === 2);
  }));

test("machines are counted as they come, at most every ten seconds and never left behind", () =>
  staged(async (stage) => {
    await stage.secret();
    await stage.config();
    await stage.until("counted", async () => (await stage.configNow())?.status?.machines?.total === 0);
    const before = stage.clock.monotonic();
    for (const name of ["one", "two", "three"]) await stage.request(name);
    await stage.until("counted", async () => (await stage.configNow())?.status?.machines?.running === 3);
    assert.ok(stage.clock.monotonic() - before < 15_000);
  }));

test("an infrastructure that is away for a moment is no news; one that stays away is", () =>
  staged(async (stage, provider) => {
    await stage.secret();
    await stage.config();
    await stage.until("ready", isReady(stage, true));
    const away = new ProviderError({ kind: "unavailable", reason: "Unreachable", message: "no route" });
    provider.check = () => Promise.reject(away);
    const { checks } = provider;
    await stage.until("one failure", () => provider.checks === checks + 1);
    await stage.settle();
    assert.equal((await stage.configNow())?.status?.ready, true);
    await stage.until("not ready", isReady(stage, false));
    assert.equal(provider.checks, checks + 3);
    assert.equal((await stage.configNow())?.status?.validated, true);
    provider.check = () => fineReport;
    await stage.until("ready", isReady(stage, true));
  }));

test("nothing is written while nothing changes, but for the times every ten minutes", () =>
  staged(async (stage) => {
    await stage.secret();
    await stage.config();
    await stage.until("ready", isReady(stage, true));
    await stage.until("counted", async () => (await stage.configNow())?.status?.machines?.total === 0);
    await stage.settle(1_000);
    const before = stage.writes.length;
    await stage.settle(8 * 60_000);
    assert.deepEqual(stage.writes.slice(before), []);
    const { lastProbeTime } = (await stage.configNow())?.status ?? {};
    await stage.settle(12 * 60_000);
    assert.notEqual((await stage.configNow())?.status?.lastProbeTime, lastProbeTime);
    assert.ok(stage.writes.length - before <= 2);
  }));

test("the older shape works and is reported once as deprecated", () =>
  staged(async (stage, provider) => {
    await stage.secret();
    await stage.client.create(
      {
        group: "butler.butlerlabs.dev",
        version: "v1alpha1",
        kind: "ProviderConfig",
        plural: "providerconfigs",
        scope: "Namespaced",
      },
      Object.assign(
        { metadata: { name: "prod", namespace: "butler-system" } },
        { spec: { type: "harvester", harvester: { credentialsRef: { name: "credentials" } } } },
      ),
    );
    await stage.until("ready", isReady(stage, true));
    assert.equal(provider.opened.length, 1);
    const { status, message } = await condition(stage, "ShapeDeprecated");
    assert.equal(status, "True");
    assert.equal(
      message,
      "spec.type is deprecated: use spec.provider; spec.harvester.credentialsRef is deprecated: use spec.credentialsRef",
    );
    await stage.settle(10 * 60_000);
    assert.equal((await notes(stage, "DeprecatedShape")).length, 1);
  }));

test("a Secret in a namespace that is not watched is read, and read again now and then", () =>
  staged(async (stage, provider) => {
    const key = { namespace: "default", name: "prod" };
    const credentials = { namespace: "default", name: "credentials" };
    await stage.secret({ kubeconfig: "first" }, credentials);
    await stage.config({}, key);
    await stage.until("ready", async () => (await stage.configNow(key))?.status?.ready === true);
    await stage.secret({ kubeconfig: "second" }, credentials);
    await stage.until("rotated", () => provider.opened.length === 2);
  }));

test("a tenant's ProviderConfig may not borrow a Secret of another namespace", () =>
  staged(async (stage, provider) => {
    await stage.secret();
    const key = { namespace: "default", name: "prod" };
    await stage.config({ credentialsRef: { name: "credentials", namespace: "butler-system" } }, key);
    await stage.until("refused", async () => (await stage.configNow(key))?.status?.ready === false);
    const ready = (await stage.configNow(key))?.status?.conditions?.find(({ type }) => type === "Ready");
    assert.equal(ready?.reason, "CredentialsNotAllowed");
    assert.deepEqual(provider.opened, []);
  }));
