// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { later, text, texts } from "../../api/fields.ts";
import type { ProviderBlock } from "../../api/provider-block.ts";

const settings = z.object({
  region: z.string().describe("Region in which machines are made, for example `eu-central-1`."),
  vpcID: text("The VPC of the subnets. Left out: the region's default VPC."),
  subnetIDs: texts("Subnets for machines; each is in one availability zone."),
  securityGroupIDs: texts("Security groups of the machines' network cards."),
  instanceType: text(later("Machine type for every machine. Left out: chosen by `cpu` and `memoryMB`.")),
  instanceFamilies: texts(later("Families to choose machine types from, in order of preference.")),
  ami: text(later("AMI machines boot from, unless the MachineRequest names one.")),
  iamInstanceProfile: text(later("IAM instance profile of the machines.")),
  keyName: text(later("EC2 key pair to log in with.")),
  volumeType: z.string().default("gp3").describe(later("EBS volume type of the disks.")),
  volumeEncrypted: z.boolean().default(true).describe(later("Encrypt the disks.")),
  kmsKeyID: text(later("KMS key to encrypt disks with. Left out: the account's default key.")),
  publicIP: z.boolean().default(false).describe(later("Give machines a public address.")),
  endpoint: text(later("URL of the EC2 API, instead of the region's own.")),
  ambientCredentials: z
    .boolean()
    .default(false)
    .describe(
      later(
        "Use the credentials of the environment Butler runs in (instance profile, web identity) instead of a Secret.",
      ),
    ),
});

const overrides = z.object({
  instanceType: text(later("Machine type for this cluster's machines.")),
  ami: text(later("AMI for this cluster's machines.")),
  iamInstanceProfile: text(later("IAM instance profile for this cluster's machines.")),
  volumeType: text(later("EBS volume type for this cluster's disks.")),
});

/** Amazon EC2. */
export const awsBlock = {
  name: "aws",
  title: "AWS",
  networking: "cloud",
  settings,
  overrides,
  secretKeys: [{ required: { accessKeyID: "An access key.", secretAccessKey: "Its secret." } }],
} as const satisfies ProviderBlock;
