// SPDX-License-Identifier: Apache-2.0
import { isDefaultClass } from "../../../plane/kinds/storage-class.ts";
import type { KubeObject } from "../../../plane/types.ts";
import {
  CLAIM_PROTECTION,
  type ClaimTemplate,
  claimTemplates,
  hasFinalizer,
  IMAGE_ID,
  isDeleting,
  withoutFinalizer,
} from "./machine-view.ts";
import { at, textAt } from "./read.ts";
import type { Plan, Step } from "./steps.ts";
import type { World } from "./world.ts";

/** Binds claims whose class exists, and lets deleted ones go once no machine mounts them. */
export const claimPlan: Plan = (world, key) => {
  const claim = world.get("claim", key);
  if (claim === undefined) return [];
  if (isDeleting(claim)) {
    const waits = !hasFinalizer(claim, CLAIM_PROTECTION) || world.references.users("claim", key).length > 0;
    return waits ? [] : [{ name: "release", afterMs: 100, act: () => release(world, key) }];
  }
  if (isBound(claim)) return [];
  const className = textAt(claim, "spec", "storageClassName");
  if (world.get("storageClass", className) !== undefined)
    return [{ name: "bind", afterMs: 1500, act: () => bind(world, key) }];
  return [{ name: `miss ${className}`, afterMs: 200, isOnce: true, act: () => missClass(world, claim, className) }];
};

export function isBound(claim: KubeObject | undefined): boolean {
  return textAt(claim, "status", "phase") === "Bound";
}

async function release(world: World, key: string): Promise<void> {
  await world.update("claim", key, (claim) => withoutFinalizer(claim, CLAIM_PROTECTION));
}

async function bind(world: World, key: string): Promise<void> {
  const bound = await world.update("claim", key, (claim) => ({
    ...claim,
    spec: { ...Object(claim.spec), volumeName: `pvc-${claim.metadata.uid}` },
  }));
  if (bound === undefined) return;
  await world.updateStatus("claim", key, (claim) => ({
    phase: "Bound",
    accessModes: at(claim, "spec", "accessModes"),
    capacity: { storage: textAt(claim, "spec", "resources", "requests", "storage") },
  }));
}

function missClass(world: World, claim: KubeObject, className: string): Promise<void> {
  return world.event({
    about: claim,
    type: "Warning",
    reason: "ProvisioningFailed",
    message: `storageclass.storage.k8s.io "${className}" not found`,
    component: "persistentvolume-controller",
  });
}

/** Harvester makes the volumes that a machine's annotation asks for, in a while and not with the machine itself. */
export function volumeSteps(world: World, vm: KubeObject): readonly Step[] {
  const missing = missingClaims(world, vm);
  return missing.length === 0
    ? []
    : [{ name: "make volumes", afterMs: 400, act: () => makeClaims(world, vm, missing) }];
}

function missingClaims(world: World, vm: KubeObject): readonly ClaimTemplate[] {
  const templates = claimTemplates(vm);
  if (typeof templates === "string") return [];
  return templates.filter(({ name, annotations }) => {
    if (world.get("claim", `${vm.metadata.namespace}/${name}`) !== undefined) return false;
    const imageId = annotations[IMAGE_ID];
    // A volume of an image that is not there is passed over without a word, until it is.
    return imageId === undefined || world.get("image", imageId) !== undefined;
  });
}

async function makeClaims(world: World, vm: KubeObject, templates: readonly ClaimTemplate[]): Promise<void> {
  for (const { name, labels, annotations, spec } of templates) {
    await world.create("claim", {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { namespace: vm.metadata.namespace ?? "", name, labels, annotations },
      spec: withClass(world, spec),
    });
  }
}

/** A claim that names no class gets the default one, as every API server does it. */
function withClass(world: World, spec: ClaimTemplate["spec"]): ClaimTemplate["spec"] {
  const usual = world.changes.list("storageClass").find(isDefaultClass);
  return "storageClassName" in spec || usual === undefined ? spec : { ...spec, storageClassName: usual.metadata.name };
}
