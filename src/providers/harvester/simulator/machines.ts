// SPDX-License-Identifier: Apache-2.0
import type { SimulatedMachine } from "../../../engine/testing/simulator.ts";
import type { KubeObject } from "../../../plane/types.ts";
import { keyOf } from "./changes.ts";
import { guestOf, isDeleting } from "./machine-view.ts";
import { listAt, textAt } from "./read.ts";
import type { World } from "./world.ts";

/** Every machine as it is on the plane, whoever made it. */
export function machinesOf(world: Pick<World, "get">, vms: readonly KubeObject[]): readonly SimulatedMachine[] {
  return vms.map((vm) => {
    const vmi = world.get("vmi", keyOf(vm));
    return {
      name: vm.metadata.name ?? "",
      id: vm.metadata.uid ?? "",
      isRunning: textAt(vmi, "status", "phase") === "Running",
      isDeleting: isDeleting(vm),
      addresses: addressesOf(vmi),
      // What runs keeps the size that it was started with, whatever is written into its machine afterwards.
      ...guestOf(vmi ?? vm),
    };
  });
}

/** What its network cards have, without what is only ever local to a link. */
function addressesOf(vmi: KubeObject | undefined): readonly string[] {
  const cards = listAt(vmi, "status", "interfaces").filter((card) => textAt(card, "name") !== "");
  const all = cards.flatMap((card) => listAt(card, "ipAddresses").map(String));
  return all.filter((address) => !address.startsWith("fe80:"));
}

/** A machine that somebody else made, of the image and on the network that are there from the start. */
export function strangerMachine(name: string, { storageClass, imageId, network }: StrangerParts): KubeObject {
  const claim = `${name}-disk-0`;
  const template = {
    metadata: { name: claim, annotations: { "harvesterhci.io/imageId": imageId } },
    spec: {
      accessModes: ["ReadWriteMany"],
      volumeMode: "Block",
      storageClassName: storageClass,
      resources: { requests: { storage: "10Gi" } },
    },
  };
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachine",
    metadata: {
      namespace: "default",
      name,
      labels: { "harvesterhci.io/creator": "harvester" },
      annotations: { "harvesterhci.io/volumeClaimTemplates": JSON.stringify([template]) },
    },
    spec: {
      runStrategy: "Always",
      template: {
        metadata: { labels: { "harvesterhci.io/vmName": name } },
        spec: {
          domain: {
            cpu: { cores: 1 },
            memory: { guest: "1948Mi" },
            resources: { limits: { cpu: "1", memory: "2Gi" } },
            devices: {
              disks: [{ name: "disk-0", bootOrder: 1, disk: { bus: "virtio" } }],
              interfaces: [{ name: "default", model: "virtio", bridge: {} }],
            },
          },
          networks: [{ name: "default", multus: { networkName: network } }],
          volumes: [{ name: "disk-0", persistentVolumeClaim: { claimName: claim } }],
        },
      },
    },
  };
}

interface StrangerParts {
  readonly storageClass: string;
  readonly imageId: string;
  readonly network: string;
}
