// SPDX-License-Identifier: Apache-2.0
import {
  coreEvent,
  type KindDescriptor,
  namespace,
  persistentVolumeClaim,
  secret,
  storageClass,
} from "../../kube/index.ts";
import {
  harvesterSetting,
  networkAttachmentDefinition,
  virtualMachine,
  virtualMachineImage,
  virtualMachineInstance,
} from "./kinds.ts";

/** What a right is asked for. */
export interface ReviewAttributes {
  readonly kind: KindDescriptor;
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Verbs on one kind that the kubeconfig's user should have. */
export interface Right {
  readonly kind: KindDescriptor;
  readonly verbs: readonly string[];
  /** Whose namespace it is for; `cluster` for kinds without one. */
  readonly where: "machines" | "image" | "network" | "cluster";
  /** Nothing works without it. The others make things better, and what happens without them is told in `without`. */
  readonly isNeeded: boolean;
  readonly without?: string;
}

/** Every right that is made use of. The table in readme.md says the same, held by a test. */
export const RIGHTS: readonly Right[] = [
  {
    kind: virtualMachine,
    verbs: ["create", "get", "list", "watch", "delete"],
    where: "machines",
    isNeeded: true,
  },
  { kind: virtualMachineInstance, verbs: ["get", "list", "watch"], where: "machines", isNeeded: true },
  { kind: persistentVolumeClaim, verbs: ["get", "list", "watch", "delete"], where: "machines", isNeeded: true },
  {
    kind: virtualMachine,
    verbs: ["patch"],
    where: "machines",
    isNeeded: false,
    without: "labels of a running machine cannot change, and disks go only after their machine is gone",
  },
  {
    kind: secret,
    verbs: ["create", "get", "list", "watch", "delete"],
    where: "machines",
    isNeeded: false,
    without: "user data and network data are limited to 2,048 bytes each",
  },
  {
    kind: virtualMachineImage,
    verbs: ["get", "list"],
    where: "image",
    isNeeded: false,
    without: "images must be given by their resource name, and their storage class is guessed",
  },
  {
    kind: networkAttachmentDefinition,
    verbs: ["get"],
    where: "network",
    isNeeded: false,
    without: "a network that does not exist is noticed late",
  },
  {
    kind: storageClass,
    verbs: ["get"],
    where: "cluster",
    isNeeded: false,
    without: "a storage class that does not exist is noticed late",
  },
  {
    kind: coreEvent,
    verbs: ["list", "watch"],
    where: "machines",
    isNeeded: false,
    without: "fewer reasons are told when a machine does not start",
  },
  {
    kind: namespace,
    verbs: ["get"],
    where: "cluster",
    isNeeded: false,
    without: "a namespace that does not exist is noticed late",
  },
  {
    kind: harvesterSetting,
    verbs: ["get"],
    where: "cluster",
    isNeeded: false,
    without: "Harvester's version is not known",
  },
];

/** `virtualmachines.kubevirt.io`, as roles and people write it. */
export function resourceText({ group, plural }: KindDescriptor): string {
  return group === "" ? plural : `${plural}.${group}`;
}
