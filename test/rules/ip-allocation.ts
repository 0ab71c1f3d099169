// SPDX-License-Identifier: Apache-2.0
import {
  beyondInt32,
  conditionCases,
  invalid,
  mismatch,
  missing,
  notATime,
  type RuleCase,
  type RuleTable,
  ready,
  referenceCases,
  tooSmall,
  unsupported,
} from "./rule-case.ts";

const OWNER = "exactly one of tenantClusterRef and machineRequestRef";
const machine = { name: "web-1", namespace: "default" };

/** As a change to an allocation whose owner is a machine. */
function forMachine({ changes, ...rest }: RuleCase): RuleCase {
  return { ...rest, changes: { "spec.tenantClusterRef": undefined, "spec.machineRequestRef": machine, ...changes } };
}

export const ipAllocationRules: RuleTable = {
  kind: "IPAllocation",
  base: {
    apiVersion: "butler.butlerlabs.dev/v1alpha1",
    kind: "IPAllocation",
    metadata: { name: "web-lb", namespace: "default" },
    spec: {
      poolRef: { name: "lab" },
      tenantClusterRef: { name: "web", namespace: "team-web" },
      type: "loadbalancer",
      count: 8,
      pinnedRange: { startAddress: "10.40.9.0", endAddress: "2001:db8::7" },
    },
    status: {
      phase: "Allocated",
      addresses: ["10.40.9.0"],
      allocatedCount: 1,
      allocatedAt: "2026-03-10T12:00:00Z",
      releasedAt: "2026-03-10T13:00:00Z",
      conditions: [ready],
    },
  },
  cases: [
    missing("spec"),
    missing("spec.poolRef"),
    ...referenceCases("spec.poolRef"),
    invalid("no owner", { "spec.tenantClusterRef": undefined }, "spec", OWNER),
    invalid("two owners", { "spec.machineRequestRef": machine }, "spec", OWNER),
    ...referenceCases("spec.tenantClusterRef", { namespaced: true }),
    ...referenceCases("spec.machineRequestRef", { namespaced: true }).map(forMachine),
    missing("spec.type"),
    unsupported("spec.type", "storage"),
    tooSmall("spec.count", 1),
    beyondInt32("spec.count"),
    missing("spec.pinnedRange.startAddress"),
    missing("spec.pinnedRange.endAddress"),
    mismatch("spec.pinnedRange.startAddress", "10.40.9"),
    mismatch("spec.pinnedRange.endAddress", "10.40.9.0/24"),

    unsupported("status.phase", "Ready"),
    beyondInt32("status.allocatedCount"),
    notATime("status.allocatedAt"),
    notATime("status.releasedAt"),
    ...conditionCases(),
  ],
};
