// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { int32, later, text } from "../../api/fields.ts";
import type { ProviderBlock } from "../../api/provider-block.ts";

const networkName = () => z.string().regex(/^[a-z0-9-]+\/[a-z0-9-]+$/);

const settings = z.object({
  endpoint: text(
    "URL of the Harvester API. Not used: the kubeconfig in the credentials Secret says where Harvester is.",
  ),
  namespace: z
    .string()
    .default("default")
    .describe("Namespace on Harvester in which virtual machines and their disks are made."),
  networkName: networkName().describe("The VM network to attach machines to, as `namespace/name`."),
  imageName: text("The image machines boot from, as `namespace/name`, unless the MachineRequest names one."),
  storageClassName: text(
    "Storage class for extra disks, and for the root disk where the image's own class may not be read. Left out: the image's class.",
  ),
  runStrategy: z
    .enum(["Always", "RerunOnFailure"])
    .default("RerunOnFailure")
    .describe(
      later(
        "What Harvester does when a machine stops: `Always` starts it again, `RerunOnFailure` only if it did not shut down by itself.",
      ),
    ),
  efi: z.boolean().default(false).describe(later("Boot with EFI instead of BIOS.")),
  secureBoot: z.boolean().default(false).describe(later("Boot only signed systems. Needs `efi`.")),
  tpm: z.boolean().default(false).describe(later("Give machines a virtual TPM.")),
  cpuModel: text(later("CPU model that machines see, for example `host-passthrough`.")),
  reservedMemoryMB: int32()
    .optional()
    .describe(later("Memory in MiB kept back from the guest for the hypervisor's own needs.")),
  nodeSelector: z
    .record(z.string(), z.string())
    .optional()
    .describe(later("Run machines only on Harvester nodes with these labels.")),
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
