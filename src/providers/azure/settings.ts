// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { later, text, texts } from "../../api/fields.ts";
import type { ProviderBlock } from "../../api/provider-block.ts";

const settings = z.object({
  subscriptionID: z.string().describe("Subscription in which machines are made."),
  resourceGroup: z.string().describe("Resource group in which machines are made. It must exist."),
  location: text("Location of the machines. Left out: the resource group's."),
  vnetName: text("Virtual network of the machines."),
  subnetName: text("Subnet of the machines."),
  vmSize: text("Machine size for every machine. Left out: chosen by `cpu` and `memoryMB`."),
  imageURN: text("Image machines boot from: a URN, or the id of a managed image or of a gallery image version."),
  zones: texts(later("Availability zones that machines may be placed in, in order of preference.")),
  vmFamilies: texts(later("Families to choose machine sizes from, in order of preference.")),
  diskType: z.string().default("Premium_LRS").describe(later("Type of the disks.")),
  publicIP: z.boolean().default(false).describe(later("Give machines a public address.")),
  securityGroupName: text(later("Network security group of the machines' network cards.")),
  userAssignedIdentity: text(later("Identity the machines run as.")),
  endpoint: text(later("URL of the Resource Manager API, instead of Azure's own.")),
  ambientCredentials: z
    .boolean()
    .default(false)
    .describe(
      later(
        "Use the credentials of the environment Butler runs in (managed or workload identity) instead of a Secret.",
      ),
    ),
});

const overrides = z.object({
  vmSize: text(later("Machine size for this cluster's machines.")),
  imageURN: text(later("Image for this cluster's machines.")),
  userAssignedIdentity: text(later("Identity this cluster's machines run as.")),
});

/** Microsoft Azure virtual machines. */
export const azureBlock = {
  name: "azure",
  title: "Azure",
  networking: "cloud",
  settings,
  overrides,
  secretKeys: [
    {
      required: {
        clientID: "An application's id.",
        clientSecret: "Its secret.",
        tenantID: "The directory it belongs to.",
      },
      optional: {
        subscriptionID: "Not used: the ProviderConfig names it.",
        securityGroupName: "Not used: the ProviderConfig names it.",
      },
    },
  ],
} as const satisfies ProviderBlock;
