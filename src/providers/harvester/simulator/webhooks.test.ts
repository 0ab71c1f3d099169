// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { listAt, textAt } from "./read.ts";
import { CLAIMS, machine, SECRETS, stage, VMIS, VMS } from "./testing/stage.ts";

// biome-ignore lint/suspicious/noExplicitAny: objects are bent in every way
type Bend = (vm: any) => void;

/** A machine with something wrong about it. */
function bent(bend: Bend) {
  return machine("web-1", {
    change(vm) {
      bend(vm);
      return vm;
    },
  });
}

/** With cloud-init data of its own. */
function withData(data: object) {
  return bent((vm) => {
    vm.spec.template.spec.domain.devices.disks.push({ name: "init", disk: { bus: "virtio" } });
    vm.spec.template.spec.volumes.push({ name: "init", cloudInitNoCloud: data });
  });
}

test("H9 inline data of more than 2,048 bytes is refused with KubeVirt's words, also where base64 hides it", async (t) => {
  const { send } = await stage(t);
  const place = "spec.template.spec.volumes[1].cloudInitNoCloud";
  const says = `admission webhook "virtualmachine-validator.kubevirt.io" denied the request: ${place}`;
  const large = "x".repeat(2049);
  const encoded = Buffer.from(large).toString("base64");
  for (const data of [{ userData: large }, { userDataBase64: encoded }]) {
    const { status, message, body } = await send("POST", VMS, withData(data));
    assert.equal(status, 422);
    assert.equal(message, `${says} userdata exceeds 2048 byte limit. Should use UserDataSecretRef for larger data.`);
    assert.equal(textAt(body, "details", "causes", 0, "field"), place);
  }
  for (const data of [{ networkData: large }, { networkDataBase64: encoded }]) {
    const { message } = await send("POST", VMS, withData(data));
    assert.equal(
      message,
      `${says} networkdata exceeds 2048 byte limit. Should use NetworkDataSecretRef for larger data.`,
    );
  }
  assert.equal((await send("POST", VMS, withData({ userData: large.slice(1), networkData: "a: b" }))).status, 201);
});

const refusals: readonly (readonly [what: string, bend: Bend, says: RegExp])[] = [
  [
    "running together with runStrategy",
    (vm) => (vm.spec.running = true),
    /Running and RunStrategy are mutually exclusive/,
  ],
  ["neither of the two", (vm) => delete vm.spec.runStrategy, /RunStrategy must be specified/],
  ["a run strategy nobody knows", (vm) => (vm.spec.runStrategy = "Sometimes"), /Invalid RunStrategy \(Sometimes\)/],
  [
    "no memory",
    ({ spec: { template } }) => {
      delete template.spec.domain.memory;
      delete template.spec.domain.resources;
    },
    /either memory.guest or resources.limits.memory must be set/,
  ],
  ["a bad label", (vm) => (vm.metadata.labels.a = "not legal!"), /metadata.labels: Invalid value: "not legal!"/],
  [
    "a bad label of the instance",
    (vm) => (vm.spec.template.metadata.labels.a = "not legal!"),
    /spec.template.metadata.labels: Invalid value: "not legal!"/,
  ],
  ["a name over 63 characters", (vm) => (vm.metadata.name = "a".repeat(64)), /must be no more than 63 characters/],
  ["a disk without a volume", (vm) => vm.spec.template.spec.volumes.pop(), /disks\[0\].name 'disk-0' not found/],
  ["no template", (vm) => delete vm.spec.template, /missing virtual machine template/],
  [
    "templates of volumes that are no JSON",
    (vm) => (vm.metadata.annotations["harvesterhci.io/volumeClaimTemplates"] = "["),
    /the volumeClaimTemplates annotaion is invalid/,
  ],
  [
    "secure boot without SMM",
    (vm) => (vm.spec.template.spec.domain.firmware = { bootloader: { efi: {} } }),
    /SecureBoot requires SMM/,
  ],
  [
    "more memory for the guest than is left beside the reserved",
    (vm) => (vm.metadata.annotations["harvesterhci.io/reservedMemory"] = "512Mi"),
    /cannot be greater than limits.memory/,
  ],
];
for (const [what, bend, says] of refusals) {
  test(`H10 ${what} is refused`, async (t) => {
    const { send, harvester } = await stage(t);
    const { status, message } = await send("POST", VMS, bent(bend));
    assert.equal(status, 422, message);
    assert.match(message, says);
    assert.deepEqual(harvester.leftovers(), []);
  });
}

test("a machine is not stored quite as it was sent, and its own webhooks accept it again", async (t) => {
  const { send, get, pass } = await stage(t);
  await send(
    "POST",
    VMS,
    bent((vm) => delete vm.spec.template.spec.domain.memory),
  );
  await pass(1000);
  const vm = await get(`${VMS}/web-1`);
  assert.equal(textAt(vm, "spec", "template", "spec", "domain", "memory", "guest"), "1948Mi");
  assert.equal(textAt(vm, "spec", "template", "spec", "domain", "resources", "requests", "cpu"), "62m");
  assert.equal(vm?.metadata.annotations?.["harvesterhci.io/vmRunStrategy"], "Always");
  assert.equal((await send("PUT", `${VMS}/web-1`, vm)).status, 200);
});

test("a volume of one machine is refused to another", async (t) => {
  const { send, pass } = await stage(t);
  await send("POST", VMS, machine("web-1"));
  await pass(1000);
  const thief = machine("web-2", {
    change(vm) {
      delete vm.metadata.annotations;
      vm.spec.template.spec.volumes[0].persistentVolumeClaim.claimName = "web-1-disk-0";
      return vm;
    },
  });
  const { status, message } = await send("POST", VMS, thief);
  assert.equal(status, 422);
  assert.match(message, /PVC default\/web-1-disk-0 is already used by other VM/);
});

test("H16 during an upgrade writes answer 500 since the webhook has no endpoints; reads and Secrets go on", async (t) => {
  const { send, get, harvester } = await stage(t);
  await send("POST", VMS, machine("old"));
  harvester.setUpgrading(true);
  const writes = [
    await send("POST", VMS, machine("web-1")),
    await send("PATCH", `${VMS}/old`, { metadata: { labels: { a: "b" } } }),
    await send("DELETE", `${VMS}/old`),
  ];
  for (const { status, message } of writes) {
    assert.equal(status, 500);
    assert.match(message, /failed calling webhook .*: no endpoints available for service "harvester-webhook"/);
  }
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
  assert.equal((await send("POST", SECRETS, secret)).status, 201);
  assert.notEqual(await get(`${VMS}/old`), undefined);
  assert.equal(await get(`${VMS}/web-1`), undefined);
  harvester.setUpgrading(false);
  assert.equal((await send("POST", VMS, machine("web-1"))).status, 201);
});

test("H17 a network that is not there: the instance never starts, the reason is in an event, and it recovers", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  assert.equal((await send("POST", VMS, machine("web-1", { network: "default/nowhere" }))).status, 201);
  await pass(600_000);
  assert.equal(textAt(await get(`${VMIS}/web-1`), "status", "phase"), "Pending");
  assert.equal(textAt(await get(`${VMS}/web-1`), "status", "printableStatus"), "Starting");
  const selector = "involvedObject.kind=VirtualMachineInstance,involvedObject.name=web-1";
  const { body } = await send("GET", `/api/v1/namespaces/default/events?fieldSelector=${encodeURIComponent(selector)}`);
  assert.deepEqual(
    listAt(body, "items").map((event) => [textAt(event, "reason"), textAt(event, "message")]),
    [
      [
        "FailedCreate",
        "failed to render launch manifest: failed to locate network attachment definition default/nowhere",
      ],
    ],
  );
  await harvester.addNetwork("default/nowhere");
  await until(async () => textAt(await get(`${VMIS}/web-1`), "status", "phase") === "Running");
});

test("H17 on 1.8 the webhook looks for the network, and what it does not find is its own error", async (t) => {
  const { send } = await stage(t, { harvester: "1.8" });
  const vm = machine("web-1", { network: "default/nowhere", storageClass: "longhorn" });
  const { status, message } = await send("POST", VMS, { ...vm, metadata: { ...vm.metadata, annotations: {} } });
  assert.equal(status, 500);
  assert.match(message, /denied the request: network-attachment-definitions.k8s.cni.cncf.io "nowhere" not found/);
});

test("H5 on 1.8 a claim of a living machine is refused with a conflict", async (t) => {
  const { send, pass, harvester } = await stage(t, { harvester: "1.8" });
  await harvester.addStranger("web-1");
  await pass(5000);
  const { status, message } = await send("DELETE", `${CLAIMS}/web-1-disk-0`);
  assert.equal(status, 409);
  assert.match(message, /can not delete the volume web-1-disk-0 which is currently attached to VM: default\/web-1/);
});
