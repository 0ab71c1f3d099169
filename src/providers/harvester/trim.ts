// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../kube/index.ts";
import type { SeenMachine, VirtualMachineInstance } from "./kinds.ts";
import { ANNOTATIONS } from "./names.ts";

const KEPT: readonly string[] = [
  ANNOTATIONS.owner,
  ANNOTATIONS.labelNames,
  ANNOTATIONS.quota,
  ANNOTATIONS.removedClaims,
];

/** A virtual machine with no more than is read of it: thousands of them stand in memory, each a tenth of what it was. */
export function trimMachine(vm: SeenMachine): SeenMachine {
  const { spec, status } = vm;
  const { volumes, affinity } = spec.template.spec;
  return {
    ...trimPart(vm),
    spec: {
      ...(spec.runStrategy === undefined ? {} : { runStrategy: spec.runStrategy }),
      template: { spec: { volumes: volumes.map(withoutData), ...(affinity === undefined ? {} : { affinity }) } },
    },
    ...(status === undefined ? {} : { status: trimStatus(status) }),
  };
}

/** The same of an instance. */
export function trimInstance(instance: VirtualMachineInstance): VirtualMachineInstance {
  const { status } = instance;
  if (status === undefined) return trimPart(instance);
  const { phase, nodeName, conditions, interfaces } = status;
  return {
    ...trimPart(instance),
    status: {
      ...(phase === undefined ? {} : { phase }),
      ...(nodeName === undefined ? {} : { nodeName }),
      ...(conditions === undefined ? {} : { conditions }),
      ...(interfaces === undefined ? {} : { interfaces }),
    },
  };
}

/** The same of anything that is only counted: what it is, and whose. */
export function trimPart({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, labels, annotations = {}, deletionTimestamp } = metadata;
  const kept = KEPT.flatMap((key): [string, string][] => {
    const value = annotations[key];
    return value === undefined ? [] : [[key, value]];
  });
  return {
    apiVersion,
    kind,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(labels === undefined ? {} : { labels }),
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  };
}

/** User data that stands in the machine itself is nobody's business. */
function withoutData(volume: SeenMachine["spec"]["template"]["spec"]["volumes"][number]) {
  return "cloudInitNoCloud" in volume ? { name: volume.name, cloudInitNoCloud: {} } : volume;
}

function trimStatus({ printableStatus, conditions }: NonNullable<SeenMachine["status"]>) {
  return {
    ...(printableStatus === undefined ? {} : { printableStatus }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}
