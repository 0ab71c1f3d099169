// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { int32, text } from "../../api/fields.ts";
import type { ProviderBlock } from "../../api/provider-block.ts";

const networkName = () => z.string().regex(/^[a-z0-9-]+\/[a-z0-9-]+$/);

const settings = z.object({
  endpoint: text(
    "URL of the Harvester API. Not used: the kubeconfig in the credentials Secret says where Harvester is. Where the two differ, the condition `EndpointMatches` says so.",
  ),
  namespace: z
    .string()
    .default("default")
    .describe("Namespace on Harvester in which virtual machines and their disks are made."),
  networkName: networkName().describe("The VM network to attach machines to, as `namespace/name`."),
  imageName: text(
    "The image machines boot from, as `namespace/name` of its resource or with its display name, unless the MachineRequest names one.",
  ),
  storageClassName: text(
    "Storage class for extra disks that name none, and for the root disk where the image's own class may not be read. Left out: Harvester's default class for extra disks, `longhorn-<image>` for such root disks.",
  ),
  runStrategy: z
    .enum(["Always", "RerunOnFailure"])
    .default("RerunOnFailure")
    .describe(
      "What Harvester does when a machine stops: `Always` starts it again, `RerunOnFailure` only if it did not shut down by itself.",
    ),
  efi: z.boolean().default(false).describe("Boot with EFI instead of BIOS."),
  secureBoot: z.boolean().default(false).describe("Boot only signed systems. Needs `efi`."),
  tpm: z.boolean().default(false).describe("Give machines a virtual TPM."),
  cpuModel: text("CPU model that machines see, for example `host-passthrough`."),
  reservedMemoryMB: int32()
    .optional()
    .describe(
      "Memory in MiB that a machine's limit has on top of what its guest sees, for the hypervisor's own needs. Left out: 100.",
    ),
  nodeSelector: z
    .record(z.string(), z.string())
    .optional()
    .describe("Run machines only on Harvester nodes with these labels."),
});

const overrides = z.object({
  namespace: text("Namespace on Harvester for this cluster's machines."),
  networkName: text("VM network for this cluster's machines, as `namespace/name`."),
  imageName: text("Image for this cluster's machines, as `namespace/name`."),
});

/** Harvester HCI: a Kubernetes API in front of KubeVirt and Longhorn. */
export const harvesterBlock = {
  name: "harvester",
  title: "Harvester",
  networking: "pools",
  settings,
  overrides,
  secretKeys: [
    { required: { kubeconfig: "A kubeconfig for the Harvester cluster. `credentialsRef.key` may name another key." } },
  ],
} as const satisfies ProviderBlock;
