// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { text } from "./fields.ts";
import { localReference } from "./references.ts";

const chart = {
  version: text("Version to install. Left out: the one this release of Butler was tested with."),
  values: z.looseObject({}).optional().describe("Helm values, passed on as they are."),
};

const gitRepository = z.object({
  url: z.string().describe("URL of the Git repository."),
  branch: z.string().default("main").describe("Branch to follow."),
  path: text("Folder of this cluster's manifests in the repository."),
  secretRef: localReference("Secret").optional().describe("Secret with credentials for the repository."),
});

/** What is installed on a new tenant cluster. */
export const tenantAddons = z.object({
  cni: z
    .object({ provider: z.enum(["cilium"]).default("cilium").describe("Which one."), ...chart })
    .optional()
    .describe("The network between pods."),
  loadBalancer: z
    .object({ provider: z.enum(["metallb"]).default("metallb").describe("Which one."), ...chart })
    .optional()
    .describe("Addresses for Services of type LoadBalancer."),
  certManager: z
    .object({ enabled: z.boolean().default(true).describe("Whether cert-manager is installed."), ...chart })
    .optional()
    .describe("Issues certificates inside the cluster."),
  storage: z
    .object({ provider: z.enum(["longhorn", "linstor"]).optional().describe("Which one."), ...chart })
    .optional()
    .describe("Persistent volumes."),
  ingress: z
    .object({
      enabled: z
        .boolean()
        .default(true)
        .describe("Whether an ingress controller is installed. Without one the cluster needs one address less."),
      provider: z.enum(["traefik", "nginx"]).optional().describe("Which one."),
      ...chart,
    })
    .optional()
    .describe("Brings HTTP traffic into the cluster."),
  gitops: z
    .object({
      provider: z.enum(["fluxcd", "argocd"]).optional().describe("Which one."),
      version: chart.version,
      repository: gitRepository.optional().describe("The repository that says what runs on the cluster."),
    })
    .optional()
    .describe("Keeps the cluster in line with a Git repository."),
});
