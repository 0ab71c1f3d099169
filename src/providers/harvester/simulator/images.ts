// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import { keyOf } from "./changes.ts";
import { conditionOf, isTold, type Told, withConditions } from "./conditions.ts";
import { IMPORT } from "./machine-view.ts";
import { mapAt, textAt } from "./read.ts";
import type { Plan } from "./steps.ts";
import type { HarvesterVersion, World } from "./world.ts";

const PROGRESS = 25;

/** Imports images: with progress, over time, to the end or not. */
export const imagePlan: Plan = (world, key) => {
  const image = world.get("image", key);
  if (image === undefined) return [];
  const { status } = image;
  if (conditionOf(status, "Initialized") === undefined)
    return [{ name: "initialize", afterMs: 200, act: () => initialize(world, key) }];
  const isOver = isTold(status, { type: "Imported" }) || isTold(status, { type: "RetryLimitExceeded" });
  const fate = image.metadata.annotations?.[IMPORT];
  if (isOver || fate === "stalls") return [];
  if (fate === "fails") return [{ name: "fail", afterMs: 1000, act: () => fail(world, key) }];
  const progress = Number(textAt(status, "progress") || 0);
  if (progress + PROGRESS < 100)
    return [{ name: `progress ${progress}`, afterMs: 1000, act: () => goOn(world, key, progress + PROGRESS) }];
  return [{ name: "finish", afterMs: 1000, act: () => finish(world, key) }];
};

/** What the class for an image's volumes is called. */
export function storageClassName(version: HarvesterVersion, image: KubeObject): string {
  if (textAt(image, "spec", "backend") === "cdi") return textAt(image, "spec", "targetStorageClassName");
  return version === "1.8" ? `lh-${image.metadata.uid}` : `longhorn-${image.metadata.name}`;
}

/** What Longhorn calls the copy of an image that volumes are made from. */
export function backingImageName(version: HarvesterVersion, { metadata }: KubeObject): string {
  const isNamedAfterId = version === "1.4" || version === "1.8";
  return isNamedAfterId ? `vmi-${metadata.uid}` : `${metadata.namespace}-${metadata.name}`;
}

/** The class of an image that is imported. */
export function imageClass(version: HarvesterVersion, image: KubeObject): KubeObject {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: storageClassName(version, image) },
    provisioner: "driver.longhorn.io",
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    allowVolumeExpansion: true,
    parameters: {
      backingImage: backingImageName(version, image),
      migratable: "true",
      numberOfReplicas: "3",
      staleReplicaTimeout: "30",
    },
  };
}

/** Writes an image's status; images have no status apart from the rest. */
export async function tellImage(
  world: World,
  key: string,
  { told, ...status }: { readonly told: readonly Told[] } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const time = `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
  await world.update("image", key, (image) => ({
    ...image,
    status: { ...mapAt(image, "status"), ...status, conditions: withConditions(image.status, told, time) },
  }));
}

function initialize(world: World, key: string): Promise<void> {
  return tellImage(world, key, {
    progress: 0,
    told: [
      { type: "Initialized", status: "True", reason: "Initialized" },
      { type: "Imported", status: "Unknown", reason: "Importing" },
    ],
  });
}

function goOn(world: World, key: string, progress: number): Promise<void> {
  return tellImage(world, key, { progress, told: [{ type: "Imported", status: "Unknown", reason: "Importing" }] });
}

async function fail(world: World, key: string): Promise<void> {
  const image = world.get("image", key);
  const failed = Number(textAt(image, "status", "failed") || 0) + 1;
  const retry = Number(textAt(image, "spec", "retry") || 3);
  const why = "failed to download: Get the image: 404 Not Found";
  const message = failed > 1 ? `retry attempted ${failed - 1}/${retry} ${why}` : why;
  const isLast = failed > retry;
  await tellImage(world, key, {
    failed,
    progress: 0,
    told: [
      { type: "RetryLimitExceeded", status: isLast ? "True" : "False", message },
      ...(isLast ? [{ type: "Imported", status: "False", reason: "ImportFailed", message } as const] : []),
    ],
  });
}

async function finish(world: World, key: string): Promise<void> {
  const image = world.get("image", key);
  if (image === undefined) return;
  if (textAt(image, "spec", "backend") !== "cdi") await world.create("storageClass", imageClass(world.version, image));
  await tellImage(world, keyOf(image), {
    progress: 100,
    size: 1_392_508_928,
    virtualSize: 1_392_508_928,
    storageClassName: storageClassName(world.version, image),
    told: [
      { type: "Imported", status: "True", reason: "Imported" },
      { type: "RetryLimitExceeded", status: "False" },
    ],
  });
}
