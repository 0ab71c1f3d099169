// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import { keyOf } from "./changes.ts";
import { harvesterSteps, isToRun } from "./harvester-controller.ts";
import {
  hasFinalizer,
  isDeleting,
  KUBEVIRT_FINALIZER,
  runStrategyOf,
  withFinalizer,
  withoutFinalizer,
} from "./machine-view.ts";
import { mapAt, textAt, textsAt } from "./read.ts";
import type { Plan, Step } from "./steps.ts";
import { hasStatusOf, statusOf } from "./vm-status.ts";
import { instanceFinalizer, instanceSteps } from "./vmi-controller.ts";
import type { World } from "./world.ts";

/** Everything there is to do about a machine: Harvester's part, KubeVirt's, and its instance's. */
export const machinePlan: Plan = (world, key) => {
  const vm = world.get("vm", key);
  const vmi = world.get("vmi", key);
  return [
    ...(vm === undefined ? [] : [...harvesterSteps(world, vm), ...kubevirtSteps(world, vm, vmi)]),
    ...(vmi === undefined ? [] : instanceSteps(world, vmi)),
  ];
};

function kubevirtSteps(world: World, vm: KubeObject, vmi: KubeObject | undefined): readonly Step[] {
  const key = keyOf(vm);
  const steps: Step[] = [];
  if (!hasStatusOf(world, vm, vmi))
    steps.push({
      name: "tell status",
      afterMs: 50,
      act: () => world.updateStatus("vm", key, (current) => statusOf(world, current, world.get("vmi", key))),
    });
  if (isDeleting(vm)) {
    if (vmi === undefined && hasFinalizer(vm, KUBEVIRT_FINALIZER))
      steps.push({
        name: "let go",
        afterMs: 200,
        act: () => world.update("vm", key, (current) => withoutFinalizer(current, KUBEVIRT_FINALIZER)),
      });
  } else if (!hasFinalizer(vm, KUBEVIRT_FINALIZER))
    steps.push({
      name: "hold",
      afterMs: 80,
      act: () =>
        world.update("vm", key, (current) =>
          isDeleting(current) ? current : withFinalizer(current, KUBEVIRT_FINALIZER),
        ),
    });
  if (vmi === undefined && isToRun(vm)) steps.push({ name: "start", afterMs: 250, act: () => start(world, key) });
  if (vmi !== undefined && !isDeleting(vmi) && isToStop(vm, vmi))
    steps.push({ name: "stop", afterMs: 100, act: () => world.remove("vmi", key) });
  return steps;
}

/** An instance that has ended is removed where another is to follow it. */
function isToStop(vm: KubeObject, vmi: KubeObject): boolean {
  if (isDeleting(vm) || runStrategyOf(vm) === "Halted") return true;
  const phase = textAt(vmi, "status", "phase");
  if (phase === "Failed") return runStrategyOf(vm) !== "Once";
  return phase === "Succeeded" && runStrategyOf(vm) === "Always";
}

async function start(world: World, key: string): Promise<void> {
  const vm = world.get("vm", key);
  if (vm === undefined) return;
  const { name = "", namespace = "", uid = "" } = vm.metadata;
  await world.create("vmi", {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstance",
    metadata: {
      name,
      namespace,
      labels: textsAt(vm.spec, "template", "metadata", "labels"),
      annotations: {
        ...textsAt(vm.spec, "template", "metadata", "annotations"),
        "kubevirt.io/vm-generation": String(vm.metadata.generation ?? 1),
      },
      finalizers: [instanceFinalizer(world.version)],
      ownerReferences: [
        { apiVersion: vm.apiVersion, kind: vm.kind, name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: mapAt(vm.spec, "template", "spec"),
    status: {},
  });
}
