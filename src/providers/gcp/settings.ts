// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { later, text, texts } from "../../api/fields.ts";
import type { ProviderBlock } from "../../api/provider-block.ts";

const settings = z.object({
  projectID: z.string().describe("Project in which machines are made."),
  region: z.string().describe("Region in which machines are made, for example `europe-west3`."),
  zone: text("Zone for machines. Left out: `<region>-a`."),
  network: text("VPC network of the machines."),
  subnetwork: text("Subnetwork of the machines."),
  machineType: text("Machine type for every machine. Left out: chosen by `cpu` and `memoryMB`."),
  imageProject: text("Project the image belongs to. Left out: `projectID`."),
  imageFamily: text("Image family machines boot from: its newest image is taken."),
  image: text("Image machines boot from. Wins over `imageFamily`."),
  serviceAccount: text("Service account the machines run as."),
  tags: texts("Network tags of the machines, for firewall rules."),
  machineFamilies: texts(later("Families to choose machine types from, in order of preference.")),
  zones: texts(later("Zones that machines may be placed in, in order of preference.")),
  diskType: z.string().default("pd-balanced").describe(later("Type of the disks.")),
  publicIP: z.boolean().default(false).describe(later("Give machines a public address.")),
  endpoint: text(later("URL of the Compute Engine API, instead of Google's own.")),
  ambientCredentials: z
    .boolean()
    .default(false)
    .describe(later("Use the credentials of the environment Butler runs in (workload identity) instead of a Secret.")),
});

const overrides = z.object({
  zone: text("Zone for this cluster's machines."),
  machineType: text("Machine type for this cluster's machines."),
  image: text("Image for this cluster's machines."),
  imageFamily: text("Image family for this cluster's machines."),
  subnetwork: text("Subnetwork for this cluster's machines."),
});

/** Google Compute Engine. */
export const gcpBlock = {
  name: "gcp",
  title: "GCP",
  networking: "cloud",
  settings,
  overrides,
  secretKeys: [{ required: { serviceAccountKey: "A service account's key, as JSON text." } }],
} as const satisfies ProviderBlock;
