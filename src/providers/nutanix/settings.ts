// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { int32, later, text } from "../../api/fields.ts";
import type { ProviderBlock } from "../../api/provider-block.ts";

const settings = z.object({
  endpoint: z
    .string()
    .regex(/^https?:\/\//)
    .describe("URL of Prism Central without a port, for example `https://prism.example.com`."),
  port: int32().default(9440).describe("Port of the Prism Central API."),
  insecure: z.boolean().default(false).describe("Do not verify the server's certificate. Only for trying things out."),
  clusterUUID: z.string().describe("UUID of the Prism Element cluster that runs the machines."),
  subnetUUID: z.string().describe("UUID of the subnet that machines are attached to."),
  imageUUID: text("UUID of the image machines boot from, unless the MachineRequest names one."),
  storageContainerUUID: text("UUID of the storage container for disks. Left out: the cluster's default."),
  projectUUID: text(later("UUID of the project that machines belong to.")),
  categories: z
    .record(z.string(), z.string())
    .optional()
    .describe(later("Categories put on every machine, name to value.")),
  bootType: z
    .enum(["legacy", "uefi", "secureboot"])
    .optional()
    .describe(later("How machines boot. Left out: Prism Central's default.")),
  apiVersion: z
    .enum(["auto", "v3", "v4"])
    .default("auto")
    .describe(later("Version of the Prism Central API to use. `auto` takes v4 where it exists.")),
  imageName: text(later("Name of the image machines boot from, instead of `imageUUID`.")),
});

const overrides = z.object({
  clusterUUID: text("UUID of the Prism Element cluster for this cluster's machines."),
  subnetUUID: text("UUID of the subnet for this cluster's machines."),
  imageUUID: text("UUID of the image for this cluster's machines."),
  storageContainerUUID: text("UUID of the storage container for this cluster's disks."),
});

/** Nutanix AHV through Prism Central. */
export const nutanixBlock = {
  name: "nutanix",
  title: "Nutanix AHV",
  networking: "pools",
  settings,
  overrides,
  secretKeys: [
    {
      required: { username: "A Prism Central user.", password: "Its password." },
      optional: { "ca.pem": "The certificate authority of Prism Central, if it is not a public one." },
    },
  ],
} as const satisfies ProviderBlock;
