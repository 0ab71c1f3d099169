// SPDX-License-Identifier: Apache-2.0
import type { MachineWant, Mark } from "../../../engine/provider.ts";
import type { VirtualMachine, VirtualMachineInstance } from "../kinds.ts";
import { harvesterBlock } from "../settings.ts";
import { buildVirtualMachine, type HarvesterSettings } from "../virtual-machine.ts";

/** A mark like the engine's. */
export const MARK: Mark = {
  machineId: "0b0e7a52-6d0c-4b5e-9b53-0d3f5a1f7c11",
  installation: "11111111-2222-4333-8444-555555555555",
  attempt: 1,
  launch: "0123456789abcdef",
  owner: "butler-system/butler-mgmt-cp-0",
};

/** The machine of the documents. */
export function sampleWant(changes: Partial<MachineWant> = {}): MachineWant {
  return {
    name: "butler-mgmt-cp-0",
    mark: MARK,
    token: "6f1f5a52-6d0c-8b5e-9b53-0d3f5a1f7c11",
    role: "control-plane",
    cpu: 4,
    memoryMb: 16384,
    diskGb: 100,
    extraDisks: [],
    labels: {},
    ...changes,
  };
}

/** A ProviderConfig's block, with its defaults filled in. */
export function sampleSettings(changes: Readonly<Record<string, unknown>> = {}): HarvesterSettings {
  return harvesterBlock.settings.parse({
    networkName: "default/vlan40-workloads",
    imageName: "default/image-5rs6d",
    ...changes,
  });
}

/** A virtual machine as Harvester would show it. */
export function sampleMachine(
  changes: {
    readonly want?: MachineWant;
    readonly status?: VirtualMachine["status"];
    readonly isDeleting?: boolean;
  } = {},
): VirtualMachine {
  const draft = buildVirtualMachine({
    want: changes.want ?? sampleWant(),
    settings: sampleSettings(),
    image: { id: "default/image-5rs6d", storageClass: "longhorn-image-5rs6d" },
    cloudInit: undefined,
  });
  return {
    ...draft,
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachine",
    metadata: {
      ...draft.metadata,
      uid: "vm-uid",
      ...(changes.isDeleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    ...(changes.status === undefined ? {} : { status: changes.status }),
  };
}

/** A running instance as KubeVirt would show it. */
export function sampleInstance(status: VirtualMachineInstance["status"]): VirtualMachineInstance {
  const { metadata } = sampleMachine();
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstance",
    metadata: { ...metadata, uid: "vmi-uid" },
    ...(status === undefined ? {} : { status }),
  };
}
