// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { int32, text } from "./fields.ts";
import type { ProviderBlock } from "./provider-block.ts";
import { secretReference } from "./references.ts";

const version = (of: string) => text(`Version of ${of}. Left out: the one this release of Butler was tested with.`);

const enabled = (what: string) => z.boolean().default(true).describe(`Whether ${what} is installed.`);

const console = z.object({
  enabled: z.boolean().default(false).describe("Whether the console is installed."),
  version: z.string().default("latest").describe("Tag of the console's container image."),
  ingress: z
    .object({
      enabled: z.boolean().default(false).describe("Whether an Ingress is made for the console."),
      host: text("Host name of the console. Left out: `butler.<cluster name>.local`."),
      className: text("Ingress class to use. Left out: the cluster's default class."),
      tls: z.boolean().default(false).describe("Whether the Ingress serves TLS."),
      tlsSecretName: text("Secret with the certificate and key for TLS."),
    })
    .optional()
    .describe("How the console is reached from outside of the cluster."),
});

function clusterApi(providers: readonly ProviderBlock[]) {
  const infrastructureProvider = z.object({
    name: z.enum(providers.map(({ name }) => name)).describe("The infrastructure."),
    version: version("its Cluster API provider"),
    credentialsSecretRef: secretReference
      .optional()
      .describe("Credentials for it. Not needed for the management cluster's own infrastructure."),
  });
  return z.object({
    enabled: enabled("Cluster API, which tenant clusters need,"),
    version: z.string().default("v1.9.4").describe("Version of Cluster API."),
    infrastructureProviders: z
      .array(infrastructureProvider)
      .optional()
      .describe("Further infrastructures for tenant clusters. The management cluster's own is always there."),
  });
}

const addons = {
  cni: z
    .object({
      type: z.enum(["cilium", "none"]).default("cilium").describe("Which one."),
      version: version("it"),
      hubbleEnabled: z.boolean().default(true).describe("Whether Hubble, Cilium's view of the traffic, is installed."),
    })
    .optional()
    .describe("The network between pods."),
  storage: z
    .object({
      type: z.enum(["longhorn", "none"]).default("longhorn").describe("Which one."),
      version: version("it"),
      replicaCount: int32()
        .default(3)
        .describe("How many copies of each volume are kept, on different nodes. Always 1 with topology `single-node`."),
    })
    .optional()
    .describe("Persistent volumes."),
  loadBalancer: z
    .object({
      type: z.enum(["metallb", "none"]).default("metallb").describe("Which one."),
      addressPool: text(
        "Addresses for Services, as `start-end`. Deprecated: use `network.loadBalancerPool`, which wins.",
      ),
    })
    .optional()
    .describe("Addresses for Services of type LoadBalancer."),
  gitOps: z
    .object({
      type: z.enum(["flux", "none"]).default("flux").describe("Which one."),
      enabled: enabled("it"),
    })
    .optional()
    .describe("Keeps the cluster in line with a Git repository."),
  controlPlaneHA: z
    .object({
      type: z.enum(["kube-vip", "none"]).default("kube-vip").describe("Which one."),
      version: version("it"),
    })
    .optional()
    .describe("Keeps the virtual address `network.vip` on a healthy control plane node."),
  certManager: z
    .object({ enabled: enabled("cert-manager"), version: version("cert-manager") })
    .optional()
    .describe("Issues certificates inside the cluster."),
  ingress: z
    .object({
      type: z.enum(["traefik", "nginx", "none"]).default("traefik").describe("Which one."),
      enabled: enabled("it"),
      version: version("it"),
    })
    .optional()
    .describe("Brings HTTP traffic into the cluster."),
  controlPlaneProvider: z
    .object({
      type: z.enum(["steward", "kamaji", "none"]).default("steward").describe("Which one."),
      enabled: enabled("it"),
      version: version("it"),
    })
    .optional()
    .describe("Runs the control planes of tenant clusters as pods."),
  butlerController: z
    .object({
      enabled: enabled("Butler itself"),
      version: z.string().default("latest").describe("Tag of Butler's container image."),
      image: z
        .string()
        .default("ghcr.io/butlerdotdev/butler-controller")
        .describe("Butler's container image, without the tag."),
    })
    .optional()
    .describe("Butler itself, on the new cluster."),
  console: console.optional().describe("Butler's web console."),
};

/** What is installed on a new management cluster. `none`, or `enabled: false`, leaves a part out. */
export function bootstrapAddons(providers: readonly ProviderBlock[]) {
  return z.object({
    ...addons,
    capi: clusterApi(providers).optional().describe("Cluster API, which makes tenant clusters."),
  });
}
