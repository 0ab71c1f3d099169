// SPDX-License-Identifier: Apache-2.0
import type { ProviderEntry } from "../engine/provider-entry.ts";
import { awsBlock } from "./aws/settings.ts";
import { azureBlock } from "./azure/settings.ts";
import { gcpBlock } from "./gcp/settings.ts";
import { harvesterBlock } from "./harvester/settings.ts";
import { nutanixBlock } from "./nutanix/settings.ts";
import { proxmoxBlock } from "./proxmox/settings.ts";

/**
 * Every infrastructure there is. A new one is a folder beside this file and a line here; nothing here loads an SDK. One without
 * `load` has settings only.
 */
export const providers: readonly ProviderEntry[] = [
  {
    ...harvesterBlock,
    load: () => import("./harvester/index.ts"),
    simulator: async () => ({ simulator: (await import("./harvester/simulator.ts")).harvesterSimulator }),
  },
  nutanixBlock,
  proxmoxBlock,
  awsBlock,
  gcpBlock,
  azureBlock,
];
