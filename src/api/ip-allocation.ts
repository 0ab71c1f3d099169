// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { addressText, int32, later, phase, rule, text, texts, time, withRules } from "./fields.ts";
import { defineKind, type ObjectOf } from "./kind.ts";
import { conditions, freshnessFields, localReference, namespacedReference } from "./references.ts";

const PHASES = {
  Pending: "No addresses yet: the request is new, or the pool has not enough of them.",
  Allocated: "The addresses in the status belong to the owner.",
  Released: "The addresses were given back.",
  Failed: "The request cannot be met as it stands. See the conditions.",
} as const;

const spec = withRules(
  z.object({
    poolRef: localReference("NetworkPool").describe("The pool to take addresses from, in the same namespace."),
    tenantClusterRef: namespacedReference("TenantCluster")
      .optional()
      .describe("The TenantCluster the addresses are for."),
    machineRequestRef: namespacedReference("MachineRequest")
      .optional()
      .describe(later("The MachineRequest the addresses are for.")),
    type: z
      .enum(["nodes", "loadbalancer"])
      .describe("What the addresses are for: `nodes`, or Services of type `loadbalancer`."),
    count: int32({ min: 1 })
      .optional()
      .describe("How many addresses are wanted, one after the other. Left out: the pool's default for the type."),
    pinnedRange: z
      .object({
        startAddress: addressText().describe("First address of the range."),
        endAddress: addressText().describe("Last address of the range. Belongs to it."),
      })
      .optional()
      .describe("Exactly these addresses, or none. `count` is then not looked at."),
  }),
  rule(
    "has(self.tenantClusterRef) != has(self.machineRequestRef)",
    "exactly one of tenantClusterRef and machineRequestRef must be given",
  ),
);

const status = z.object({
  phase: phase(PHASES).optional().describe("Where the allocation is in its life."),
  cidr: text("The addresses as one CIDR, where they are one."),
  startAddress: text("First address handed out."),
  endAddress: text("Last address handed out."),
  addresses: texts("All addresses handed out."),
  allocatedCount: int32().optional().describe("How many addresses were handed out."),
  allocatedAt: time().optional().describe("When the addresses were handed out."),
  allocatedBy: text("Which controller handed them out."),
  releasedAt: time().optional().describe("When the addresses were given back."),
  conditions,
  observedGeneration: freshnessFields.observedGeneration,
});

/** A claim on addresses of a pool. */
export const ipAllocation = defineKind({
  kind: "IPAllocation",
  plural: "ipallocations",
  shortName: "ipa",
  scope: "Namespaced",
  description:
    "An IPAllocation takes addresses from a NetworkPool for one owner and keeps them until it is deleted. Butler makes most of them itself; write one to give an owner addresses you chose.",
  spec,
  status,
  columns: [
    { name: "Pool", type: "string", jsonPath: ".spec.poolRef.name" },
    { name: "Cluster", type: "string", jsonPath: ".spec.tenantClusterRef.name" },
    { name: "Type", type: "string", jsonPath: ".spec.type" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Start", type: "string", jsonPath: ".status.startAddress" },
    { name: "End", type: "string", jsonPath: ".status.endAddress" },
  ],
  phases: PHASES,
  notes: [
    "Name the owner by exactly one of `tenantClusterRef` and `machineRequestRef`.",
    "The addresses of one IPAllocation follow one another without a gap. A pool can have enough free addresses and still no free block of that size: `largestFreeBlock` in its status tells.",
  ],
});

/** An IPAllocation as an API server serves it. */
export type IPAllocation = ObjectOf<typeof spec, typeof status>;
