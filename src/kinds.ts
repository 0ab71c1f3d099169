// SPDX-License-Identifier: Apache-2.0
import { clusterBootstrapKind } from "./api/cluster-bootstrap.ts";
import { imageSync } from "./api/image-sync.ts";
import { ipAllocation } from "./api/ip-allocation.ts";
import type { Kind } from "./api/kind.ts";
import { loadBalancerRequest } from "./api/load-balancer-request.ts";
import { machineRequest } from "./api/machine-request.ts";
import { networkPool } from "./api/network-pool.ts";
import { providerConfigKind } from "./api/provider-config.ts";
import { team } from "./api/team.ts";
import { tenantClusterKind } from "./api/tenant-cluster.ts";
import { providers } from "./providers/index.ts";

export type { Kind } from "./api/kind.ts";

/** Every kind of ours, the providers' own parts in place, in the order users meet them. */
export const kinds: readonly Kind[] = [
  machineRequest,
  providerConfigKind(providers),
  networkPool,
  ipAllocation,
  clusterBootstrapKind(providers),
  tenantClusterKind(providers),
  team,
  loadBalancerRequest,
  imageSync,
];

/** The kind a user means by `MachineRequest`, `machinerequests`, `machinerequest` or `mr`, whatever the case. */
export function findKind(name: string): Kind | undefined {
  const wanted = name.toLowerCase();
  return kinds.find(({ plural, singular, shortNames }) => [plural, singular, ...shortNames].includes(wanted));
}
