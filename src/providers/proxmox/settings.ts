// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { int32, later, rule, text, withRules } from "../../api/fields.ts";
import type { ProviderBlock } from "../../api/provider-block.ts";

const vmidRange = withRules(
  z.object({
    start: int32({ min: 100 }).describe("The lowest VMID to use."),
    end: int32({ min: 100 }).describe("The highest VMID to use."),
  }),
  rule("self.start <= self.end", "start must not be greater than end"),
);

const settings = z.object({
  endpoint: z
    .string()
    .regex(/^https?:\/\//)
    .describe("URL of the Proxmox VE API with its port, for example `https://pve.example.com:8006`."),
  insecure: z.boolean().default(false).describe("Do not verify the server's certificate. Only for trying things out."),
  nodes: z.array(z.string()).min(1).describe("Nodes on which machines may be placed."),
  storage: z.string().describe("Storage for the machines' disks."),
  templateID: int32()
    .optional()
    .describe("VMID of the template that machines are cloned from, unless the MachineRequest names one."),
  vmidRange: vmidRange.optional().describe("VMIDs that Butler may use. Left out: any free one."),
  bridge: z.string().default("vmbr0").describe(later("Network bridge that machines are attached to.")),
  vlan: int32({ min: 1, max: 4094 }).optional().describe(later("VLAN tag of the machines' network card.")),
  pool: text(later("Resource pool that machines are put into.")),
  isoStorage: text(later("Storage for cloud-init images. Left out: `storage`.")),
  templateName: text(later("Name of the template that machines are cloned from, instead of `templateID`.")),
  templateNode: text(later("Node the template stands on. Left out: it is looked up.")),
  bootDisk: z.string().default("scsi0").describe(later("Device name of the template's boot disk.")),
  bios: z.enum(["seabios", "ovmf"]).optional().describe(later("Firmware of the machines. Left out: the template's.")),
  cpuType: text(later("CPU type that machines see. Left out: the template's.")),
  cloneConcurrency: int32().default(2).describe(later("How many clones may run at once; each copies a whole disk.")),
});

const overrides = z.object({
  node: text("Node for this cluster's machines."),
  storage: text("Storage for this cluster's disks."),
  templateID: int32().optional().describe("VMID of the template for this cluster's machines."),
});

/** Proxmox VE. */
export const proxmoxBlock = {
  name: "proxmox",
  title: "Proxmox VE",
  networking: "pools",
  settings,
  overrides,
  secretKeys: [
    { required: { username: "A user with its realm, for example `butler@pve`.", password: "Its password." } },
    { required: { token: "The id of an API token, `user@realm!id`.", tokenSecret: "Its secret." } },
  ],
} as const satisfies ProviderBlock;
