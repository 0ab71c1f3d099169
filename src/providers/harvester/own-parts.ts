// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../kube/index.ts";
import type { SeenMachine } from "./kinds.ts";
import { readMark } from "./mark.ts";
import { isPartName } from "./names.ts";

/**
 * Whether a claim that carries a machine's mark is the machine's own: by its name, which follows from the mark, or because the machine
 * uses it. Harvester copies all labels to the disks that it restores from a backup, also for somebody else's new machine.
 */
export function isOwnClaim(claim: KubeObject, vm: SeenMachine | undefined): boolean {
  const mark = readMark(claim);
  const { name = "" } = claim.metadata;
  return mark !== undefined && (isPartName(name, mark) || claimsOf(vm).includes(name));
}

/** The claims that a machine uses, by name. */
export function claimsOf(vm: SeenMachine | undefined): readonly string[] {
  const volumes = vm?.spec.template.spec.volumes ?? [];
  return volumes.flatMap((volume) =>
    "persistentVolumeClaim" in volume ? [volume.persistentVolumeClaim.claimName] : [],
  );
}
