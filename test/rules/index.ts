// SPDX-License-Identifier: Apache-2.0
import { clusterBootstrapRules } from "./cluster-bootstrap.ts";
import { imageSyncRules } from "./image-sync.ts";
import { ipAllocationRules } from "./ip-allocation.ts";
import { loadBalancerRequestRules } from "./load-balancer-request.ts";
import { machineRequestRules } from "./machine-request.ts";
import { networkPoolRules } from "./network-pool.ts";
import { providerConfigRules } from "./provider-config.ts";
import type { RuleTable } from "./rule-case.ts";
import { teamRules } from "./team.ts";
import { tenantClusterRules } from "./tenant-cluster.ts";

/** Every rule of every kind, each broken at least once. Runs against `src/schema` here and against a real API server beside it. */
export const ruleTables: readonly RuleTable[] = [
  machineRequestRules,
  providerConfigRules,
  networkPoolRules,
  ipAllocationRules,
  loadBalancerRequestRules,
  imageSyncRules,
  clusterBootstrapRules,
  tenantClusterRules,
  teamRules,
];
