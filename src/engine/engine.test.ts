// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest, team } from "../api/index.ts";
import { event as eventKind, namespace as namespaceKind } from "../kube/index.ts";
import { ANNOTATIONS } from "./identity.ts";
import { ProviderError } from "./provider-error.ts";
import { fineReport, type ScriptedProvider, scriptedProvider } from "./testing/scripted-provider.ts";
import { raiseStage, type Stage } from "./testing/stage.ts";

/** A stage with a provider that makes machines, one that could, and a block without code. */
async function staged(act: (stage: Stage, provider: ScriptedProvider) => Promise<void>): Promise<void> {
  const provider = scriptedProvider();
  const other = scriptedProvider("proxmox");
  const { load: _none, ...unfinished } = scriptedProvider("aws").entry;
  const stage = await raiseStage([provider.entry, other.entry, unfinished]);
  try {
    await stage.secret();
    await act(stage, provider);
  } finally {
    await stage.stop();
  }
}

const isRunning = (stage: Stage, name: string, namespace?: string) => async () =>
  (await stage.requestNow(name, namespace))?.status?.phase === "Running";

async function told(stage: Stage, name: string, namespace?: string) {
  return JSON.stringify((await stage.requestNow(name, namespace))?.status?.conditions ?? []);
}

test("W-04: a request without a ProviderConfig is told so once, whichever managers run, and taken on when there is one", () =>
  staged(async (stage, provider) => {
    stage.run("harvester");
    stage.run("proxmox");
    await stage.request("early");
    await stage.until("told", async () => (await told(stage, "early")).includes("ProviderConfigNotFound"));
    await stage.settle(60_000);
    const request = await stage.requestNow("early");
    assert.equal(request?.status?.phase, "Pending");
    assert.deepEqual(request?.metadata.finalizers ?? [], []);
    assert.match(await told(stage, "early"), /ProviderConfig \\"butler-system\/prod\\" does not exist; create it/);
    const { items } = await stage.client.list(eventKind);
    const events = items.filter(({ regarding }) => regarding?.name === "early");
    assert.deepEqual(
      events.map(({ reason, series }) => [reason, series?.count ?? 1]),
      [["ProviderConfigNotFound", 1]],
    );
    const version = request?.metadata.resourceVersion;
    await stage.settle(120_000);
    assert.equal((await stage.requestNow("early"))?.metadata.resourceVersion, version);
    await stage.config();
    await stage.until("running", isRunning(stage, "early"));
    assert.equal(provider.machines.size, 1);
  }));

test("a provider that cannot make machines yet is named, with those that can", () =>
  staged(async (stage) => {
    stage.run("harvester");
    stage.run("proxmox");
    await stage.config({ provider: "aws", aws: {}, harvester: undefined });
    await stage.request("cloudy");
    await stage.until("told", async () => (await told(stage, "cloudy")).includes("ProviderNotSupported"));
    assert.match(
      await told(stage, "cloudy"),
      /provider \\"aws\\" .* cannot make machines yet; providers that can: harvester, proxmox/,
    );
    await stage.until("said of itself", async () => (await stage.configNow())?.status?.ready === false);
  }));

test("a ProviderConfig is looked for in the request's namespace and then in butler-system, and a launch stays with its own", () =>
  staged(async (stage, provider) => {
    stage.run("harvester", { secretNamespaces: "all" });
    await stage.config();
    await stage.request("one", {}, { namespace: "default" });
    await stage.until("running", isRunning(stage, "one", "default"));
    const launch = async () =>
      (await stage.requestNow("one", "default"))?.metadata.annotations?.[ANNOTATIONS.launch] ?? "";
    assert.match(await launch(), /"butler-system\/prod"/);
    // Another of the name comes nearer.
    await stage.secret({ kubeconfig: "near" }, { namespace: "default" });
    await stage.config({ harvester: { namespace: "near" } }, { namespace: "default" });
    await stage.settle(60_000);
    assert.equal((await stage.requestNow("one", "default"))?.status?.phase, "Running");
    await stage.request("two", {}, { namespace: "default" });
    await stage.until("running", isRunning(stage, "two", "default"));
    assert.equal(provider.opened.length, 2);
    await stage.client.delete(machineRequest, { namespace: "default", name: "one" });
    await stage.until("gone", async () => (await stage.requestNow("one", "default")) === undefined);
    assert.deepEqual(
      [...provider.machines.values()].map(({ name }) => name),
      ["two"],
    );
  }));

test("a team's ProviderConfig is for the team's namespaces alone, from the moment they are the team's until they are not", () =>
  staged(async (stage, provider) => {
    stage.run("harvester");
    await stage.config({ scope: { type: "team", teamRef: { name: "blue" } } });
    await stage.client.create(namespaceKind, { metadata: { name: "web" } });
    await stage.request("stranger", {}, { namespace: "web" });
    await stage.until("refused", async () =>
      (await told(stage, "stranger", "web")).includes("ProviderConfigNotAllowed"),
    );
    assert.match(
      await told(stage, "stranger", "web"),
      /is for team \\"blue\\" alone, and namespace \\"web\\" does not belong to it/,
    );
    assert.equal(provider.machines.size, 0);
    const label = (value: string | null) =>
      stage.client.mergePatch(
        namespaceKind,
        { name: "web" },
        { metadata: { labels: { "butler.butlerlabs.dev/team": value } } },
      );
    await label("blue");
    await stage.until("running", isRunning(stage, "stranger", "web"));
    // What was made while it was allowed can be deleted when it is not any more.
    await label(null);
    await stage.client.delete(machineRequest, { namespace: "web", name: "stranger" });
    await stage.until("gone", async () => (await stage.requestNow("stranger", "web")) === undefined);
    assert.equal(provider.machines.size, 0);
    await stage.request("second", {}, { namespace: "web" });
    await stage.until("refused", async () => (await told(stage, "second", "web")).includes("ProviderConfigNotAllowed"));
    const blue = await stage.client.create(team, { metadata: { name: "blue" }, spec: {} });
    await stage.client.update(team, { ...blue, status: { namespace: "web" } }, { subresource: "status" });
    await stage.until("running", isRunning(stage, "second", "web"));
  }));

test("W-14: every outside call is one log line and one metric, and machines are counted by phase; none has a secret in it", () =>
  staged(async (stage, provider) => {
    stage.run("harvester");
    await stage.secret({ kubeconfig: "very-secret-text" });
    await stage.config();
    await stage.request("one", { userData: "#cloud-config\npassword: user-secret" });
    await stage.until("running", isRunning(stage, "one"));
    await stage.until("checked", async () => (await stage.configNow())?.status?.ready === true);
    const lines = stage.lines.map((line): Record<string, unknown> => JSON.parse(line));
    const checks = lines.filter(({ message, verb }) => message === "outside call" && verb === "check everything");
    assert.equal(checks.length, provider.checks);
    const { provider: name, providerConfig, result } = checks[0] ?? {};
    assert.deepEqual([name, providerConfig, result], ["harvester", "butler-system/prod", "ok"]);
    assert.match(
      stage.metrics.text(),
      /butler_outside_calls_total\{provider="harvester",providerConfig="butler-system\/prod",verb="check everything",result="ok"\} 1/,
    );
    assert.match(
      stage.metrics.text(),
      /controller_runtime_reconcile_total\{controller="machines-harvester",result="success"\}/,
    );
    assert.doesNotMatch(stage.lines.join("") + stage.metrics.text(), /very-secret-text|user-secret/);
  }));

test("an infrastructure that does not answer keeps only its own machines waiting", () =>
  staged(async (stage, provider) => {
    stage.run("harvester", { concurrency: 4, perConfig: 2 });
    await stage.secret({ kubeconfig: "dead" }, { name: "dead" });
    await stage.config({ credentialsRef: { name: "dead" }, harvester: { namespace: "dead" } }, { name: "dead" });
    await stage.config();
    provider.beforeCreate = (place) => (place === "dead" ? new Promise(() => {}) : undefined);
    for (let at = 0; at < 8; at += 1) await stage.request(`dead-${at}`, { providerRef: { name: "dead" } });
    await stage.settle(1_000);
    for (let at = 0; at < 4; at += 1) await stage.request(`live-${at}`);
    const before = stage.clock.monotonic();
    for (let at = 0; at < 4; at += 1) await stage.until("running", isRunning(stage, `live-${at}`));
    assert.ok(stage.clock.monotonic() - before < 30_000);
  }));

test("what the infrastructure refuses while it connects is told, and tried again when the Secret changes", () =>
  staged(async (stage, provider) => {
    stage.run("harvester");
    provider.onConnect = ({ secret }) => {
      if (secret.kubeconfig !== "good")
        throw new ProviderError({
          kind: "invalid",
          reason: "InvalidKubeconfig",
          message: "kubeconfig: there is no current context",
        });
    };
    await stage.config();
    await stage.request("one");
    await stage.until("told", async () => (await told(stage, "one")).includes("InvalidKubeconfig"));
    await stage.secret({ kubeconfig: "good" });
    await stage.until("running", isRunning(stage, "one"));
  }));

test("machines that failed for what a check finds mended are tried again at once", () =>
  staged(async (stage, provider) => {
    stage.run("harvester");
    const missing = { reason: "ImageNotFound", message: 'image "default/talos" does not exist; upload it' };
    provider.check = () => ({
      findings: [{ condition: "ImageAvailable", result: "failed", isBlocking: true, ...missing }],
    });
    provider.beforeCreate = () => {
      throw new ProviderError({ kind: "invalid", ...missing });
    };
    await stage.config();
    await stage.request("one");
    await stage.until("failed", async () => (await stage.requestNow("one"))?.status?.phase === "Failed");
    await stage.until("not ready", async () => (await stage.configNow())?.status?.ready === false);
    provider.check = () => fineReport;
    provider.beforeCreate = () => {};
    await stage.until("ready", async () => (await stage.configNow())?.status?.ready === true);
    const before = stage.clock.monotonic();
    await stage.until("running", isRunning(stage, "one"));
    assert.ok(stage.clock.monotonic() - before < 5_000);
  }));

test("creation stops while more machines carry our mark than there are requests, and goes on when they are gone", () =>
  staged(async (stage, provider) => {
    stage.run("harvester");
    await stage.config();
    await stage.request("one");
    await stage.until("running", isRunning(stage, "one"));
    const [mine] = provider.machines.values();
    assert.ok(mine);
    for (const id of ["x", "y", "z"])
      provider.machines.set(id, {
        ...mine,
        name: `stray-${id}`,
        mark: { ...mine.mark, machineId: id, owner: "other/gone" },
      });
    await stage.until("seen", async () => (await stage.configNow())?.status?.machines?.total === 4);
    await stage.request("two");
    await stage.until("told", async () => (await told(stage, "two")).includes("TooManyMachines"));
    assert.match(
      await told(stage, "two"),
      /4 machines of this installation for 2 MachineRequests; without a request: \\"stray-x\\"/,
    );
    assert.equal((await stage.requestNow("two"))?.status?.phase, "Pending");
    assert.equal(provider.machines.size, 4);
    for (const id of ["x", "y", "z"]) provider.machines.delete(id);
    await stage.until("running", isRunning(stage, "two"));
  }));
