// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import { keyOf } from "./changes.ts";
import {
  HARVESTER_FINALIZER,
  hasFinalizer,
  isDeleting,
  LAST_RUN_STRATEGY,
  QUOTA_SHORT,
  REMOVED_CLAIMS,
  runStrategyOf,
  withAnnotation,
  withFinalizer,
  withoutFinalizer,
} from "./machine-view.ts";
import { shortageOf } from "./quota.ts";
import type { Step } from "./steps.ts";
import { volumeSteps } from "./volumes.ts";
import type { World } from "./world.ts";

/** What Harvester itself does about a machine: volumes, quota, and cleaning up when it goes. Nothing while it is down. */
export function harvesterSteps(world: World, vm: KubeObject): readonly Step[] {
  if (!world.knobs.isHarvesterUp) return [];
  const key = keyOf(vm);
  if (isDeleting(vm)) {
    if (!hasFinalizer(vm, HARVESTER_FINALIZER)) return [];
    return [{ name: "clean up", afterMs: 300, act: () => cleanUp(world, key) }];
  }
  const steps = [...volumeSteps(world, vm)];
  if (!hasFinalizer(vm, HARVESTER_FINALIZER))
    steps.push({ name: "guard", afterMs: 100, act: () => world.update("vm", key, guarded) });
  const shortage = shortageOf(world, vm);
  if (shortage !== undefined) steps.push({ name: "halt", afterMs: 150, act: () => halt(world, vm, shortage) });
  return steps;
}

/** Its finalizer comes with a note of how the machine was to run: both change the machine that somebody just made. */
function guarded(vm: KubeObject): KubeObject {
  if (isDeleting(vm)) return vm;
  const strategy = runStrategyOf(vm);
  const noted = strategy === "Halted" ? vm : withAnnotation(vm, LAST_RUN_STRATEGY, strategy);
  return withFinalizer(noted, HARVESTER_FINALIZER);
}

async function cleanUp(world: World, key: string): Promise<void> {
  const vm = world.get("vm", key);
  if (vm === undefined) return;
  const named = (vm.metadata.annotations?.[REMOVED_CLAIMS] ?? "").split(",").map((name) => name.trim());
  for (const name of named) if (name !== "") await world.remove("claim", `${vm.metadata.namespace}/${name}`);
  await world.update("vm", key, (current) => withoutFinalizer(current, HARVESTER_FINALIZER));
}

async function halt(world: World, vm: KubeObject, shortage: string): Promise<void> {
  await world.update("vm", keyOf(vm), (current) => {
    if (isDeleting(current)) return current;
    const { running: _, ...spec } = Object(current.spec);
    return withAnnotation({ ...current, spec: { ...spec, runStrategy: "Halted" } }, QUOTA_SHORT, shortage);
  });
  await world.event({
    about: vm,
    type: "Warning",
    reason: "InsufficientResourceQuota",
    message: `Set runStrategy to Halted: ${shortage}`,
    component: "harvester-vm-controller",
  });
}

/** Whether somebody told this machine to run. */
export function isToRun(vm: KubeObject): boolean {
  return !isDeleting(vm) && ["Always", "RerunOnFailure", "Once"].includes(runStrategyOf(vm));
}
