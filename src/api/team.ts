// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { int32, listMap, phase, quantity, text, texts } from "./fields.ts";
import { defineKind, type ObjectOf } from "./kind.ts";
import { conditions, freshnessFields, localReference } from "./references.ts";

const PHASES = {
  Pending: "The team's namespace and permissions are being made.",
  Ready: "The team can work.",
  Terminating: "The team is being removed.",
  Failed: "The team could not be set up. See the conditions.",
} as const;

const role = z
  .enum(["admin", "operator", "viewer"])
  .default("viewer")
  .describe(
    "What they may do: `viewer` looks, `operator` also makes, changes and deletes clusters, `admin` also decides about the team.",
  );

const access = z.object({
  users: z
    .array(z.object({ name: z.string().describe("The user, by e-mail address."), role }))
    .optional()
    .describe("Single people."),
  groups: z
    .array(
      z.object({
        name: z.string().describe("The group, as the identity provider names it."),
        role,
        identityProvider: text("The identity provider that the group must come from. Left out: any."),
      }),
    )
    .optional()
    .describe("Groups of an identity provider. Everyone in a group has its role."),
});

const clusterDefaults = z.object({
  kubernetesVersion: text("Kubernetes version, for example `v1.34.2`."),
  workerCount: int32().optional().describe("Number of workers."),
  workerCPU: int32().optional().describe("Virtual CPUs of each worker."),
  workerMemoryGi: int32().optional().describe("Memory of each worker in GiB."),
  workerDiskGi: int32().optional().describe("Root disk of each worker in GiB."),
  defaultAddons: texts("Addons that every new cluster gets."),
});

const atLeastNone = () => int32({ min: 0 }).optional();

const resourceLimits = z.object({
  maxClusters: atLeastNone().describe("How many TenantClusters the team may have."),
  maxNodesPerCluster: atLeastNone().describe("How many workers one cluster may have."),
  maxTotalNodes: atLeastNone().describe("How many workers all clusters together may have."),
  maxCPUCores: quantity().optional().describe("How many CPUs all workers together may have."),
  maxMemory: quantity().optional().describe("How much memory all workers together may have, for example `512Gi`."),
  maxStorage: quantity().optional().describe("How much disk all workers together may have, for example `4Ti`."),
  defaultNodeCount: int32()
    .default(3)
    .describe("Number of workers of a cluster that does not say, where `clusterDefaults` does not say either."),
  defaultCPUPerNode: quantity().optional().describe("CPUs of a worker, where nothing else says."),
  defaultMemoryPerNode: quantity().optional().describe("Memory of a worker, where nothing else says."),
  allowedKubernetesVersions: texts("The only Kubernetes versions that may be used. Left out: all."),
  allowedProviders: texts("The only ProviderConfigs that may be used. Left out: all that the team can reach."),
  allowedAddons: texts("The only addons that may be installed. Left out: all."),
  deniedAddons: texts("Addons that may not be installed, even where `allowedAddons` names them."),
});

const environment = z.object({
  name: z
    .string()
    .describe(
      "Name of the environment. Clusters say that they belong to it with the label `butler.butlerlabs.dev/environment`.",
    ),
  description: text("What the environment is for."),
  access: access
    .optional()
    .describe("Who may do more in this environment than the team's own access allows. Takes nothing away."),
  clusterDefaults: clusterDefaults
    .optional()
    .describe("What new clusters of this environment get. Wins over the team's own."),
  limits: z
    .object({
      maxClusters: int32().optional().describe("How many clusters the environment may have."),
      maxClustersPerMember: int32()
        .optional()
        .describe("How many of them one person may have made. 0 or left out: any number."),
    })
    .optional()
    .describe("What the environment may use. The team's own limits hold as well."),
});

const spec = z.object({
  displayName: text("The team's name for people."),
  description: text("What the team does."),
  access: access.optional().describe("Who belongs to the team, and what they may do."),
  resourceLimits: resourceLimits.optional().describe("What the team may use. Left out: no limits."),
  providerConfigRef: localReference("ProviderConfig")
    .optional()
    .describe("The ProviderConfig of clusters that name none. Left out: the platform's."),
  clusterDefaults: clusterDefaults
    .optional()
    .describe("What new clusters of the team get where they do not say themselves."),
  environments: listMap(environment, "name")
    .optional()
    .describe("Parts of the team's clusters with rules of their own, such as `dev` and `prod`."),
});

const percent = (of: string) =>
  int32({ min: 0, max: 100 }).optional().describe(`How much of \`${of}\` is used, in percent.`);

const status = z.object({
  phase: phase(PHASES).optional().describe("Where the team is in its life."),
  namespace: text("The namespace in which the team's TenantClusters live."),
  clusterCount: int32().optional().describe("How many TenantClusters the team has."),
  memberCount: int32().optional().describe("How many users and groups have access."),
  quotaStatus: z
    .enum(["OK", "Warning", "Exceeded"])
    .optional()
    .describe("How the use stands to the limits: `Warning` means close to one."),
  quotaMessage: text("Which limit it is about, in a sentence for people."),
  resourceUsage: z
    .object({
      clusters: int32().optional().describe("Number of TenantClusters."),
      totalNodes: int32().optional().describe("Number of workers."),
      totalCPU: quantity().optional().describe("CPUs of all workers."),
      totalMemory: quantity().optional().describe("Memory of all workers."),
      totalStorage: quantity().optional().describe("Disks of all workers."),
      clusterUtilization: percent("maxClusters"),
      nodeUtilization: percent("maxTotalNodes"),
      cpuUtilization: percent("maxCPUCores"),
      memoryUtilization: percent("maxMemory"),
    })
    .optional()
    .describe("What the team uses."),
  conditions,
  observedGeneration: freshnessFields.observedGeneration,
});

/** A group of people who share clusters. */
export const team = defineKind({
  kind: "Team",
  plural: "teams",
  shortName: "tm",
  scope: "Cluster",
  description:
    "A Team is a group of people who share TenantClusters. Each team has a namespace of its own, limits on what it may use, and defaults for its new clusters.",
  spec,
  specOptional: true,
  status,
  columns: [
    { name: "Display Name", type: "string", jsonPath: ".spec.displayName" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Namespace", type: "string", jsonPath: ".status.namespace" },
    { name: "Clusters", type: "integer", jsonPath: ".status.clusterCount" },
    { name: "Quota", type: "string", jsonPath: ".status.quotaStatus" },
  ],
  phases: PHASES,
  notes: [
    "Teams are cluster-wide: they have no namespace. The one they make for their clusters is in `status.namespace`.",
    "A field of a cluster is resolved in this order: the TenantCluster itself, its environment's `clusterDefaults`, the team's `clusterDefaults`, Butler's own default.",
  ],
});

/** A Team as an API server serves it. */
export type Team = ObjectOf<typeof spec, typeof status>;
