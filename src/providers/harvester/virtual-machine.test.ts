// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { cloudInitBySecret, cloudInitInline, cloudInitSecret, tooLongInline } from "./cloud-init.ts";
import { cloudInitName, extraClaimName, LABELS, rootClaimName } from "./names.ts";
import { MARK, sampleMachine, sampleSettings, sampleWant } from "./testing/samples.ts";
import { buildVirtualMachine, type VirtualMachineParts } from "./virtual-machine.ts";

const IMAGE = { id: "default/image-5rs6d", storageClass: "longhorn-image-5rs6d" };

function build(parts: Partial<VirtualMachineParts> = {}) {
  const whole = { want: sampleWant(), settings: sampleSettings(), image: IMAGE, cloudInit: undefined, ...parts };
  return buildVirtualMachine(whole);
}

function claimsOf(vm: ReturnType<typeof build>) {
  return JSON.parse(vm.metadata.annotations?.["harvesterhci.io/volumeClaimTemplates"] ?? "[]");
}

test("the root disk is made from the image by a template in the machine itself, with our mark", () => {
  const [root, ...others] = claimsOf(build());
  assert.deepEqual(others, []);
  assert.deepEqual(root, {
    metadata: {
      name: rootClaimName(sampleWant()),
      labels: {
        "butler.butlerlabs.dev/machine-id": MARK.machineId,
        "butler.butlerlabs.dev/installation": MARK.installation,
        "butler.butlerlabs.dev/attempt": "1",
        "butler.butlerlabs.dev/launch": MARK.launch,
        "butler.butlerlabs.dev/managed-by": "butler",
        "harvesterhci.io/vmName": "butler-mgmt-cp-0",
      },
      annotations: {
        "butler.butlerlabs.dev/owner": "butler-system/butler-mgmt-cp-0",
        "harvesterhci.io/imageId": "default/image-5rs6d",
      },
    },
    spec: {
      accessModes: ["ReadWriteMany"],
      volumeMode: "Block",
      resources: { requests: { storage: "100Gi" } },
      storageClassName: "longhorn-image-5rs6d",
    },
  });
});

test("W-05: extra disks are attached, each with its class, the ProviderConfig's, or the cluster's default", () => {
  const want = sampleWant({ extraDisks: [{ sizeGb: 500, storageClass: "longhorn" }, { sizeGb: 20 }] });
  const plain = build({ want });
  const [, first, second] = claimsOf(plain);
  assert.equal(first.metadata.name, extraClaimName(want, 0));
  assert.match(first.metadata.name, /^butler-mgmt-cp-0-disk-0-[0-9a-f]{8}$/);
  assert.equal(first.spec.storageClassName, "longhorn");
  assert.deepEqual(first.spec.resources, { requests: { storage: "500Gi" } });
  assert.equal(first.metadata.annotations["harvesterhci.io/imageId"], undefined);
  assert.equal("storageClassName" in second.spec, false);
  const configured = claimsOf(build({ want, settings: sampleSettings({ storageClassName: "fast" }) }));
  assert.equal(configured[2].spec.storageClassName, "fast");
  assert.deepEqual(
    plain.spec.template.spec.volumes,
    ["rootdisk", "disk-0", "disk-1"].map((name, index) => ({
      name,
      persistentVolumeClaim: { claimName: index === 0 ? rootClaimName(want) : extraClaimName(want, index - 1) },
    })),
  );
  assert.deepEqual(
    plain.spec.template.spec.domain.devices.disks.map(({ name, bootOrder }) => ({ name, bootOrder })),
    [
      { name: "rootdisk", bootOrder: 1 },
      { name: "disk-0", bootOrder: undefined },
      { name: "disk-1", bootOrder: undefined },
    ],
  );
});

test("W-22: labels of a user can never overwrite ours", () => {
  const labels = { [LABELS.machineId]: "mine", [LABELS.managedBy]: "mine", [LABELS.creator]: "mine", team: "a" };
  const { metadata, spec } = build({ want: sampleWant({ labels }) });
  for (const found of [metadata.labels, spec.template.metadata?.labels]) {
    assert.equal(found?.[LABELS.machineId], MARK.machineId);
    assert.equal(found?.[LABELS.managedBy], "butler");
    assert.equal(found?.[LABELS.creator], "butler");
    assert.equal(found?.team, "a");
  }
});

test("W-22: the guest sees all of its memory, the hypervisor's share comes on top, and requests are Harvester's to choose", () => {
  const usual = build();
  assert.deepEqual(usual.spec.template.spec.domain.memory, { guest: "16384Mi" });
  assert.deepEqual(usual.spec.template.spec.domain.resources, { limits: { cpu: "4", memory: "16484Mi" } });
  assert.equal(usual.metadata.annotations?.["harvesterhci.io/reservedMemory"], "100Mi");
  const more = build({ settings: sampleSettings({ reservedMemoryMB: 512 }) });
  assert.deepEqual(more.spec.template.spec.domain.resources.limits.memory, "16896Mi");
  assert.equal(more.metadata.annotations?.["harvesterhci.io/reservedMemory"], "512Mi");
});

test("W-22: firmware, TPM, CPU model and node selector are as the ProviderConfig says", () => {
  const plain = build().spec.template.spec;
  assert.equal(plain.domain.firmware, undefined);
  assert.equal(plain.domain.devices.tpm, undefined);
  assert.equal(plain.nodeSelector, undefined);
  const efi = build({ settings: sampleSettings({ efi: true }) }).spec.template.spec;
  assert.deepEqual(efi.domain.firmware, { bootloader: { efi: { secureBoot: false } } });
  assert.equal(efi.domain.features?.smm, undefined);
  const all = build({
    settings: sampleSettings({
      efi: true,
      secureBoot: true,
      tpm: true,
      cpuModel: "host-passthrough",
      nodeSelector: { disk: "ssd" },
      runStrategy: "Always",
    }),
  });
  const { domain, nodeSelector } = all.spec.template.spec;
  assert.deepEqual(domain.firmware, { bootloader: { efi: { secureBoot: true } } });
  assert.deepEqual(domain.features?.smm, { enabled: true });
  assert.deepEqual(domain.devices.tpm, {});
  assert.equal(domain.cpu.model, "host-passthrough");
  assert.deepEqual(nodeSelector, { disk: "ssd" });
  assert.equal(all.spec.runStrategy, "Always");
});

test("a spread group is kept apart where possible, a failure domain is kept strictly", () => {
  const { affinity } = build({ want: sampleWant({ spreadGroup: "cp", failureDomain: "rack-1" }) }).spec.template.spec;
  assert.deepEqual(affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms, [
    { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["rack-1"] }] },
  ]);
  const [term] = affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  assert.equal(term?.podAffinityTerm.topologyKey, "kubernetes.io/hostname");
  assert.deepEqual(term?.podAffinityTerm.labelSelector.matchLabels, {
    "butler.butlerlabs.dev/installation": MARK.installation,
    "butler.butlerlabs.dev/spread-group": "cp",
  });
});

test("W-21: network data works without user data", () => {
  const want = sampleWant({ networkData: "version: 1" });
  const secret = cloudInitSecret(want, sampleMachine());
  assert.deepEqual(secret.data, { networkdata: Buffer.from("version: 1").toString("base64") });
  assert.deepEqual(cloudInitBySecret(want), { networkDataSecretRef: { name: cloudInitName(want) } });
  assert.deepEqual(cloudInitInline(want), { networkDataBase64: Buffer.from("version: 1").toString("base64") });
});

test("user data stands under keys in lower case, in a Secret that carries the mark", () => {
  const secret = cloudInitSecret(sampleWant({ userData: "#cloud-config", networkData: "version: 1" }), sampleMachine());
  assert.deepEqual(Object.keys(secret.data ?? {}), ["userdata", "networkdata"]);
  assert.equal(secret.metadata.labels?.[LABELS.machineId], MARK.machineId);
  assert.equal(secret.metadata.annotations?.["butler.butlerlabs.dev/owner"], MARK.owner);
});

test("inline data may have 2,048 bytes, which are not characters", () => {
  assert.deepEqual(tooLongInline(sampleWant({ userData: "x".repeat(2048) })), []);
  assert.deepEqual(tooLongInline(sampleWant({ userData: "x".repeat(2049) })), ["spec.userData"]);
  assert.deepEqual(tooLongInline(sampleWant({ networkData: "ä".repeat(1025) })), ["spec.networkData"]);
});
