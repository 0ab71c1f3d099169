// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { Mark } from "../../engine/provider.ts";

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

/** A machine as far as its parts are called after it. */
export interface PartsOwner {
  readonly name: string;
  readonly mark: Pick<Mark, "machineId" | "attempt" | "owner">;
}

/** The claim behind a machine's root disk. */
export function rootClaimName(machine: PartsOwner): string {
  return partName(machine, "rootdisk");
}

/** The claim behind its extra disk number `index`, counted from 0. */
export function extraClaimName(machine: PartsOwner, index: number): string {
  return partName(machine, `disk-${index}`);
}

/** The Secret with its user and network data. */
export function cloudInitName(machine: PartsOwner): string {
  return partName(machine, "cloudinit");
}

/**
 * A name that nobody else's object has, nor that of another attempt: Harvester would use a disk that is there already without a word.
 * So nobody has to look before it is made.
 */
function partName({ name, mark }: PartsOwner, part: string): string {
  return `${name}-${part}-${digestOf(mark)}`;
}

/** Whether a part that carries this mark is called as such a part is. Whoever copied the mark from another has another name. */
export function isPartName(name: string, mark: PartsOwner["mark"]): boolean {
  return name.endsWith(`-${digestOf(mark)}`);
}

function digestOf({ machineId, attempt, owner }: PartsOwner["mark"]): string {
  return createHash("sha256")
    .update(JSON.stringify([machineId, attempt, owner]))
    .digest("hex")
    .slice(0, 8);
}
