// SPDX-License-Identifier: Apache-2.0

const DOMAIN = "butler.butlerlabs.dev";

/** Labels and annotations that are ours: nobody else's text ever stands in them. */
export const LABELS = {
  machineId: `${DOMAIN}/machine-id`,
  installation: `${DOMAIN}/installation`,
  attempt: `${DOMAIN}/attempt`,
  launch: `${DOMAIN}/launch`,
  managedBy: `${DOMAIN}/managed-by`,
  spreadGroup: `${DOMAIN}/spread-group`,
  creator: "harvesterhci.io/creator",
  vmName: "harvesterhci.io/vmName",
} as const;

/** Annotations of ours, and those by which Harvester is told things. */
export const ANNOTATIONS = {
  owner: `${DOMAIN}/owner`,
  /** The names of the labels that came from the MachineRequest, so that those can be taken away again, and no others. */
  labelNames: `${DOMAIN}/label-names`,
  volumeClaimTemplates: "harvesterhci.io/volumeClaimTemplates",
  removedClaims: "harvesterhci.io/removedPersistentVolumeClaims",
  imageId: "harvesterhci.io/imageId",
  runStrategy: "harvesterhci.io/vmRunStrategy",
  reservedMemory: "harvesterhci.io/reservedMemory",
  quota: "harvesterhci.io/insufficient-resource-quota",
} as const;

const OWN_LABELS: ReadonlySet<string> = new Set(Object.values(LABELS));

/** Whether a label is ours or Harvester's, and not for users to set. */
export function isReservedLabel(name: string): boolean {
  return OWN_LABELS.has(name);
}

/** The claim behind a machine's root disk. */
export function rootClaimName(machine: string): string {
  return `${machine}-rootdisk`;
}

/** The claim behind its extra disk number `index`, counted from 0. */
export function extraClaimName(machine: string, index: number): string {
  return `${machine}-disk-${index}`;
}

/** The Secret with its user and network data. */
export function cloudInitName(machine: string): string {
  return `${machine}-cloudinit`;
}
