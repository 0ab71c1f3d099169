// SPDX-License-Identifier: Apache-2.0
import type { ErrorKind, MachineState, Trouble } from "../../engine/provider.ts";
import type { SeenMachine, VirtualMachineInstance } from "./kinds.ts";
import { ANNOTATIONS } from "./names.ts";

/** States in which KubeVirt waits for something; each with what it means for the machine. */
const TROUBLES: Readonly<Record<string, Omit<Trouble, "message"> & { readonly says: string }>> = {
  ErrorUnschedulable: trouble("exhausted", "Unschedulable", [
    "no node of Harvester can take it",
    "free or add capacity, ask for less cpu or memory, or check failureDomain and nodeSelector",
  ]),
  ErrorPvcNotFound: trouble("unavailable", "DiskNotFound", [
    "one of its disks does not exist",
    "Harvester makes disks from the image by itself; where this lasts, check the image, its storage class and the controllers of Harvester",
  ]),
  DataVolumeError: trouble("unavailable", "DiskFailed", [
    "one of its disks could not be filled from the image",
    "check the image and the storage class on Harvester",
  ]),
  CrashLoopBackOff: trouble("unavailable", "CrashLoop", [
    "it stops again and again right after its start",
    "look at its console on Harvester; the image may not boot, or not with this firmware",
  ]),
  ErrImagePull: trouble("unavailable", "ImagePullFailed", [
    "a container image for it cannot be pulled",
    "check the registry that Harvester uses",
  ]),
  ImagePullBackOff: trouble("unavailable", "ImagePullFailed", [
    "a container image for it cannot be pulled",
    "check the registry that Harvester uses",
  ]),
  Paused: trouble("unavailable", "Paused", [
    "it is paused, by somebody or for want of storage",
    "check the storage of Harvester and resume it",
  ]),
  Unknown: trouble("unavailable", "NodeUnreachable", [
    "Harvester cannot reach the node it is on",
    "check the nodes of Harvester",
  ]),
};

function trouble(kind: ErrorKind, reason: string, [what, remedy]: readonly [string, string]) {
  return { kind, reason, says: `${what}: ${remedy}` };
}

const STATES: Readonly<Record<string, MachineState>> = {
  Running: "running",
  Migrating: "running",
  Paused: "stopped",
  Stopping: "stopped",
  Stopped: "stopped",
  Terminating: "stopped",
};

/** What a virtual machine that exists is doing. */
export function stateOf(vm: SeenMachine, instance: VirtualMachineInstance | undefined): MachineState {
  if (vm.metadata.deletionTimestamp !== undefined) return "deleting";
  // Harvester stopped it for want of quota: it waits, nobody switched it off.
  if (quotaText(vm) !== undefined && instance === undefined) return "pending";
  const state = STATES[vm.status?.printableStatus ?? ""] ?? "pending";
  return state === "running" && instance?.status?.phase !== "Running" ? "pending" : state;
}

/** What the status of a virtual machine says about why it is not up; undefined where it says nothing. */
export function statusTrouble(vm: SeenMachine, instance: VirtualMachineInstance | undefined): Trouble | undefined {
  const { name } = vm.metadata;
  const quota = quotaText(vm);
  if (quota !== undefined && instance === undefined)
    return {
      kind: "exhausted",
      reason: "QuotaExceeded",
      message: `machine "${name}": the resource quota of its namespace on Harvester is used up: raise it, or delete other machines (Harvester says: ${quota})`,
    };
  const { printableStatus = "", conditions = [] } = vm.status ?? {};
  const known = TROUBLES[printableStatus];
  if (known === undefined) return undefined;
  const { kind, reason, says } = known;
  const detail = [...conditions, ...(instance?.status?.conditions ?? [])].find(
    (condition) => condition.status === "False" && condition.type !== "Ready" && (condition.message ?? "") !== "",
  );
  const words = detail?.message === undefined ? "" : ` (Harvester says: ${detail.message})`;
  return { kind, reason, message: `machine "${name}" (${printableStatus}): ${says}${words}` };
}

/** Why Harvester stopped the machine for want of quota. */
export function quotaText({ metadata }: SeenMachine): string | undefined {
  return metadata.annotations?.[ANNOTATIONS.quota];
}
