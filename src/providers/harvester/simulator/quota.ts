// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import { keyOf } from "./changes.ts";
import { amountAt, isDeleting, limitsOf, runStrategyOf } from "./machine-view.ts";
import { textAt } from "./read.ts";
import type { World } from "./world.ts";

/** Instances in these phases have a pod, and pods are what quotas count. */
const WITH_POD = ["Scheduling", "Scheduled", "Running"];

/**
 * Why a machine that is about to start may not: Harvester looks again behind the webhook, and only once KubeVirt has given the
 * machine a status. Undefined where it may.
 */
export function shortageOf(world: World, vm: KubeObject): string | undefined {
  if (isDeleting(vm) || runStrategyOf(vm) === "Halted" || textAt(vm, "status", "printableStatus") === "")
    return undefined;
  const vmi = world.get("vmi", keyOf(vm));
  if (vmi !== undefined && WITH_POD.includes(textAt(vmi, "status", "phase"))) return undefined;
  const { namespace = "" } = vm.metadata;
  const wanted = limitsOf(vm);
  for (const quota of world.changes.list("quota")) {
    if (quota.metadata.namespace !== namespace) continue;
    const used = usedIn(world, namespace);
    for (const name of ["cpu", "memory"] as const) {
      const hard = textAt(quota, "spec", "hard", `limits.${name}`);
      if (hard !== "" && used[name] + wanted[name] > amountAt(quota, "spec", "hard", `limits.${name}`))
        return `${name} insufficient resources due to resource quota`;
    }
  }
  return undefined;
}

function usedIn(world: World, namespace: string): { readonly cpu: number; readonly memory: number } {
  let cpu = 0;
  let memory = 0;
  for (const vmi of world.changes.list("vmi")) {
    if (vmi.metadata.namespace !== namespace || !WITH_POD.includes(textAt(vmi, "status", "phase"))) continue;
    const limits = limitsOf(vmi);
    cpu += limits.cpu;
    memory += limits.memory;
  }
  return { cpu, memory };
}
