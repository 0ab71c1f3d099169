// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderError } from "../../engine/provider-error.ts";
import { systemClock } from "../../kube/index.ts";
import { provider } from "./index.ts";
import { networkAttachmentDefinition, virtualMachine } from "./kinds.ts";
import { createRefusal, type HarvesterStage, onHarvester } from "./testing/harvester-stage.ts";

interface Bad {
  readonly what: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly changes?: Parameters<HarvesterStage["want"]>[1];
  readonly before?: (stage: HarvesterStage) => Promise<void>;
  readonly kind: string;
  readonly reason: string;
  readonly says: RegExp;
}

for (const { what, settings = {}, changes = {}, before = async () => {}, kind, reason, says } of [
  {
    what: "an image that does not exist",
    changes: { image: "default/nope" },
    kind: "invalid",
    reason: "ImageNotFound",
    says: /image "default\/nope".*spec\.image/,
  },
  {
    what: "an image in another namespace",
    changes: { image: "other/talos-v1.9.2" },
    kind: "invalid",
    reason: "ImageNotFound",
    says: /namespace "other"/,
  },
  {
    what: "an image that is still being imported",
    changes: { image: "default/new" },
    before: async ({ sim }) => sim.addImage("default/new"),
    kind: "unavailable",
    reason: "ImageImporting",
    says: /still importing/,
  },
  {
    what: "an image whose import failed",
    changes: { image: "default/bad" },
    before: async ({ sim, pass }) => {
      await sim.addImage("default/bad", { import: "fails" });
      await pass(3_600_000);
    },
    kind: "invalid",
    reason: "ImageFailed",
    says: /RetryLimitExceeded/,
  },
  {
    what: "an image that Harvester has lost",
    before: async ({ sim }) => sim.loseBackingImage("default/image-5rs6d"),
    kind: "invalid",
    reason: "ImageFailed",
    says: /BackingImageMissing/,
  },
  {
    what: "a network that does not exist",
    settings: { networkName: "default/nope" },
    kind: "invalid",
    reason: "NetworkNotFound",
    says: /network "default\/nope".*spec\.harvester\.networkName/,
  },
  {
    what: "an extra disk's storage class that does not exist",
    changes: { extraDisks: [{ sizeGb: 1 }, { sizeGb: 1, storageClass: "nope" }] },
    kind: "invalid",
    reason: "StorageClassNotFound",
    says: /storage class "nope".*spec\.extraDisks\[1\]\.storageClass/,
  },
  {
    what: "a default storage class that does not exist",
    settings: { storageClassName: "nope" },
    changes: { extraDisks: [{ sizeGb: 1 }] },
    kind: "invalid",
    reason: "StorageClassNotFound",
    says: /storage class "nope".*spec\.harvester\.storageClassName/,
  },
  {
    what: "a pool address",
    changes: { network: { pool: "lab" } },
    kind: "invalid",
    reason: "InvalidSpec",
    says: /spec\.network/,
  },
  {
    what: "a label that Harvester refuses",
    changes: { labels: { owner: "team a" } },
    kind: "invalid",
    reason: "InvalidSpec",
    says: /spec\.labels\["owner"\]/,
  },
  {
    what: "no room in the count of machines",
    before: async ({ sim }) => sim.setQuota("default", { virtualMachines: 0 }),
    kind: "exhausted",
    reason: "QuotaExceeded",
    says: /exceeded quota/,
  },
  {
    what: "an upgrade of Harvester",
    before: async ({ sim }) => sim.setUpgrading(true),
    kind: "unavailable",
    reason: "WebhookUnavailable",
    says: /upgrade/,
  },
  {
    what: "a token that has expired",
    before: async ({ sim }) => sim.expireCredentials(),
    kind: "denied",
    reason: "CredentialsRefused",
    says: /put a valid kubeconfig into the credentials Secret/,
  },
] satisfies readonly Bad[] as readonly Bad[])
  test(`${what} gives ${kind}, ${reason}, and leaves no machine`, () =>
    onHarvester(async (stage) => {
      const connection = await stage.link({ settings });
      await before(stage);
      const refused = await createRefusal(stage, connection, stage.want("web-1", changes));
      assert.equal(refused.kind, kind, refused.message);
      assert.equal(refused.reason, reason, refused.message);
      assert.match(refused.message, says);
      assert.match(refused.message, /^create machine "web-1": /);
      assert.equal(refused.mayHaveActed, false);
      assert.deepEqual(stage.sim.machines(), []);
    }));

test("a namespace that does not exist is told by the field's name", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link({ settings: { namespace: "nowhere" } });
    const refused = await createRefusal(stage, connection, stage.want("web-1"));
    assert.equal(refused.kind, "invalid", refused.message);
    assert.match(refused.message, /namespace "nowhere".*spec\.harvester\.namespace/);
  }));

test("a machine is made as soon as its image is imported", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    const wanted = stage.want("web-1", { image: "default/new" });
    await stage.sim.addImage("default/new");
    await createRefusal(stage, connection, wanted);
    await stage.pass(3_600_000);
    await stage.up(connection, wanted);
  }));

test("H17: a network that is removed before the machine starts is told with the field to change", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    await stage.up(connection, stage.want("web-0"));
    await stage.admin.delete(networkAttachmentDefinition, { namespace: "default", name: "vlan40-workloads" });
    const wanted = stage.want("web-1");
    await connection.machines.create(wanted, stage.call());
    const { have } = await stage.until(connection, wanted, (found) => found.have?.trouble !== undefined);
    assert.equal(have?.trouble?.reason, "NetworkNotFound", have?.trouble?.message);
    assert.equal(have?.trouble?.kind, "invalid");
    assert.match(have?.trouble?.message ?? "", /spec\.harvester\.networkName/);
  }));

test("H13: no room on any node is told, and passes", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    stage.sim.setRoom(false);
    const wanted = stage.want("web-1");
    await connection.machines.create(wanted, stage.call());
    const { have } = await stage.until(connection, wanted, (found) => found.have?.trouble !== undefined);
    assert.equal(have?.trouble?.kind, "exhausted");
    assert.equal(have?.trouble?.reason, "Unschedulable");
    stage.sim.setRoom(true);
    await stage.up(connection, wanted);
  }));

test("an image without a guest agent gives a machine that says so", () =>
  onHarvester(async (stage) => {
    await stage.sim.addImage("default/bare", { hasGuestAgent: false });
    await stage.pass(3_600_000);
    const connection = await stage.link();
    const wanted = stage.want("web-1", { image: "default/bare" });
    await connection.machines.create(wanted, stage.call());
    const { have } = await stage.until(connection, wanted, (found) => found.have?.state === "running");
    await stage.pass(600_000);
    assert.deepEqual(have?.addresses, []);
    assert.match(have?.detail ?? "", /guest agent not connected/);
    assert.notEqual(have?.macAddress, undefined);
  }));

async function connectRefusal(secret: Readonly<Record<string, string>>, changes: object = {}): Promise<ProviderError> {
  const settings = { networkName: "default/vlan40-workloads", ...changes };
  const input = { settings, secret, installation: "i", clock: systemClock, random: Math.random };
  try {
    await provider.connect(input);
  } catch (error) {
    return error as ProviderError;
  }
  assert.fail("it must be refused");
}

const KUBECONFIG = (user: string) => `
apiVersion: v1
kind: Config
current-context: harvester
contexts: [{ name: harvester, context: { cluster: harvester, user: me } }]
clusters: [{ name: harvester, cluster: { server: "https://harvester.example:6443" } }]
users: [{ name: me, user: ${user} }]
`;

for (const [what, secret, says] of [
  ["has no kubeconfig", {}, /no key "kubeconfig"/],
  ["has an empty kubeconfig", { kubeconfig: " \n" }, /no key "kubeconfig"/],
  ["has something else as kubeconfig", { kubeconfig: "hello" }, /key "kubeconfig" of the credentials Secret/],
  ["has a kubeconfig with an empty token", { kubeconfig: KUBECONFIG('{ token: "" }') }, /has no credentials/],
  ["has a kubeconfig that says nothing of who calls", { kubeconfig: KUBECONFIG("{}") }, /has no credentials/],
  [
    "has a kubeconfig that runs a program",
    { kubeconfig: KUBECONFIG("{ exec: { apiVersion: client.authentication.k8s.io/v1, command: sh } }") },
    /exec is not allowed/,
  ],
  [
    "has a kubeconfig that reads a file",
    { kubeconfig: KUBECONFIG("{ tokenFile: /etc/passwd }") },
    /tokenFile is not allowed/,
  ],
] as const)
  test(`a credentials Secret that ${what} is invalid`, async () => {
    const refused = await connectRefusal(secret);
    assert.equal(refused.kind, "invalid");
    assert.equal(refused.reason, "InvalidKubeconfig");
    assert.match(refused.message, says);
    assert.doesNotMatch(refused.message, /hello|passwd/);
  });

test("credentialsRef.key may name another key", async () => {
  const secret = { harvester: KUBECONFIG("{ token: abc }") };
  const settings = { networkName: "default/vlan40-workloads" };
  const input = { settings, secret, installation: "i", clock: systemClock, random: Math.random };
  const connection = await provider.connect({ ...input, secretKey: "harvester" });
  assert.equal(connection.place, "https://harvester.example:6443 default");
  await connection.close();
});

test("settings that cannot work are refused by their field", async () => {
  const secret = { kubeconfig: KUBECONFIG("{ token: abc }") };
  assert.match((await connectRefusal(secret, { networkName: "vlan40" })).message, /^spec\.harvester\.networkName: /);
  assert.match((await connectRefusal(secret, { secureBoot: true })).message, /^spec\.harvester\.secureBoot: /);
});

test("a cluster that is no Harvester is told so", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    stage.sim.inject({
      on: ({ path }) => path.includes(virtualMachine.group),
      effect: { type: "refuse", status: 404, message: "the server could not find the requested resource" },
    });
    const refused = await createRefusal(stage, connection, stage.want("web-1"));
    assert.equal(refused.reason, "NotHarvester", refused.message);
  }));
