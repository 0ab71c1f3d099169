// SPDX-License-Identifier: Apache-2.0
import {
  beyondInt32,
  conditionCases,
  dotted,
  invalid,
  mismatch,
  missing,
  type RuleCase,
  type RuleTable,
  ready,
  referenceCases,
  tooLarge,
  tooLong,
  tooMany,
  tooSmall,
  unsupported,
} from "./rule-case.ts";

/** An address that is too long, and some that do not parse. */
function addressCases(at: string): RuleCase[] {
  const texts = ["10.40.0.300", "010.40.0.1", "10.40.0", "2001:db8::g", "::ffff:10.40.0.1", "fe80::1%eth0", ""];
  return [
    tooLong(at, 45),
    ...texts.map((text) =>
      invalid(`${at} that does not parse: "${text}"`, { [dotted(at)]: text }, at, "must be an IP address"),
    ),
  ];
}

/** A block that is too long, and some that do not parse. */
function cidrCases(at: string): RuleCase[] {
  const texts = ["10.40.0.0", "10.40.0.0/33", "999.40.0.0/16", "2001:db8::/129", "10.40.0.0/16 ", ""];
  return [
    tooLong(at, 49),
    ...texts.map((text) =>
      invalid(`${at} that does not parse: "${text}"`, { [dotted(at)]: text }, at, "must be a CIDR"),
    ),
  ];
}

/** Something outside of the pool; the message names it. */
function outside(at: string, field: string, value: string): RuleCase {
  return invalid(`${field} outside of the pool: ${value}`, { [field]: value }, at, "is not inside the pool");
}

const ipv6Pool = {
  "spec.cidr": "2001:db8:40::/64",
  "spec.reserved": [{ cidr: "2001:db8:40::/112" }],
  "spec.tenantAllocation": { ranges: [{ start: "2001:db8:40::1:0", end: "2001:db8:40::1:ff" }] },
};

/** As a change to a pool of IPv6 addresses. */
function onIpv6({ name, changes, ...rest }: RuleCase): RuleCase {
  return { ...rest, name: `${name} (IPv6)`, changes: { ...ipv6Pool, ...changes } };
}

const range = "spec.tenantAllocation.ranges.0";
const infrastructure = "status.infrastructureAllocations[0]";

export const networkPoolRules: RuleTable = {
  kind: "NetworkPool",
  base: {
    apiVersion: "butler.butlerlabs.dev/v1alpha1",
    kind: "NetworkPool",
    metadata: { name: "lab", namespace: "default" },
    spec: {
      cidr: "10.40.0.0/16",
      reserved: [{ cidr: "10.40.0.0/24", description: "routers and switches" }],
      tenantAllocation: {
        start: "10.40.9.0",
        end: "10.40.10.1",
        ranges: [
          { start: "10.40.9.0", end: "10.40.10.1" },
          { start: "10.40.20.0", end: "10.40.20.0" },
        ],
        defaults: { nodesPerTenant: 5, lbPoolPerTenant: 8 },
      },
      gateway: "10.40.0.1",
      prefixLength: 16,
      dnsServers: ["10.40.0.53", "2001:db8::53"],
      quarantine: "10m",
    },
    status: {
      totalIPs: 1_000_000_000_000,
      fragmentationPercent: 0,
      infrastructureAllocations: [
        {
          ip: "10.40.1.1",
          source: "metallb",
          serviceRef: { name: "traefik", namespace: "traefik" },
          nodeRef: { name: "cp-0" },
          machineRef: { name: "cp-0", namespace: "default" },
        },
      ],
      unmanagedRanges: [{ start: "10.40.30.0", end: "10.40.255.255" }],
      conditions: [ready],
      observedGeneration: 1,
    },
  },
  cases: [
    missing("spec"),
    missing("spec.cidr"),
    ...cidrCases("spec.cidr"),
    missing("spec.reserved[0].cidr"),
    ...cidrCases("spec.reserved[0].cidr"),
    tooMany("spec.reserved", 1024, { cidr: "10.40.0.0/24" }),
    outside("spec.reserved", "spec.reserved.0.cidr", "10.41.0.0/24"),
    outside("spec.reserved", "spec.reserved.0.cidr", "10.0.0.0/8"),
    outside("spec.reserved", "spec.reserved.0.cidr", "2001:db8::/64"),
    onIpv6(outside("spec.reserved", "spec.reserved.0.cidr", "2001:db8:41::/112")),
    onIpv6(outside("spec.reserved", "spec.reserved.0.cidr", "10.40.0.0/24")),

    ...addressCases("spec.tenantAllocation.start"),
    ...addressCases("spec.tenantAllocation.end"),
    outside("spec.tenantAllocation.start", "spec.tenantAllocation.start", "10.39.255.255"),
    outside("spec.tenantAllocation.end", "spec.tenantAllocation.end", "10.41.0.0"),
    invalid(
      "single range that ends before it starts",
      { "spec.tenantAllocation.end": "10.40.8.255" },
      "spec.tenantAllocation",
      "10.40.9.0 is above 10.40.8.255",
    ),

    tooMany("spec.tenantAllocation.ranges", 16, { start: "10.40.9.0", end: "10.40.10.1" }),
    missing("spec.tenantAllocation.ranges[0].start"),
    missing("spec.tenantAllocation.ranges[0].end"),
    ...addressCases("spec.tenantAllocation.ranges[0].start"),
    ...addressCases("spec.tenantAllocation.ranges[0].end"),
    outside("spec.tenantAllocation.ranges", `${range}.start`, "10.39.255.255"),
    outside("spec.tenantAllocation.ranges", `${range}.end`, "10.41.0.0"),
    outside("spec.tenantAllocation.ranges", `${range}.end`, "2001:db8:40::1"),
    onIpv6(outside("spec.tenantAllocation.ranges", `${range}.start`, "2001:db8:3f::1")),
    onIpv6(outside("spec.tenantAllocation.ranges", `${range}.end`, "2001:db8:40:1::")),
    invalid(
      "range that ends before it starts",
      { [`${range}.end`]: "10.40.8.255" },
      "spec.tenantAllocation.ranges[0]",
      "10.40.9.0 is above 10.40.8.255",
    ),
    tooSmall("spec.tenantAllocation.defaults.nodesPerTenant", 1),
    beyondInt32("spec.tenantAllocation.defaults.nodesPerTenant"),
    tooSmall("spec.tenantAllocation.defaults.lbPoolPerTenant", 1),
    beyondInt32("spec.tenantAllocation.defaults.lbPoolPerTenant"),

    ...addressCases("spec.gateway"),
    beyondInt32("spec.prefixLength"),
    ...addressCases("spec.dnsServers[1]"),
    tooMany("spec.dnsServers", 16, "10.40.0.53"),
    mismatch("spec.quarantine", "soon"),

    tooSmall("status.fragmentationPercent", 0),
    tooLarge("status.fragmentationPercent", 100),
    beyondInt32("status.fragmentationPercent"),
    missing(`${infrastructure}.ip`),
    missing(`${infrastructure}.source`),
    unsupported(`${infrastructure}.source`, "dhcp"),
    ...referenceCases(`${infrastructure}.serviceRef`, { namespaced: true }),
    ...referenceCases(`${infrastructure}.nodeRef`),
    ...referenceCases(`${infrastructure}.machineRef`, { namespaced: true }),
    {
      name: "one address in use twice",
      changes: { "status.infrastructureAllocations.1": { ip: "10.40.1.1", source: "node" } },
      at: "status.infrastructureAllocations[1]",
      says: "Duplicate value",
      reason: "FieldValueDuplicate",
    },
    missing("status.unmanagedRanges[0].start"),
    missing("status.unmanagedRanges[0].end"),
    ...conditionCases(),
  ],
};
