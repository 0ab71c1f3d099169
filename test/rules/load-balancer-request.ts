// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../../src/schema/types.ts";
import {
  beyondInt32,
  conditionCases,
  empty,
  invalid,
  mismatch,
  missing,
  notATime,
  type RuleCase,
  type RuleTable,
  ready,
  referenceCases,
  tooLarge,
  tooLong,
  tooSmall,
  unsupported,
} from "./rule-case.ts";

/** A field that may not change, changed. */
function changed(field: string, value: Json | undefined, at = field): RuleCase {
  const words = at === "spec.clusterName" ? "named after it" : "sought in another cloud";
  return { ...invalid(`${field} changed`, { [field]: value }, at, words), before: {} };
}

export const loadBalancerRequestRules: RuleTable = {
  kind: "LoadBalancerRequest",
  base: {
    apiVersion: "butler.butlerlabs.dev/v1alpha1",
    kind: "LoadBalancerRequest",
    metadata: { name: "management", namespace: "default" },
    spec: {
      clusterName: "management",
      providerConfigRef: { name: "aws-frankfurt", namespace: "butler-system" },
      port: 6443,
      healthCheckPort: 6443,
      targets: [{ ip: "10.40.9.1", instanceID: "i-0a1b2c3d4e5f60718", instanceName: "management-cp-0" }],
    },
    status: { phase: "Ready", registeredTargets: 1, lastUpdated: "2026-03-10T12:00:00Z", conditions: [ready] },
  },
  cases: [
    missing("spec"),
    missing("spec.clusterName"),
    empty("spec.clusterName"),
    tooLong("spec.clusterName", 63),
    mismatch("spec.clusterName", "Management"),
    changed("spec.clusterName", "other"),
    missing("spec.providerConfigRef"),
    ...referenceCases("spec.providerConfigRef"),
    changed("spec.providerConfigRef.name", "aws-dublin", "spec.providerConfigRef"),
    changed("spec.providerConfigRef.namespace", undefined, "spec.providerConfigRef"),
    tooSmall("spec.port", 1),
    tooLarge("spec.port", 65535),
    beyondInt32("spec.port"),
    tooSmall("spec.healthCheckPort", 1),
    tooLarge("spec.healthCheckPort", 65535),
    beyondInt32("spec.healthCheckPort"),

    unsupported("status.phase", "Running"),
    beyondInt32("status.registeredTargets"),
    notATime("status.lastUpdated"),
    ...conditionCases(),
  ],
};
