// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import { accessObjects } from "./access.ts";
import type { KindName } from "./kinds.ts";
import type { HarvesterVersion } from "./world.ts";

/** The namespace, network and image that every simulated Harvester has. */
export const DEFAULTS = {
  namespace: "default",
  networkName: "default/vlan40-workloads",
  imageName: "default/image-5rs6d",
  imageDisplayName: "talos-v1.9.2",
} as const;

/** The release that stands for each version line, and the Kubernetes below it. */
export const RELEASES: Readonly<Record<HarvesterVersion, { readonly harvester: string; readonly kubernetes: string }>> =
  {
    "1.2": { harvester: "v1.2.2", kubernetes: "1.26.11" },
    "1.3": { harvester: "v1.3.2", kubernetes: "1.27.13" },
    "1.4": { harvester: "v1.4.3", kubernetes: "1.29.9" },
    "1.8": { harvester: "v1.8.1", kubernetes: "1.34.4" },
  };

/** Something that is there from the start. */
export interface Seed {
  readonly kind: KindName;
  readonly object: KubeObject;
}

/** Everything but the image, which is imported by the simulation's own hands. */
export function seeds(version: HarvesterVersion): readonly Seed[] {
  return [
    ...accessObjects(),
    ...["a", "b", "c"].map((zone, index) => node(`harvester-node-${index}`, `zone-${zone}`)),
    { kind: "network", object: network(DEFAULTS.networkName) },
    { kind: "storageClass", object: storageClass("harvester-longhorn", true) },
    { kind: "storageClass", object: storageClass("longhorn", false) },
    { kind: "setting", object: setting("server-version", RELEASES[version].harvester) },
  ];
}

/** A network that machines can be attached to. */
export function network(key: string): KubeObject {
  const [namespace = "", name = ""] = key.split("/");
  const config = {
    cniVersion: "0.3.1",
    name,
    type: "bridge",
    bridge: "mgmt-br",
    promiscMode: true,
    vlan: 40,
    ipam: {},
  };
  return {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: {
      namespace,
      name,
      labels: {
        "network.harvesterhci.io/clusternetwork": "mgmt",
        "network.harvesterhci.io/type": "L2VlanNetwork",
        "network.harvesterhci.io/vlan-id": "40",
      },
    },
    spec: { config: JSON.stringify(config) },
  };
}

function node(name: string, zone: string): Seed {
  return {
    kind: "node",
    object: {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone } },
      spec: {},
    },
  };
}

function storageClass(name: string, isDefault: boolean): KubeObject {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: {
      name,
      annotations: isDefault ? { "storageclass.kubernetes.io/is-default-class": "true" } : {},
    },
    provisioner: "driver.longhorn.io",
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    allowVolumeExpansion: true,
    parameters: { migratable: "true", numberOfReplicas: "3", staleReplicaTimeout: "30" },
  };
}

function setting(name: string, value: string): KubeObject {
  return { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting", metadata: { name }, value };
}
