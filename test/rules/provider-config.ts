// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../../src/schema/types.ts";
import {
  beyondInt32,
  type Changes,
  conditionCases,
  empty,
  invalid,
  mismatch,
  missing,
  notATime,
  type RuleCase,
  type RuleTable,
  ready,
  tooLarge,
  tooSmall,
  unsupported,
} from "./rule-case.ts";

const credentialsRef = { name: "credentials", namespace: "default", key: "kubeconfig" };

/** Every block, complete; only the one that is named is used. */
const blocks: Record<string, { [field: string]: Json }> = {
  harvester: { networkName: "default/workloads", runStrategy: "Always", reservedMemoryMB: 256 },
  nutanix: {
    endpoint: "https://prism.example.com",
    port: 9440,
    clusterUUID: "1",
    subnetUUID: "2",
    bootType: "uefi",
    apiVersion: "v4",
  },
  proxmox: {
    endpoint: "https://pve.example.com:8006",
    nodes: ["pve-1"],
    storage: "ceph",
    templateID: 9000,
    vmidRange: { start: 100, end: 200 },
    vlan: 40,
    bios: "ovmf",
    cloneConcurrency: 2,
  },
  aws: { region: "eu-central-1" },
  gcp: { projectID: "p", region: "europe-west3" },
  azure: { subscriptionID: "s", resourceGroup: "g" },
};

const names = Object.keys(blocks);
const clouds = ["aws", "gcp", "azure"];

/** The base object turned into one for another provider. */
function use(provider: string): Changes {
  return { "spec.provider": provider };
}

function required(name: string, changes: Changes, at: string, says: string): RuleCase {
  return { name, changes, at, says, reason: "FieldValueRequired" };
}

const twice = "credentials are in more than one place";

export const providerConfigRules: RuleTable = {
  kind: "ProviderConfig",
  base: {
    apiVersion: "butler.butlerlabs.dev/v1alpha1",
    kind: "ProviderConfig",
    metadata: { name: "harvester-prod", namespace: "default" },
    spec: {
      provider: "harvester",
      credentialsRef,
      ...blocks,
      scope: { type: "team", teamRef: { name: "web" } },
      network: {
        mode: "ipam",
        poolRefs: [{ name: "nodes", priority: 1 }],
        loadBalancer: { defaultPoolSize: 8, allocationMode: "static", initialPoolSize: 2, growthIncrement: 2 },
        quotaPerTenant: { maxNodeIPs: 10, maxLoadBalancerIPs: 10 },
      },
      limits: { maxClustersPerTeam: 5, maxNodesPerTeam: 50, maxMachines: 100, maxConcurrentCreates: 10 },
      timeouts: { creation: "20m" },
    },
    status: {
      conditions: [ready],
      lastValidationTime: "2026-03-10T12:00:00Z",
      lastProbeTime: "2026-03-10T12:00:00Z",
      capacity: { availableIPs: 10, estimatedTenants: 2 },
      machines: { total: 3, running: 2 },
    },
  },
  cases: [
    missing("spec"),
    unsupported("spec.provider", "vsphere"),
    {
      ...unsupported("spec.type", "vsphere"),
      changes: { "spec.provider": undefined, "spec.type": "vsphere" },
    },
    invalid("neither provider nor type", { "spec.provider": undefined }, "spec", "exactly one of provider and type"),
    invalid("both provider and type", { "spec.type": "harvester" }, "spec", "exactly one of provider and type"),
    missing("spec.credentialsRef.name"),
    empty("spec.credentialsRef.name"),

    ...names.flatMap((name) => [
      required(
        `${name} without its block`,
        { ...use(name), "spec.network": undefined, [`spec.${name}`]: undefined },
        `spec.${name}`,
        `${name} is required when provider is ${name}`,
      ),
      {
        ...missing(`spec.${name}.credentialsRef.name`),
        changes: { [`spec.${name}.credentialsRef`]: { namespace: "default" } },
      },
      { ...empty(`spec.${name}.credentialsRef.name`), changes: { [`spec.${name}.credentialsRef`]: { name: "" } } },
      invalid(
        `${name} with credentials in two places`,
        { ...use(name), "spec.network": undefined, [`spec.${name}.credentialsRef`]: credentialsRef },
        "spec.credentialsRef",
        twice,
      ),
      required(
        `${name} without credentials`,
        { ...use(name), "spec.network": undefined, "spec.credentialsRef": undefined },
        "spec.credentialsRef",
        "credentials are required",
      ),
    ]),
    ...clouds.flatMap((name) => [
      invalid(
        `${name} with a Secret and ambient credentials`,
        { ...use(name), "spec.network": undefined, [`spec.${name}.ambientCredentials`]: true },
        "spec.credentialsRef",
        twice,
      ),
      invalid(`${name} with pools`, use(name), "spec.network.mode", "mode ipam is not for clouds"),
    ]),
    required(
      "credentials in a block that is not in use",
      { "spec.credentialsRef": undefined, "spec.nutanix.credentialsRef": credentialsRef },
      "spec.credentialsRef",
      "credentials are required",
    ),
    {
      name: "another provider",
      before: {},
      changes: use("nutanix"),
      at: "spec.provider",
      says: "the provider cannot change",
      reason: "FieldValueForbidden",
    },

    missing("spec.harvester.networkName"),
    mismatch("spec.harvester.networkName", "workloads"),
    unsupported("spec.harvester.runStrategy", "Halted"),
    beyondInt32("spec.harvester.reservedMemoryMB"),
    missing("spec.nutanix.endpoint"),
    mismatch("spec.nutanix.endpoint", "prism.example.com"),
    beyondInt32("spec.nutanix.port"),
    missing("spec.nutanix.clusterUUID"),
    missing("spec.nutanix.subnetUUID"),
    unsupported("spec.nutanix.bootType", "bios"),
    unsupported("spec.nutanix.apiVersion", "v2"),
    missing("spec.proxmox.endpoint"),
    mismatch("spec.proxmox.endpoint", "pve.example.com"),
    missing("spec.proxmox.nodes"),
    invalid("no nodes", { "spec.proxmox.nodes": [] }, "spec.proxmox.nodes", "should have at least 1 items"),
    missing("spec.proxmox.storage"),
    beyondInt32("spec.proxmox.templateID"),
    missing("spec.proxmox.vmidRange.start"),
    missing("spec.proxmox.vmidRange.end"),
    tooSmall("spec.proxmox.vmidRange.start", 100),
    tooSmall("spec.proxmox.vmidRange.end", 100),
    beyondInt32("spec.proxmox.vmidRange.start"),
    beyondInt32("spec.proxmox.vmidRange.end"),
    invalid(
      "range turned round",
      { "spec.proxmox.vmidRange.start": 300 },
      "spec.proxmox.vmidRange",
      "start must not be greater than end",
    ),
    tooSmall("spec.proxmox.vlan", 1),
    tooLarge("spec.proxmox.vlan", 4094),
    beyondInt32("spec.proxmox.vlan"),
    unsupported("spec.proxmox.bios", "uboot"),
    beyondInt32("spec.proxmox.cloneConcurrency"),
    missing("spec.aws.region"),
    missing("spec.gcp.projectID"),
    missing("spec.gcp.region"),
    missing("spec.azure.subscriptionID"),
    missing("spec.azure.resourceGroup"),

    unsupported("spec.scope.type", "user"),
    required(
      "a team's without the team",
      { "spec.scope.teamRef": undefined },
      "spec.scope.teamRef",
      "teamRef is required",
    ),
    missing("spec.scope.teamRef.name"),
    empty("spec.scope.teamRef.name"),
    unsupported("spec.network.mode", "dhcp"),
    required(
      "pools without pools",
      { "spec.network.poolRefs": undefined },
      "spec.network.poolRefs",
      "at least one pool",
    ),
    required("pools, but none", { "spec.network.poolRefs": [] }, "spec.network.poolRefs", "at least one pool"),
    missing("spec.network.poolRefs[0].name"),
    empty("spec.network.poolRefs[0].name"),
    beyondInt32("spec.network.poolRefs[0].priority"),
    tooSmall("spec.network.loadBalancer.defaultPoolSize", 1),
    beyondInt32("spec.network.loadBalancer.defaultPoolSize"),
    unsupported("spec.network.loadBalancer.allocationMode", "dynamic"),
    tooSmall("spec.network.loadBalancer.initialPoolSize", 1),
    beyondInt32("spec.network.loadBalancer.initialPoolSize"),
    tooSmall("spec.network.loadBalancer.growthIncrement", 1),
    beyondInt32("spec.network.loadBalancer.growthIncrement"),
    tooSmall("spec.network.quotaPerTenant.maxNodeIPs", 1),
    beyondInt32("spec.network.quotaPerTenant.maxNodeIPs"),
    tooSmall("spec.network.quotaPerTenant.maxLoadBalancerIPs", 1),
    beyondInt32("spec.network.quotaPerTenant.maxLoadBalancerIPs"),
    ...["maxClustersPerTeam", "maxNodesPerTeam", "maxMachines", "maxConcurrentCreates"].flatMap((limit) => [
      tooSmall(`spec.limits.${limit}`, 1),
      beyondInt32(`spec.limits.${limit}`),
    ]),
    mismatch("spec.timeouts.creation", "20 minutes"),

    notATime("status.lastValidationTime"),
    notATime("status.lastProbeTime"),
    beyondInt32("status.machines.total"),
    beyondInt32("status.machines.running"),
    ...conditionCases(),
  ],
};
