// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import type { ValidationRule } from "../schema/types.ts";
import { address, cidr, duration, int32, int64, later, listMap, text, withRules } from "./fields.ts";
import { defineKind, type ObjectOf } from "./kind.ts";
import { conditions, freshnessFields, localReference, namespacedReference } from "./references.ts";

/** Four numbers between dots as one number, so that two addresses can be compared. */
const IPV4_AS_NUMBER = "int(part[0]) * 16777216 + int(part[1]) * 65536 + int(part[2]) * 256 + int(part[3])";

const isIpv4 = (field: string) => `isIP(${field}) && ip(${field}).family() == 4`;

/**
 * A range does not end before it starts. For IPv4 only: CEL cannot compare addresses, and IPv6 does not fit into its
 * numbers. What does not parse is left to the address's own rule.
 */
const startsBeforeEnd: ValidationRule = {
  rule: [
    "!has(self.start) || !has(self.end)",
    `!(${isIpv4("self.start")}) || !(${isIpv4("self.end")})`,
    `[self.start, self.end].map(text, text.split('.')).map(part, ${IPV4_AS_NUMBER}).isSorted()`,
  ].join(" || "),
  message: "the range ends before it starts",
  messageExpression: "'the range ends before it starts: ' + self.start + ' is above ' + self.end",
};

const range = withRules(
  z.object({
    start: address().describe("First address of the range."),
    end: address().describe("Last address of the range. Belongs to it."),
  }),
  startsBeforeEnd,
);

const tenantAllocation = withRules(
  z.object({
    start: address()
      .optional()
      .describe("First address that may be handed out. Deprecated: use `ranges`, which win over `start` and `end`."),
    end: address()
      .optional()
      .describe("Last address that may be handed out. Deprecated: use `ranges`, which win over `start` and `end`."),
    ranges: z
      .array(range)
      .max(16)
      .optional()
      .describe(
        "The ranges that addresses are taken from: inside `cidr`, in ascending order, not overlapping. Left out: `start` to `end`, or else the whole CIDR.",
      ),
    defaults: z
      .object({
        nodesPerTenant: int32({ min: 1 })
          .default(5)
          .describe("How many addresses an IPAllocation of type `nodes` gets when it does not say."),
        lbPoolPerTenant: int32({ min: 1 })
          .default(8)
          .describe("How many addresses an IPAllocation of type `loadbalancer` gets when it does not say."),
      })
      .optional()
      .describe("How many addresses a tenant gets when nobody says."),
  }),
  startsBeforeEnd,
);

const reserved = z.object({
  cidr: cidr().describe("The block that is never handed out. One address is a block too: `10.40.0.1/32`."),
  description: text("What the block is kept for."),
});

/** True also where a value does not parse: its own rule reports that, and `cidr()` and `ip()` would fail. */
const isInside = (field: string) => `!isIP(${field}) || !isCIDR(self.cidr) || cidr(self.cidr).containsIP(${field})`;

/** One end of the single, older range lies in the pool. */
function insidePool(end: "start" | "end"): ValidationRule {
  const field = `self.tenantAllocation.${end}`;
  return {
    rule: `!has(self.tenantAllocation) || !has(${field}) || ${isInside(field)}`,
    message: "must lie inside the pool's cidr",
    messageExpression: `${field} + ' is not inside the pool, ' + self.cidr`,
    fieldPath: `.tenantAllocation.${end}`,
  };
}

const isRangeInside = `(${isInside("range.start")}) && (${isInside("range.end")})`;
const firstOutside = `self.tenantAllocation.ranges.filter(range, !(${isRangeInside}))[0]`;

const rangesInsidePool: ValidationRule = {
  rule: `!has(self.tenantAllocation) || !has(self.tenantAllocation.ranges) || self.tenantAllocation.ranges.all(range, ${isRangeInside})`,
  message: "every range must lie inside the pool's cidr",
  // `format`, because an API server cannot tell what `+` costs here and refuses it.
  messageExpression: `'%s-%s is not inside the pool, %s'.format([${firstOutside}.start, ${firstOutside}.end, self.cidr])`,
  fieldPath: ".tenantAllocation.ranges",
};

const isBlockInside = "!isCIDR(block.cidr) || !isCIDR(self.cidr) || cidr(self.cidr).containsCIDR(block.cidr)";

const reservedInsidePool: ValidationRule = {
  rule: `!has(self.reserved) || self.reserved.all(block, ${isBlockInside})`,
  message: "every reserved block must lie inside the pool's cidr",
  messageExpression: `self.reserved.filter(block, !(${isBlockInside}))[0].cidr + ' is not inside the pool, ' + self.cidr`,
  fieldPath: ".reserved",
};

const spec = withRules(
  z.object({
    cidr: cidr().describe("The whole block of addresses, IPv4 or IPv6, for example `10.40.0.0/16`."),
    reserved: z
      .array(reserved)
      .max(1024)
      .optional()
      .describe("Blocks inside `cidr` that are never handed out: routers, DHCP, other people's machines."),
    tenantAllocation: tenantAllocation
      .optional()
      .describe("Which addresses may be handed out, and how many at a time. Left out: all that are not reserved."),
    gateway: address().optional().describe(later("The router that machines with an address of this pool use.")),
    prefixLength: int32()
      .optional()
      .describe(
        later("Length of the network prefix that machines are given with their address. Left out: that of `cidr`."),
      ),
    // The bound keeps the rule of the addresses within what an API server lets a schema cost.
    dnsServers: z
      .array(address())
      .max(16)
      .optional()
      .describe(later("The name servers that machines with an address of this pool use.")),
    quarantine: duration()
      .default("10m")
      .describe(
        later(
          "How long an address that was given back rests before somebody else gets it, so that nobody is mistaken for its former owner.",
        ),
      ),
  }),
  reservedInsidePool,
  rangesInsidePool,
  insidePool("start"),
  insidePool("end"),
);

const infrastructureAllocation = z.object({
  ip: z.string().describe("The address."),
  source: z
    .enum(["metallb", "node", "static", "machine"])
    .describe(
      "Who uses it: a load balancer of MetalLB, a node of the management cluster, a fixed entry, or a machine.",
    ),
  serviceRef: namespacedReference("Service").optional().describe("The Service that has the address."),
  nodeRef: localReference("Node").optional().describe("The Node that has the address."),
  machineRef: namespacedReference("machine").optional().describe("The machine that has the address."),
});

const status = z.object({
  totalIPs: int64().optional().describe("How many addresses can be handed out in all."),
  allocatedIPs: int64().optional().describe("How many addresses are handed out."),
  availableIPs: int64().optional().describe("How many addresses are left."),
  allocationCount: int64().optional().describe("How many IPAllocations have addresses of this pool."),
  fragmentationPercent: int32({ min: 0, max: 100 })
    .optional()
    .describe("How scattered the free addresses are: 0 is one single block."),
  largestFreeBlock: int64().optional().describe("How many addresses the largest free block has."),
  infrastructureAllocations: listMap(infrastructureAllocation, "ip")
    .optional()
    .describe("Addresses of the pool that are in use without an IPAllocation."),
  infrastructureConsumedIPs: int64().optional().describe("How many addresses are in use without an IPAllocation."),
  poolSizeIPs: int64().optional().describe("How many addresses `cidr` has."),
  reservedIPs: int64().optional().describe("How many addresses are reserved."),
  unmanagedRanges: z
    .array(z.object({ start: z.string().describe("First address."), end: z.string().describe("Last address.") }))
    .optional()
    .describe("Parts of `cidr` that are neither reserved nor handed out by Butler."),
  unmanagedScopeIPs: int64().optional().describe("How many addresses those parts have."),
  conditions,
  observedGeneration: freshnessFields.observedGeneration,
});

/** A pool of addresses. */
export const networkPool = defineKind({
  kind: "NetworkPool",
  plural: "networkpools",
  shortName: "np",
  scope: "Namespaced",
  description:
    "A NetworkPool is a block of addresses that Butler hands out on infrastructures without address management of their own. IPAllocations take addresses from it and give them back.",
  spec,
  status,
  columns: [
    { name: "CIDR", type: "string", jsonPath: ".spec.cidr" },
    { name: "Available", type: "integer", jsonPath: ".status.availableIPs" },
    { name: "Allocated", type: "integer", jsonPath: ".status.allocatedIPs" },
    { name: "Total", type: "integer", jsonPath: ".status.totalIPs" },
  ],
  notes: [
    "An address is in the pool if it is inside `cidr`, inside one of the ranges (when there are any) and outside of every reserved block.",
    "An API server refuses ranges and reserved blocks outside of `cidr`, and IPv4 ranges that end before they start. The order of IPv6 ranges, and ranges that overlap, are found by the controller.",
    "Counters stop at 9007199254740991, the largest whole number that JSON keeps exactly; IPv6 pools reach it.",
  ],
});

/** A NetworkPool as an API server serves it. */
export type NetworkPool = ObjectOf<typeof spec, typeof status>;
