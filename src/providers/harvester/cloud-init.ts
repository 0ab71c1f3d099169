// SPDX-License-Identifier: Apache-2.0
import type { MachineWant } from "../../engine/provider.ts";
import type { Draft, OwnerReference, Secret } from "../../kube/index.ts";
import type { CloudInit, VirtualMachine } from "./kinds.ts";
import { markAnnotations, markLabels } from "./mark.ts";
import { cloudInitName, LABELS } from "./names.ts";

/** KubeVirt refuses inline data that is longer, in bytes before base64. */
export const LONGEST_INLINE = 2048;

/** Whether a machine has anything to be told when it starts. */
export function hasCloudInit({ userData, networkData }: MachineWant): boolean {
  return isGiven(userData) || isGiven(networkData);
}

/** The fields whose text is too long to stand in the virtual machine itself. */
export function tooLongInline({ userData, networkData }: MachineWant): readonly string[] {
  const isLong = (text: string | undefined) => text !== undefined && Buffer.byteLength(text) > LONGEST_INLINE;
  return [...(isLong(userData) ? ["spec.userData"] : []), ...(isLong(networkData) ? ["spec.networkData"] : [])];
}

/** Refers to the Secret, for what is given: network data alone works too. */
export function cloudInitBySecret(want: MachineWant): CloudInit {
  const { userData, networkData } = want;
  const reference = { name: cloudInitName(want) };
  return {
    ...(isGiven(userData) ? { secretRef: reference } : {}),
    ...(isGiven(networkData) ? { networkDataSecretRef: reference } : {}),
  };
}

/** Carries the texts in the virtual machine itself. */
export function cloudInitInline({ userData, networkData }: MachineWant): CloudInit {
  return {
    ...(isGiven(userData) ? { userDataBase64: toBase64(userData) } : {}),
    ...(isGiven(networkData) ? { networkDataBase64: toBase64(networkData) } : {}),
  };
}

/**
 * The Secret with both texts. KubeVirt looks for the keys in lower case. It belongs to the machine: both go together whoever deletes
 * that, and a Secret that is made when its machine is gone already goes by itself.
 */
export function cloudInitSecret(want: MachineWant, { metadata: machine }: VirtualMachine): Draft<Secret> {
  const { name, mark, userData, networkData } = want;
  return {
    metadata: {
      name: cloudInitName(want),
      namespace: machine.namespace ?? "",
      ownerReferences: [ownerReference(machine)],
      labels: { ...markLabels(mark), [LABELS.vmName]: name },
      annotations: markAnnotations(mark),
    },
    type: "Opaque",
    data: {
      ...(isGiven(userData) ? { userdata: toBase64(userData) } : {}),
      ...(isGiven(networkData) ? { networkdata: toBase64(networkData) } : {}),
    },
  };
}

function ownerReference({ name = "", uid = "" }: VirtualMachine["metadata"]): OwnerReference {
  return { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", name, uid };
}

/** The texts that must not get into a message, in every form in which they are sent. */
export function cloudInitTexts({ userData, networkData }: MachineWant): readonly string[] {
  return [userData, networkData].filter(isGiven).flatMap((text) => [text, toBase64(text)]);
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
