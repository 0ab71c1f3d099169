// SPDX-License-Identifier: Apache-2.0
import type { z } from "zod";

/** What a provider's folder says about itself to the API: its block of settings and where its credentials stand. */
export interface ProviderBlock {
  /** The value of `spec.provider` and the name of the block. */
  readonly name: string;
  /** As users know it: `Harvester`, `Proxmox VE`. */
  readonly title: string;
  /** Whether addresses come from NetworkPools or from the cloud itself. */
  readonly networking: "pools" | "cloud";
  /** The block in a ProviderConfig. A field `ambientCredentials` in it allows credentials from the environment. */
  readonly settings: z.ZodObject;
  /** What a TenantCluster may override of it. */
  readonly overrides: z.ZodObject;
  /** The sets of keys a credentials Secret may have; one of the sets must be complete. */
  readonly secretKeys: readonly SecretKeys[];
}

/** One way of giving credentials: the keys it needs, and those it may have besides. */
export interface SecretKeys {
  readonly required: Readonly<Record<string, string>>;
  readonly optional?: Readonly<Record<string, string>>;
}
