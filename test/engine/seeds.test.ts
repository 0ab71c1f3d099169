// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type MachineRequest, machineRequest, type ProviderConfig } from "../../src/api/index.ts";
import { providerConfigDescriptor } from "../../src/engine/provider-config-use.ts";
import {
  createCache,
  event,
  type KubeObject,
  type PersistentVolumeClaim,
  persistentVolumeClaim,
  type Secret,
  secret,
} from "../../src/kube/index.ts";
import { type VirtualMachine, virtualMachine } from "../../src/providers/harvester/kinds.ts";
import { seedBlocks } from "../seeds/blocks.ts";
import { badInputs } from "./bad-input.ts";
import { type HarvesterLife, onHarvesterLife } from "./harvester-life.ts";
import { testTitles } from "./test-titles.ts";

/** An object of the seed documents, as it stands there. */
function seed<T extends KubeObject>(file: string): T {
  const found = seedBlocks().find((block) => block.file === file);
  assert.ok(found, file);
  return found.object as unknown as T;
}

/** What a life leaves to be looked at. */
interface Lived {
  readonly request: MachineRequest;
  readonly vm: VirtualMachine;
  readonly claims: readonly PersistentVolumeClaim[];
  readonly cloudInit: Secret | undefined;
  readonly phases: readonly string[];
  readonly finalizersWhileRunning: readonly string[];
  readonly events: readonly string[];
  readonly leftovers: readonly string[];
  /** Every status that was ever written. */
  readonly statuses: readonly NonNullable<MachineRequest["status"]>[];
}

const NETWORK_DATA = "version: 2\nethernets: {}\n";

/** Lives the machine of a request from its first moment to its last. */
async function live(life: HarvesterLife, draft: MachineRequest): Promise<Lived> {
  const { client, sim, harvester } = life;
  const { name = "", namespace = "default" } = draft.metadata;
  const statuses: NonNullable<MachineRequest["status"]>[] = [];
  const end = new AbortController();
  const cache = createCache(client, machineRequest, { clock: life.clock });
  cache.subscribe((_, now) => {
    if (now?.status !== undefined && now.metadata.name === name) statuses.push(now.status);
  });
  const following = cache.start(end.signal);
  await client.create(machineRequest, { ...draft, metadata: { ...draft.metadata, namespace } });
  const read = () => life.requestNow(name, namespace);
  await life.until("running", async () => (await read())?.status?.phase === "Running");
  // Some addresses come a moment later.
  await life.settle(60_000);
  const request = await read();
  assert.ok(request);
  const where = { namespace: "default" };
  const vm = await harvester.get(virtualMachine, { ...where, name: draft.spec.machineName });
  const claims = await harvester.list(persistentVolumeClaim, where);
  const secrets = await harvester.list(secret, where);
  await client.delete(machineRequest, { namespace, name });
  await life.until("gone", async () => (await read()) === undefined);
  await life.settle(5_000);
  const events = await client.list(event);
  end.abort(new Error("the life is over"));
  await following;
  return {
    request,
    vm,
    claims: claims.items,
    cloudInit: secrets.items.find((each) => each.data?.userdata !== undefined),
    phases: statuses.map(({ phase }) => phase).filter((phase, at, all) => phase !== all[at - 1]),
    finalizersWhileRunning: request.metadata.finalizers ?? [],
    events: events.items
      .filter(({ regarding }) => regarding?.kind === "MachineRequest" && regarding.name === name)
      .map(({ reason }) => reason ?? ""),
    leftovers: sim.leftovers(),
    statuses,
  };
}

const text = (value: unknown) => JSON.stringify(value);

describe("seed 003: the documented request, lived from Pending to Deleted", () => {
  let lived: Lived;
  before(() =>
    onHarvesterLife(async (life) => {
      await life.config({ harvester: life.sim.settings }, { name: "harvester-prod" });
      const draft = seed<MachineRequest>("003-machine-request.yaml");
      lived = await live(life, { ...draft, spec: { ...draft.spec, networkData: NETWORK_DATA } });
    }),
  );

  const spec: Readonly<Record<string, (lived: Lived) => void>> = {
    providerRef: ({ request }) => assert.match(text(request.metadata.annotations), /butler-system\/harvester-prod/),
    machineName: ({ vm }) => assert.equal(vm.metadata.name, "butler-mgmt-cp-0"),
    role: ({ request }) => assert.equal(request.spec.role, "control-plane"),
    cpu: ({ vm }) => assert.match(text(vm.spec.template.spec), /"cores":4/),
    memoryMB: ({ vm }) => assert.match(text(vm.spec.template.spec), /"guest":"16384Mi"/),
    diskGB: ({ claims }) => assert.equal(claimOf(claims, "-rootdisk-")?.spec?.resources?.requests?.storage, "100Gi"),
    extraDisks({ claims }) {
      const extra = claims.find(({ metadata }) => !metadata.name?.includes("-rootdisk-"));
      assert.deepEqual(
        [extra?.spec?.resources?.requests?.storage, extra?.spec?.storageClassName],
        ["500Gi", "longhorn"],
      );
    },
    image: ({ claims }) =>
      assert.equal(
        claimOf(claims, "-rootdisk-")?.metadata.annotations?.["harvesterhci.io/imageId"],
        "default/image-5rs6d",
        "default/talos-v1.9.2 is the name that people see",
      ),
    userData: ({ cloudInit }) => assert.match(decoded(cloudInit?.data?.userdata), /^#cloud-config/),
    networkData: ({ cloudInit }) => assert.equal(decoded(cloudInit?.data?.networkdata), NETWORK_DATA),
    labels: ({ vm }) =>
      assert.deepEqual(
        ["butler.butlerlabs.dev/cluster", "butler.butlerlabs.dev/role"].map((label) => vm.metadata.labels?.[label]),
        ["butler-mgmt", "control-plane"],
      ),
  };
  for (const [field, holds] of Object.entries(spec)) test(`spec.${field}`, () => holds(lived));

  const status: Readonly<Record<string, (lived: Lived) => void>> = {
    phase: ({ request }) => assert.equal(request.status?.phase, "Running"),
    providerID: ({ request, vm }) => assert.equal(request.status?.providerID, vm.metadata.uid),
    ipAddress: ({ request }) => assert.match(request.status?.ipAddress ?? "", /^127\./),
    ipAddresses({ request }) {
      const { ipAddress = "", ipAddresses = [] } = request.status ?? {};
      assert.ok(ipAddresses.length > 1 && ipAddresses.includes(ipAddress), ipAddresses.join());
    },
    macAddress: ({ request }) => assert.match(request.status?.macAddress ?? "", /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/),
    conditions({ request }) {
      const ready = request.status?.conditions?.find(({ type }) => type === "Ready");
      assert.deepEqual(
        [ready?.status, ready?.reason, ready?.message],
        ["True", "VMRunning", "Virtual machine is running"],
      );
    },
    lastUpdated: ({ statuses }) =>
      assert.ok(statuses.every(({ phase, lastUpdated }) => phase === "Pending" || lastUpdated !== undefined)),
    observedGeneration: ({ request }) => assert.equal(request.status?.observedGeneration, request.metadata.generation),
  };
  for (const [field, holds] of Object.entries(status)) test(`status.${field}`, () => holds(lived));

  test("contract: Pending, Creating, Running, Deleting, Deleted, in this order", () =>
    assert.deepEqual(lived.phases, ["Pending", "Creating", "Running", "Deleting", "Deleted"]));
  test("contract: ipAddress is there when Running is, and not before", () => {
    for (const { phase, ipAddress } of lived.statuses) {
      if (phase === "Running") assert.ok(ipAddress);
      if (phase === "Pending" || phase === "Creating") assert.equal(ipAddress, undefined);
    }
  });
  test("contract: a finalizer while there is a machine", () =>
    assert.deepEqual(lived.finalizersWhileRunning, ["machinerequest.butler.butlerlabs.dev/harvester-finalizer"]));
  test("contract: the machine and all its parts are gone with the request", () =>
    assert.deepEqual(lived.leftovers, []));
  test("contract: events for the audit trail", () => {
    for (const reason of ["VMCreated", "VMRunning", "VMDeleted"]) assert.ok(lived.events.includes(reason), reason);
  });
  test("every field of the schema is walked through here, or is ours", () => {
    const ours = ["network", "failureDomain", "spreadGroup", "deletionPolicy"];
    const schema = machineRequest.schema().properties?.spec?.properties ?? {};
    assert.deepEqual(Object.keys(schema).sort(), [...Object.keys(spec), ...ours].sort());
  });
  test("the columns of kubectl get mr", () => {
    const { versions } = machineRequest.crd().spec;
    assert.deepEqual(
      versions[0]?.additionalPrinterColumns?.filter(({ priority = 0 }) => priority === 0).map(({ name }) => name),
      ["Machine", "Role", "Phase", "IP", "Age"],
    );
  });
});

test("seed 003: failureReason and failureMessage are there while Failed is the phase, and only then", () =>
  onHarvesterLife(async (life) => {
    await life.request("web-1", { image: "default/nope" });
    const { status } = await life.phase("web-1", "Failed");
    assert.equal(status?.failureReason, "ImageNotFound");
    assert.match(status?.failureMessage ?? "", /default\/nope/);
    await life.edit("web-1", { spec: { image: null } });
    const running = await life.phase("web-1", "Running");
    assert.deepEqual([running.status?.failureReason, running.status?.failureMessage], [undefined, undefined]);
  }));

test("seed 003: Unknown is the phase of a running machine whose state cannot be determined, and passes by itself", () =>
  onHarvesterLife(async (life) => {
    await life.request("web-1");
    await life.phase("web-1", "Running");
    const mend = life.sim.inject({ effect: { type: "refuse", status: 503, message: "down" } });
    life.sim.cutWatches("break");
    await life.phase("web-1", "Unknown", 15);
    mend();
    await life.phase("web-1", "Running", 5);
  }));

test("seed 003: credentials come from the ProviderConfig that providerRef names, and requests of others are left alone", () =>
  onHarvesterLife(async (life) => {
    await life.secret({ ...life.sim.badAccess.secret }, { name: "bad" });
    const harvester = life.sim.settings;
    await life.config({ harvester, credentialsRef: { name: "bad" } }, { name: "bad" });
    await life.config({ provider: "aws", harvester: undefined, aws: { region: "eu-central-1" } }, { name: "cloud" });
    await life.request("good-1");
    await life.request("bad-1", { providerRef: { name: "bad" } });
    await life.request("cloud-1", { providerRef: { name: "cloud" } });
    await life.phase("good-1", "Running");
    const refused = await life.when("bad-1", "refused", ({ status }) => status?.lastError !== undefined);
    assert.equal(refused.status?.lastError?.kind, "denied");
    const others = await life.requestNow("cloud-1");
    assert.equal(others?.metadata.finalizers, undefined);
    assert.deepEqual(
      life.sim.machines().map(({ name }) => name),
      ["good-1"],
    );
  }));

describe("seed 004: the documented Harvester provider", () => {
  let lived: Lived;
  before(() =>
    onHarvesterLife(async (life) => {
      // Its objects name no namespace, which means default to kubectl; with no more than the rights that it asks for.
      const { kubeconfig = "" } = life.sim.basicAccess.secret;
      const credentials = seed<Secret>("004-secret.yaml");
      const where = { namespace: "default" };
      await life.client.create(secret, {
        ...credentials,
        metadata: { ...credentials.metadata, ...where },
        data: { kubeconfig: Buffer.from(kubeconfig).toString("base64") },
      });
      const config = seed<ProviderConfig>("004-provider-config.yaml");
      await life.client.create(providerConfigDescriptor, { ...config, metadata: { ...config.metadata, ...where } });
      lived = await live(life, seed<MachineRequest>("004-machine-request.yaml"));
    }),
  );
  const root = () => claimOf(lived.claims, "-rootdisk-");

  test("resources created: a PersistentVolumeClaim made from the image, annotated with its id", () =>
    assert.equal(root()?.metadata.annotations?.["harvesterhci.io/imageId"], "default/image-5rs6d"));
  test("resources created: its storage class is longhorn-<image>", () =>
    assert.equal(root()?.spec?.storageClassName, "longhorn-image-5rs6d"));
  test("resources created: a VirtualMachine with that claim as its root disk", () =>
    assert.match(text(lived.vm.spec.template.spec.volumes), new RegExp(`"claimName":"${root()?.metadata.name}"`)));
  test("required permissions: with these alone a machine lives and dies, and nothing is left", () =>
    assert.deepEqual([lived.phases.at(-1), lived.leftovers], ["Deleted", []]));
  test("phases: Pending, Creating, Running, Deleting", () =>
    assert.deepEqual(lived.phases.slice(0, 4), ["Pending", "Creating", "Running", "Deleting"]));
});

describe("seed 004: each cause of its troubleshooting is told by name", () => {
  const causes: Readonly<Record<string, string>> = {
    "network misconfiguration": "NetworkNotFound",
    "image upload not completed": "ImageImporting",
    "image not usable": "ImageFailed",
    "permission error": "PermissionMissing",
    "wrong image reference": "ImageNotFound",
    "storage class missing": "StorageClassNotFound",
  };
  for (const [cause, reason] of Object.entries(causes))
    test(`${cause}: ${reason}, and it recovers by itself`, () =>
      assert.ok(
        badInputs.some((bad) => bad.reason === reason),
        "played in the table of bad input",
      ));

  test("DHCP not responding: WaitingForIP, then CreationTimeout", () =>
    onHarvesterLife(async (life) => {
      life.sim.holdAddresses(true);
      await life.request("web-1");
      const ready = ({ status }: MachineRequest) => status?.conditions?.find(({ type }) => type === "Ready");
      const waiting = await life.when("web-1", "waits", (request) => ready(request)?.reason === "WaitingForIP");
      assert.match(ready(waiting)?.message ?? "", /DHCP/);
      const failed = await life.phase("web-1", "Failed", 25);
      assert.equal(failed.status?.failureReason, "CreationTimeout");
      life.sim.holdAddresses(false);
      await life.phase("web-1", "Running");
    }));

  test("image not bootable: a machine that runs and says nothing is told so, and fails after the creation timeout", () =>
    onHarvesterLife(async (life) => {
      await life.sim.addImage("default/unbootable", { hasGuestAgent: false });
      await life.settle(15 * 60_000);
      await life.request("web-1", { image: "default/unbootable" });
      const { status } = await life.phase("web-1", "Failed", 25);
      assert.equal(status?.failureReason, "CreationTimeout");
      assert.match(status?.failureMessage ?? "", /guest agent not connected.*its image/);
      await life.edit("web-1", { spec: { image: null } });
      await life.phase("web-1", "Running");
    }));
});

test("seed 000: the required tests are there under their names", () => {
  const titles = testTitles();
  for (const [name, ...covers] of [
    ["provider filter: ", "another provider"],
    ["VM create: ", "Pending -> Creating", "idempotency on existing VM"],
    ["VM status poll: ", "Creating -> Running"],
    ["VM delete: ", "finalizer", "idempotency on missing VM"],
    ["error handling: ", "Failed phase on API errors", "event recording"],
    ["integration: ", "full MachineRequest lifecycle"],
  ] as const) {
    const named = titles.filter((title) => title.startsWith(name));
    for (const covered of covers)
      assert.ok(
        named.some((title) => title.includes(covered)),
        `${name}${covered}`,
      );
  }
});

function claimOf(claims: readonly PersistentVolumeClaim[], part: string): PersistentVolumeClaim | undefined {
  return claims.find(({ metadata }) => metadata.name?.includes(part));
}

function decoded(value = ""): string {
  return Buffer.from(value, "base64").toString("utf8");
}
