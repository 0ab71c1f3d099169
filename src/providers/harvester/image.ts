// SPDX-License-Identifier: Apache-2.0
import { findCondition, isConditionTrue } from "../../kube/index.ts";
import type { Requests } from "./client.ts";
import { type VirtualMachineImage, virtualMachineImage } from "./kinds.ts";
import type { Site } from "./site.ts";
import type { HarvesterSettings, ImageSource } from "./virtual-machine.ts";

/** What an image's own status says about it. */
export type ImageState =
  | { readonly type: "imported"; readonly storageClass: string | undefined }
  | { readonly type: "importing"; readonly progress: number }
  | { readonly type: "failed"; readonly message: string };

/** Reads how far an image is. */
export function imageState({ spec, status }: VirtualMachineImage): ImageState {
  const { conditions = [], progress = 0, storageClassName } = status ?? {};
  for (const type of ["RetryLimitExceeded", "BackingImageMissing"]) {
    const condition = findCondition(conditions, type);
    if (condition?.status === "True") return { type: "failed", message: `${type}: ${condition.message ?? ""}` };
  }
  if (!isConditionTrue(conditions, "Imported")) return { type: "importing", progress };
  return { type: "imported", storageClass: storageClassName || spec?.targetStorageClassName || undefined };
}

/** Splits `namespace/name`; a bare name is in the machines' namespace. */
export function parseImageName(text: string, { namespace }: Pick<HarvesterSettings, "namespace">) {
  const slash = text.indexOf("/");
  return slash < 0 ? { namespace, name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** By the rule of older Harvesters, for where the image itself may not be read. */
export function guessedStorageClass(imageName: string, { storageClassName }: HarvesterSettings): string {
  return storageClassName ?? `longhorn-${imageName}`;
}

/** The image as a resource, by its name or else by what people see as its name; `unreadable` without the right to look. */
export async function lookUpImage(
  text: string,
  site: Site,
  requests: Requests,
): Promise<VirtualMachineImage | "unreadable" | undefined> {
  const { namespace, name } = parseImageName(text, site.settings);
  const right = { kind: virtualMachineImage, namespace };
  if (!(await site.may(requests, { ...right, verb: "get" }))) return "unreadable";
  // A display name may have characters that no resource has.
  const named = /^[a-z0-9][-a-z0-9.]*$/.test(name)
    ? await requests.get(virtualMachineImage, { namespace, name })
    : undefined;
  if (named !== undefined || !(await site.may(requests, { ...right, verb: "list" }))) return named;
  const { items } = await requests.list(virtualMachineImage, { namespace });
  const matching = items.filter(({ spec }) => spec?.displayName === name);
  return matching.find((image) => imageState(image).type === "imported") ?? matching[0];
}

/** The image a machine is to boot, ready for use. Throws `invalid` or `unavailable` where it is not. */
export async function resolveImage(text: string, site: Site, requests: Requests): Promise<ImageSource> {
  return site.remember(`image ${text}`, async () => {
    const { namespace, name } = parseImageName(text, site.settings);
    const image = await lookUpImage(text, site, requests);
    if (image === "unreadable")
      return { id: `${namespace}/${name}`, storageClass: guessedStorageClass(name, site.settings) };
    if (image === undefined)
      throw requests.refuse({
        kind: "invalid",
        reason: "ImageNotFound",
        code: "NotFound",
        message: `image "${text}": there is none of that name or display name in namespace "${namespace}" on Harvester: upload it, or correct spec.image of the MachineRequest or spec.harvester.imageName of the ProviderConfig`,
      });
    const resourceName = image.metadata.name ?? name;
    const state = imageState(image);
    if (state.type === "failed")
      throw requests.refuse({
        kind: "invalid",
        reason: "ImageFailed",
        message: `image "${text}": Harvester could not import it (${state.message}): upload it again, or name another image`,
      });
    if (state.type === "importing")
      throw requests.refuse({
        kind: "unavailable",
        reason: "ImageImporting",
        message: `image "${text}": Harvester is still importing it; the machine is made when that is done. Where it does not go on, see the image on Harvester`,
      });
    const storageClass = state.storageClass ?? guessedStorageClass(resourceName, site.settings);
    return { id: `${namespace}/${resourceName}`, storageClass };
  });
}
