// SPDX-License-Identifier: Apache-2.0
import type { Condition, KindDescriptor, KubeObject } from "../../kube/index.ts";

/** A virtual machine as KubeVirt keeps it, as far as it is used here. */
export interface VirtualMachine extends KubeObject {
  spec: {
    runStrategy?: string;
    template: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: MachineSpec;
    };
  };
  status?: {
    created?: boolean;
    ready?: boolean;
    printableStatus?: string;
    conditions?: Condition[];
  };
}

/** As much of a virtual machine as is read of one that is there. */
export interface SeenMachine extends KubeObject {
  spec: { runStrategy?: string; template: { spec: Pick<MachineSpec, "volumes" | "affinity"> } };
  status?: Pick<NonNullable<VirtualMachine["status"]>, "printableStatus" | "conditions">;
}

/** What a virtual machine is made of. */
export interface MachineSpec {
  domain: {
    cpu: { cores: number; sockets: number; threads: number; model?: string };
    memory: { guest: string };
    resources: { limits: Record<string, string> };
    devices: {
      disks: { name: string; bootOrder?: number; disk: { bus: string } }[];
      interfaces: { name: string; model: string; bridge: Record<string, never> }[];
      tpm?: Record<string, never>;
    };
    firmware?: { bootloader: { efi: { secureBoot: boolean } } };
    features?: { acpi?: { enabled: boolean }; smm?: { enabled: boolean } };
  };
  networks: { name: string; multus: { networkName: string } }[];
  volumes: Volume[];
  evictionStrategy?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Affinity;
}

/** Where a disk comes from. */
export type Volume =
  | { name: string; persistentVolumeClaim: { claimName: string } }
  | { name: string; cloudInitNoCloud: CloudInit };

/** User and network data, in a Secret or inline. */
export interface CloudInit {
  secretRef?: { name: string };
  networkDataSecretRef?: { name: string };
  userDataBase64?: string;
  networkDataBase64?: string;
}

/** On which nodes a machine may run. */
export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: { matchExpressions: { key: string; operator: "In"; values: string[] }[] }[];
    };
  };
  podAntiAffinity?: {
    preferredDuringSchedulingIgnoredDuringExecution: {
      weight: number;
      podAffinityTerm: { topologyKey: string; labelSelector: { matchLabels: Record<string, string> } };
    }[];
  };
}

/** One network interface of a machine that runs. */
export interface InstanceInterface {
  /** The interface of the spec; left out for those that only the guest knows. */
  name?: string;
  /** As the guest calls it. */
  interfaceName?: string;
  ipAddress?: string;
  ipAddresses?: string[];
  mac?: string;
  infoSource?: string;
}

/** A virtual machine that runs, or is about to. */
export interface VirtualMachineInstance extends KubeObject {
  status?: {
    phase?: string;
    nodeName?: string;
    reason?: string;
    conditions?: Condition[];
    interfaces?: InstanceInterface[];
  };
}

/** An image that disks can be made from. */
export interface VirtualMachineImage extends KubeObject {
  spec?: { displayName?: string; targetStorageClassName?: string };
  status?: { progress?: number; storageClassName?: string; conditions?: Condition[] };
}

/** One of Harvester's settings. */
export interface HarvesterSetting extends KubeObject {
  value?: string;
  default?: string;
}

export const virtualMachine: KindDescriptor<VirtualMachine> = {
  group: "kubevirt.io",
  version: "v1",
  kind: "VirtualMachine",
  plural: "virtualmachines",
  scope: "Namespaced",
};

export const virtualMachineInstance: KindDescriptor<VirtualMachineInstance> = {
  group: "kubevirt.io",
  version: "v1",
  kind: "VirtualMachineInstance",
  plural: "virtualmachineinstances",
  scope: "Namespaced",
};

export const virtualMachineImage: KindDescriptor<VirtualMachineImage> = {
  group: "harvesterhci.io",
  version: "v1beta1",
  kind: "VirtualMachineImage",
  plural: "virtualmachineimages",
  scope: "Namespaced",
};

export const networkAttachmentDefinition: KindDescriptor = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  kind: "NetworkAttachmentDefinition",
  plural: "network-attachment-definitions",
  scope: "Namespaced",
};

export const harvesterSetting: KindDescriptor<HarvesterSetting> = {
  group: "harvesterhci.io",
  version: "v1beta1",
  kind: "Setting",
  plural: "settings",
  scope: "Cluster",
};
