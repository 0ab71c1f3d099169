// SPDX-License-Identifier: Apache-2.0
export { type ClusterBootstrap, clusterBootstrapKind } from "./cluster-bootstrap.ts";
export type { CustomResourceDefinition } from "./crd.ts";
export { type ImageSync, imageSync } from "./image-sync.ts";
export { type IPAllocation, ipAllocation } from "./ip-allocation.ts";
export type { Kind } from "./kind.ts";
export type { KubernetesObject, Normalised, Warning } from "./kind-definition.ts";
export { type LoadBalancerRequest, loadBalancerRequest } from "./load-balancer-request.ts";
export { type MachineRequest, machineRequest } from "./machine-request.ts";
export { type NetworkPool, networkPool } from "./network-pool.ts";
export type { ProviderBlock, SecretKeys } from "./provider-block.ts";
export { type ProviderConfig, providerConfigKind } from "./provider-config.ts";
export { type Team, team } from "./team.ts";
export { type TenantCluster, tenantClusterKind } from "./tenant-cluster.ts";
