// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import { keyOf } from "./changes.ts";
import { backingImageName } from "./images.ts";
import {
  amountAt,
  claimsOf,
  claimTemplates,
  IMAGE_ID,
  instanceSpec,
  isDeleting,
  networksOf,
  RESERVED_MEMORY,
} from "./machine-view.ts";
import { at, mapAt, textAt } from "./read.ts";
import type { Refusal } from "./refuse.ts";
import type { World } from "./world.ts";

const MIB = 1024 ** 2;
const TEMPLATES = "metadata.annotations";

/** What Harvester objects to in a machine. */
export function machineRefusals(world: World, vm: KubeObject): readonly Refusal[] {
  const templates = claimTemplates(vm);
  if (typeof templates === "string")
    return [{ message: `the volumeClaimTemplates annotaion is invalid: ${templates}`, field: TEMPLATES }];
  const volumes = templates.flatMap(({ name, annotations, spec }) =>
    imageRefusals(world, { name, imageId: annotations[IMAGE_ID], className: textAt(spec, "storageClassName") }),
  );
  return [...volumes, ...occupiedRefusals(world, vm), ...memoryRefusals(vm), ...networkRefusals(world, vm)].slice(0, 1);
}

/** What it objects to in a claim that somebody makes. */
export function claimRefusals(world: World, claim: KubeObject): readonly Refusal[] {
  return imageRefusals(world, {
    name: claim.metadata.name ?? "",
    imageId: claim.metadata.annotations?.[IMAGE_ID],
    className: textAt(claim, "spec", "storageClassName"),
  });
}

interface ImageVolume {
  readonly name: string;
  readonly imageId: string | undefined;
  readonly className: string;
}

/** A volume of one image in the class of another would boot something else than it says. */
function imageRefusals(world: World, { name, imageId, className }: ImageVolume): readonly Refusal[] {
  const image = imageId === undefined ? undefined : world.get("image", imageId);
  const storageClass = world.get("storageClass", className);
  if (image === undefined || storageClass === undefined || textAt(image, "spec", "backend") === "cdi") return [];
  const backing = textAt(storageClass, "parameters", "backingImage");
  const wanted = backingImageName(world.version, image);
  if (backing === wanted) return [];
  const message =
    `volume ${name}: the backing image "${backing}" of storage class ${className} does not match ` +
    `the backing image "${wanted}" of image ${imageId}`;
  return [{ message, field: "spec.storageClassName" }];
}

function occupiedRefusals(world: World, vm: KubeObject): readonly Refusal[] {
  const own = keyOf(vm);
  const taken = claimsOf(vm).find((key) => world.references.users("claim", key).some((user) => user !== own));
  if (taken === undefined) return [];
  const message = `PVC ${taken} is already used by other VM, please use a shareable RWX volume.`;
  return [{ message, field: "spec.templates.spec.volumes" }];
}

function memoryRefusals(vm: KubeObject): readonly Refusal[] {
  const domain = mapAt(instanceSpec(vm), "domain");
  const guest = amountAt(domain, "memory", "guest");
  const limit = amountAt(domain, "resources", "limits", "memory");
  if (guest === 0 && limit === 0)
    return [
      { message: "either memory.guest or resources.limits.memory must be set", field: "spec.template.spec.domain" },
    ];
  const reserved = amountAt(vm.metadata.annotations, RESERVED_MEMORY);
  const field = `metadata.annotations[${RESERVED_MEMORY}]`;
  if (limit === 0 || reserved === 0) return [];
  if (reserved >= limit) return [{ message: "reservedMemory cannot be equal or greater than limits.memory", field }];
  if (guest + reserved <= limit) return [];
  const message = `guest memory ${guest} plus reservedMemory ${reserved} cannot be greater than limits.memory ${limit}`;
  return [{ message, field }];
}

/** Newer versions look the networks up, and what they do not find is an error of their own. */
function networkRefusals(world: World, vm: KubeObject): readonly Refusal[] {
  if (world.version !== "1.8") return [];
  const nowhere = networksOf(vm).find((key) => world.get("network", key) === undefined);
  if (nowhere === undefined) return [];
  const name = nowhere.slice(nowhere.indexOf("/") + 1);
  return [{ code: 500, message: `network-attachment-definitions.k8s.cni.cncf.io "${name}" not found` }];
}

/** A claim that a machine mounts is not to be deleted before the machine is. */
export function claimDeletionRefusals(world: World, claim: KubeObject): readonly Refusal[] {
  const users = world.references.users("claim", keyOf(claim));
  const user = users.find((key) => {
    const vm = world.get("vm", key);
    return vm !== undefined && !isDeleting(vm);
  });
  if (user === undefined) return [];
  const { name } = claim.metadata;
  return world.version === "1.8"
    ? [{ code: 409, message: `can not delete the volume ${name} which is currently attached to VM: ${user}` }]
    : [{ message: `can not delete the volume ${name} which is currently attached by these VMs: ${user}`, field: "" }];
}

/** What the webhooks fill in: a machine is never stored quite as it was sent. */
export function filledIn(vm: KubeObject): KubeObject {
  const spec = instanceSpec(vm);
  const domain = mapAt(spec, "domain");
  const limits = mapAt(domain, "resources", "limits");
  const cpu = amountAt(limits, "cpu");
  const memory = amountAt(limits, "memory");
  const reserved = amountAt(vm.metadata.annotations, RESERVED_MEMORY) || 100 * MIB;
  const requests = {
    ...(cpu > 0 ? { cpu: `${Math.max(1, Math.floor((cpu * 1000) / 16))}m` } : {}),
    ...(memory > 0 ? { memory: `${Math.floor(memory / 1.5 / MIB)}Mi` } : {}),
    ...mapAt(domain, "resources", "requests"),
  };
  const needsGuest = memory > 0 && at(domain, "memory", "guest") === undefined;
  const guest = `${Math.floor((memory - reserved) / MIB)}Mi`;
  return {
    ...vm,
    spec: {
      ...Object(vm.spec),
      template: {
        ...mapAt(vm.spec, "template"),
        spec: {
          architecture: "amd64",
          terminationGracePeriodSeconds: 120,
          ...spec,
          domain: {
            machine: { type: "q35" },
            ...domain,
            ...(needsGuest ? { memory: { ...mapAt(domain, "memory"), guest } } : {}),
            ...(Object.keys(requests).length === 0 ? {} : { resources: { ...mapAt(domain, "resources"), requests } }),
          },
        },
      },
    },
  };
}
