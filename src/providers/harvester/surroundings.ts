// SPDX-License-Identifier: Apache-2.0
import type { MachineWant } from "../../engine/provider.ts";
import type { ProviderErrorParts } from "../../engine/provider-error.ts";
import { storageClass } from "../../kube/index.ts";
import type { Requests } from "./client.ts";
import { networkAttachmentDefinition } from "./kinds.ts";
import type { Site } from "./site.ts";

/** Splits the `namespace/name` of a network. */
export function parseNetworkName(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = text.split("/");
  return { namespace, name };
}

/** Whether the network exists; undefined without the right to look. */
export async function hasNetwork(text: string, site: Site, requests: Requests): Promise<boolean | undefined> {
  const key = parseNetworkName(text);
  const right = { kind: networkAttachmentDefinition, verb: "get", namespace: key.namespace };
  if (!(await site.may(requests, right))) return undefined;
  return (await requests.get(networkAttachmentDefinition, key)) !== undefined;
}

/** Whether the storage class exists; undefined without the right to look. */
export async function hasStorageClass(name: string, site: Site, requests: Requests): Promise<boolean | undefined> {
  if (!(await site.may(requests, { kind: storageClass, verb: "get" }))) return undefined;
  return (await requests.get(storageClass, { name })) !== undefined;
}

/**
 * Throws `invalid` where the network or a storage class does not exist. Harvester itself would take such a machine and never start
 * it. What may not be read is not looked at.
 */
export async function requireSurroundings(
  want: MachineWant,
  { rootClass, site, requests }: { readonly rootClass: string; readonly site: Site; readonly requests: Requests },
): Promise<void> {
  const { networkName, storageClassName } = site.settings;
  await site.remember(`network ${networkName}`, async () => {
    if ((await hasNetwork(networkName, site, requests)) === false)
      throw requests.refuse(
        notThere("NetworkNotFound", `network "${networkName}"`, "spec.harvester.networkName of the ProviderConfig"),
      );
  });
  const wanted = new Map<string, string>([[rootClass, "spec.harvester.storageClassName of the ProviderConfig"]]);
  want.extraDisks.forEach((disk, index) => {
    const field =
      disk.storageClass === undefined
        ? "spec.harvester.storageClassName of the ProviderConfig"
        : `spec.extraDisks[${index}].storageClass`;
    const name = disk.storageClass ?? storageClassName;
    if (name !== undefined) wanted.set(name, field);
  });
  for (const [name, field] of wanted)
    await site.remember(`class ${name}`, async () => {
      if ((await hasStorageClass(name, site, requests)) === false)
        throw requests.refuse(notThere("StorageClassNotFound", `storage class "${name}"`, field));
    });
}

function notThere(reason: string, what: string, field: string): ProviderErrorParts {
  return {
    kind: "invalid",
    reason,
    message: `${what} does not exist on Harvester: make it, or change ${field}`,
    code: "NotFound",
  };
}
