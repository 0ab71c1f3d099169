// SPDX-License-Identifier: Apache-2.0
import {
  beyondInt32,
  conditionCases,
  mismatch,
  missing,
  type RuleCase,
  type RuleTable,
  ready,
  referenceCases,
  tooLarge,
  tooSmall,
  unsupported,
} from "./rule-case.ts";

const access = {
  users: [{ name: "ada@example.com", role: "admin" }],
  groups: [{ name: "platform", role: "operator", identityProvider: "corporate" }],
};

const clusterDefaults = {
  kubernetesVersion: "v1.34.2",
  workerCount: 3,
  workerCPU: 4,
  workerMemoryGi: 16,
  workerDiskGi: 100,
  defaultAddons: ["cert-manager"],
};

function accessCases(at: string): RuleCase[] {
  return ["users", "groups"].flatMap((list) => [
    missing(`${at}.${list}[0].name`),
    unsupported(`${at}.${list}[0].role`, "owner"),
  ]);
}

function clusterDefaultCases(at: string): RuleCase[] {
  return ["workerCount", "workerCPU", "workerMemoryGi", "workerDiskGi"].map((field) => beyondInt32(`${at}.${field}`));
}

const limits = "spec.resourceLimits";
const usage = "status.resourceUsage";
const environment = "spec.environments[0]";

export const teamRules: RuleTable = {
  kind: "Team",
  base: {
    apiVersion: "butler.butlerlabs.dev/v1alpha1",
    kind: "Team",
    metadata: { name: "web" },
    spec: {
      displayName: "Web shop",
      description: "The people behind the shop",
      access,
      resourceLimits: {
        maxClusters: 10,
        maxNodesPerCluster: 20,
        maxTotalNodes: 100,
        maxCPUCores: 400,
        maxMemory: "1.5Ti",
        maxStorage: "1e13",
        defaultNodeCount: 3,
        defaultCPUPerNode: "4",
        defaultMemoryPerNode: "16Gi",
        allowedKubernetesVersions: ["v1.34.2"],
        allowedProviders: ["harvester-prod"],
        allowedAddons: ["cert-manager"],
        deniedAddons: ["linstor"],
      },
      providerConfigRef: { name: "harvester-prod" },
      clusterDefaults,
      environments: [
        {
          name: "dev",
          description: "to try",
          access,
          clusterDefaults,
          limits: { maxClusters: 5, maxClustersPerMember: 1 },
        },
        { name: "prod" },
      ],
    },
    status: {
      phase: "Ready",
      namespace: "team-web",
      clusterCount: 2,
      memberCount: 2,
      quotaStatus: "OK",
      resourceUsage: {
        clusters: 2,
        totalNodes: 6,
        totalCPU: 24,
        totalMemory: "96Gi",
        totalStorage: "600Gi",
        clusterUtilization: 20,
        nodeUtilization: 6,
        cpuUtilization: 6,
        memoryUtilization: 6,
      },
      conditions: [ready],
    },
  },
  cases: [
    ...accessCases("spec.access"),
    ...["maxClusters", "maxNodesPerCluster", "maxTotalNodes"].flatMap((field) => [
      tooSmall(`${limits}.${field}`, 0),
      beyondInt32(`${limits}.${field}`),
    ]),
    ...["maxCPUCores", "maxMemory", "maxStorage", "defaultCPUPerNode", "defaultMemoryPerNode"].map((field) =>
      mismatch(`${limits}.${field}`, "16GB"),
    ),
    beyondInt32(`${limits}.defaultNodeCount`),
    ...referenceCases("spec.providerConfigRef"),
    ...clusterDefaultCases("spec.clusterDefaults"),

    missing(`${environment}.name`),
    {
      name: "two environments of one name",
      changes: { "spec.environments.1.name": "dev" },
      at: "spec.environments[1]",
      says: "Duplicate value",
      reason: "FieldValueDuplicate",
    },
    ...accessCases(`${environment}.access`),
    ...clusterDefaultCases(`${environment}.clusterDefaults`),
    beyondInt32(`${environment}.limits.maxClusters`),
    beyondInt32(`${environment}.limits.maxClustersPerMember`),

    unsupported("status.phase", "Running"),
    beyondInt32("status.clusterCount"),
    beyondInt32("status.memberCount"),
    unsupported("status.quotaStatus", "Fine"),
    beyondInt32(`${usage}.clusters`),
    beyondInt32(`${usage}.totalNodes`),
    ...["totalCPU", "totalMemory", "totalStorage"].map((field) => mismatch(`${usage}.${field}`, "plenty")),
    ...["clusterUtilization", "nodeUtilization", "cpuUtilization", "memoryUtilization"].flatMap((field) => [
      tooSmall(`${usage}.${field}`, 0),
      tooLarge(`${usage}.${field}`, 100),
      beyondInt32(`${usage}.${field}`),
    ]),
    ...conditionCases(),
  ],
};
