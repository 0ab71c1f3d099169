// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import type { Assembly } from "./assemble.ts";
import { keyOf } from "./changes.ts";
import type { Front } from "./front.ts";
import { tellImage } from "./images.ts";
import { GUEST_AGENT, IMPORT, withAnnotation } from "./machine-view.ts";
import { mapAt, textAt } from "./read.ts";
import { network } from "./seeds.ts";
import type { HarvesterSimulation, ImageWish, QuotaWish } from "./types.ts";

type Strings = Pick<
  HarvesterSimulation,
  | "addImage"
  | "finishImport"
  | "loseBackingImage"
  | "addNetwork"
  | "setQuota"
  | "setRoom"
  | "setUpgrading"
  | "setHarvesterDown"
  | "holdAddresses"
  | "migrate"
  | "endGuest"
  | "deleteObject"
  | "cutWatches"
  | "restartApi"
>;

/** The strings to pull behind a simulated Harvester. */
export function createStrings({ plane, world, lookAtAll }: Assembly, front: Front): Strings {
  const turn = (knobs: Partial<typeof world.knobs>) => {
    Object.assign(world.knobs, knobs);
    lookAtAll();
  };
  const changeInstance = async (key: string, change: (vmi: KubeObject) => object) => {
    const changed = await world.update("vmi", key, (vmi) => ({
      ...vmi,
      status: { ...mapAt(vmi, "status"), ...change(vmi) },
    }));
    if (changed === undefined) throw new Error(`there is no VirtualMachineInstance ${key}`);
  };
  return {
    async addImage(key, wish) {
      await world.create("image", image(key, wish));
    },
    async finishImport(key) {
      await tellImage(world, key, { failed: 0, told: [{ type: "RetryLimitExceeded", status: "False" }] });
      await world.update("image", key, (one) => withAnnotation(one, IMPORT, "succeeds"));
    },
    loseBackingImage: (key) =>
      tellImage(world, key, {
        told: [{ type: "BackingImageMissing", status: "True", message: "backing image is missing" }],
      }),
    async addNetwork(key) {
      await world.create("network", network(key));
    },
    async setQuota(namespace, quota) {
      const object = quotaObject(namespace, quota ?? {});
      if (quota === undefined) await world.remove("quota", keyOf(object));
      else if ((await world.create("quota", object)) === undefined)
        await world.update("quota", keyOf(object), (current) => ({ ...current, spec: object.spec }));
    },
    setRoom: (hasRoom) => turn({ hasRoom }),
    setUpgrading: (isUpgrading) => turn({ isUpgrading }),
    setHarvesterDown: (isDown) => turn({ isHarvesterUp: !isDown }),
    holdAddresses: (holdsAddresses) => turn({ holdsAddresses }),
    migrate: (key) =>
      changeInstance(key, (vmi) => {
        const sourceNode = textAt(vmi, "status", "nodeName");
        const target = world.changes.list("node").find(({ metadata }) => metadata.name !== sourceNode);
        return { migrationState: { sourceNode, targetNode: target?.metadata.name ?? sourceNode } };
      }),
    endGuest: (key, how) => changeInstance(key, () => ({ phase: how, conditions: [] })),
    deleteObject: (kind, key) => world.remove(kind, key),
    cutWatches(how) {
      if (how === "expire") plane.compact();
      front.watches.cut(how);
    },
    restartApi(downMs) {
      turn({ isApiUp: false });
      front.watches.cut("break");
      world.clock.after(downMs, () => turn({ isApiUp: true }));
    },
  };
}

function image(key: string, wish: ImageWish = {}): KubeObject {
  const [namespace = "", name = ""] = key.split("/");
  const fate = wish.import ?? "succeeds";
  return {
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "VirtualMachineImage",
    metadata: {
      namespace,
      name,
      annotations: {
        ...(wish.hasGuestAgent === false ? { [GUEST_AGENT]: "false" } : {}),
        ...(fate === "succeeds" ? {} : { [IMPORT]: fate }),
      },
      labels: { "harvesterhci.io/imageDisplayName": wish.displayName ?? name },
    },
    spec: {
      displayName: wish.displayName ?? name,
      sourceType: "download",
      url: `https://factory.talos.dev/image/${name}/metal-amd64.raw.xz`,
    },
  };
}

function quotaObject(namespace: string, { cpu, memoryMb, virtualMachines, secrets }: QuotaWish): KubeObject {
  const hard = {
    ...(cpu === undefined ? {} : { "limits.cpu": String(cpu) }),
    ...(memoryMb === undefined ? {} : { "limits.memory": `${memoryMb}Mi` }),
    ...(virtualMachines === undefined ? {} : { "count/virtualmachines.kubevirt.io": String(virtualMachines) }),
    ...(secrets === undefined ? {} : { secrets: String(secrets) }),
  };
  return { apiVersion: "v1", kind: "ResourceQuota", metadata: { namespace, name: "default-quota" }, spec: { hard } };
}
