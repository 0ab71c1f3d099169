// SPDX-License-Identifier: Apache-2.0
import {
  clusterBootstrapKind,
  imageSync,
  ipAllocation,
  type Kind,
  loadBalancerRequest,
  machineRequest,
  networkPool,
  providerConfigKind,
  team,
  tenantClusterKind,
} from "./api/index.ts";
import { providers } from "./providers/index.ts";

export type { Kind } from "./api/index.ts";

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
