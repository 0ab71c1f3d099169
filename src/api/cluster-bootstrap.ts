// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { bootstrapAddons } from "./cluster-bootstrap-addons.ts";
import { disk } from "./disk.ts";
import { addressText, cidrText, dnsLabel, int32, rule, text, time, withRules } from "./fields.ts";
import { defineKind, type ObjectOf } from "./kind.ts";
import type { ProviderBlock } from "./provider-block.ts";
import { condition, failureFields, freshnessFields, localReference, providerReference } from "./references.ts";

/** The phases of a bootstrap, in their order. The schema does not hold them to these names. */
const PHASES = {
  Pending: "Accepted; nothing has been done yet.",
  ProvisioningMachines: "The machines are being made.",
  ConfiguringTalos: "The machines are being given their Talos configuration.",
  BootstrappingCluster: "The first control plane node starts the cluster, the others join.",
  InstallingAddons: "Network, storage and the other addons are being installed.",
  Pivoting: "Butler's own objects move to the new cluster, which from then on manages itself.",
  Ready: "The management cluster is there and manages itself.",
  Failed: "The bootstrap cannot go on as it stands. See `failureReason`.",
} as const;

const nodePool = z.object({
  replicas: int32({ min: 1, max: 10 }).describe(
    "Number of machines. Control planes: 1, 3 or 5, so that etcd has a majority.",
  ),
  cpu: int32({ min: 1, max: 128 }).describe("Virtual CPUs of each machine."),
  memoryMB: int32({ min: 2048 }).describe("Memory of each machine in MiB."),
  diskGB: int32({ min: 20 }).describe("Root disk of each machine in GiB."),
  extraDisks: z.array(disk).optional().describe("Further, empty disks of each machine, in this order."),
  labels: z.record(z.string(), z.string()).optional().describe("Labels of the nodes."),
});

const cluster = z.object({
  name: dnsLabel().describe("Name of the cluster. Its machines are called `<name>-cp-0`, `<name>-w-0` and so on."),
  topology: z
    .enum(["single-node", "ha"])
    .default("ha")
    .describe("`ha` has control planes and workers on machines of their own; `single-node` has one machine for all."),
  controlPlane: nodePool.describe(
    "The control plane machines. With topology `single-node` there is one, whatever `replicas` says.",
  ),
  workers: nodePool.optional().describe("The worker machines. Not looked at with topology `single-node`."),
});

const LABEL = "[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?";
/** An IPv4 address looks like a host name of four numbers, so two alternatives are enough. */
const ADDRESS_OR_HOST_NAME = new RegExp(String.raw`^(${LABEL}(\.${LABEL})*|[0-9a-fA-F]*:[0-9a-fA-F:.]*)$`);

const network = z.object({
  podCIDR: cidrText().describe(
    "Addresses of pods, for example `10.244.0.0/16`. Must not overlap with any network of yours.",
  ),
  serviceCIDR: cidrText().describe(
    "Addresses of Services, for example `10.96.0.0/12`. Must not overlap with any network of yours.",
  ),
  vip: z
    .string()
    .regex(ADDRESS_OR_HOST_NAME)
    .optional()
    .describe(
      "Where the cluster's API server is reached: a free address in the machines' network, outside of `loadBalancerPool`, or a host name. Left out: on a cloud a load balancer is made.",
    ),
  vipInterface: text("Network interface of the control planes that carries the address. Left out: found by itself."),
  loadBalancerPool: z
    .object({
      start: addressText().describe("First address."),
      end: addressText().describe("Last address. Belongs to the pool."),
    })
    .optional()
    .describe("Free addresses in the machines' network for Services of type LoadBalancer."),
});

const talos = z.object({
  version: z
    .string()
    .regex(/^v[0-9]+\.[0-9]+\.[0-9]+$/)
    .describe("Version of Talos Linux, for example `v1.12.4`."),
  schematic: z
    .string()
    .describe("Id of the image factory's schematic that the image was made of. Empty for an image without extensions."),
  installDisk: z.string().default("/dev/vda").describe("The disk that Talos is installed on."),
  configPatches: z
    .array(
      z.object({
        op: z.enum(["add", "remove", "replace"]).describe("What to do."),
        path: z.string().describe("Where, as a JSON pointer: `/machine/network/hostname`."),
        value: text("The value, as JSON text. Left out for `remove`."),
      }),
    )
    .optional()
    .describe("Changes to the Talos configuration of every machine, in this order."),
});

const controlPlaneExposure = withRules(
  z.object({
    mode: z
      .enum(["LoadBalancer", "Ingress", "Gateway"])
      .default("LoadBalancer")
      .describe("An address for each tenant cluster (`LoadBalancer`), or one shared entry with a host name for each."),
    hostname: text(
      "Wildcard host name of the tenants' API servers, for example `*.k8s.example.com`. Needed for Ingress and Gateway.",
    ),
    ingressClassName: text("Ingress class to use in mode Ingress."),
    controllerType: z
      .enum(["haproxy", "nginx", "traefik", "generic"])
      .optional()
      .describe("Which ingress controller it is: each has its own way of passing TLS through."),
    gatewayRef: text("The Gateway to use, as `namespace/name`. Needed in mode Gateway."),
  }),
  rule(
    "!(self.mode in ['Ingress', 'Gateway']) || (has(self.hostname) && self.hostname != '')",
    "a hostname is needed in modes Ingress and Gateway",
    { reason: "FieldValueRequired", fieldPath: ".hostname" },
  ),
  rule(
    "self.mode != 'Gateway' || (has(self.gatewayRef) && self.gatewayRef != '')",
    "a gatewayRef is needed in mode Gateway",
    { reason: "FieldValueRequired", fieldPath: ".gatewayRef" },
  ),
);

function clusterBootstrapSpec(providers: readonly ProviderBlock[]) {
  return z.object({
    provider: z
      .enum([...providers.map(({ name }) => name), "local"])
      .describe("The infrastructure; the same as in the ProviderConfig. `local` is accepted, but not supported."),
    providerRef: providerReference.describe(
      "The ProviderConfig that says where machines are made, and with whose credentials.",
    ),
    cluster: cluster.describe("The cluster's name, shape and machines."),
    network: network.describe("The cluster's addresses."),
    talos: talos.describe("The operating system of the machines."),
    addons: bootstrapAddons(providers)
      .optional()
      .describe("What is installed on the cluster. What is left out is installed with its defaults."),
    controlPlaneExposure: controlPlaneExposure
      .optional()
      .describe("How the API servers of tenant clusters will be reached. Left out: an address each."),
    paused: z.boolean().optional().describe("Stops the work where it is until this is false again."),
  });
}

const machine = z.object({
  name: z.string().describe("Name of the MachineRequest."),
  role: z.string().describe("`control-plane` or `worker`."),
  phase: z.string().describe("Phase of the MachineRequest."),
  ipAddress: text("Address of the machine."),
  talosConfigured: z.boolean().optional().describe("Whether it has its Talos configuration."),
  ready: z.boolean().optional().describe("Whether it is a ready node of the cluster."),
});

const step = z.object({
  name: z.string().describe("What is done."),
  phase: z.string().describe("How far it is."),
  startedAt: time().optional().describe("When it was started."),
  finishedAt: time().optional().describe("When it was finished."),
  message: text("What it waits for, or why it failed."),
});

const status = z.object({
  phase: text("How far the bootstrap is."),
  controlPlaneEndpoint: text("URL of the cluster's API server."),
  kubeconfig: text("Always empty: the kubeconfig is in the Secret that `kubeconfigSecretRef` names."),
  talosconfig: text("Always empty: the talosconfig is in the Secret that `talosconfigSecretRef` names."),
  kubeconfigSecretRef: localReference("Secret").optional().describe("The Secret with the cluster's admin kubeconfig."),
  talosconfigSecretRef: localReference("Secret").optional().describe("The Secret with the cluster's talosconfig."),
  consoleURL: text("Where the console is."),
  machines: z.array(machine).optional().describe("The machines, one by one."),
  steps: z.array(step).optional().describe("The steps of the bootstrap. One that was finished is not done again."),
  addonsInstalled: z.record(z.string(), z.boolean()).optional().describe("Which addons are installed, by name."),
  ...failureFields,
  conditions: z.array(condition).optional().describe("The state in detail."),
  ...freshnessFields,
});

/** A management cluster, from nothing. Providers come in from outside: a new one changes nothing here. */
export function clusterBootstrapKind(providers: readonly ProviderBlock[]) {
  return defineKind({
    kind: "ClusterBootstrap",
    plural: "clusterbootstraps",
    shortName: "cb",
    scope: "Namespaced",
    description:
      "A ClusterBootstrap makes a Talos management cluster from nothing: machines, operating system, Kubernetes, addons, and Butler itself on it.",
    spec: clusterBootstrapSpec(providers),
    status,
    columns: [
      { name: "Cluster", type: "string", jsonPath: ".spec.cluster.name" },
      { name: "Topology", type: "string", jsonPath: ".spec.cluster.topology" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Endpoint", type: "string", jsonPath: ".status.controlPlaneEndpoint" },
    ],
    phases: PHASES,
    notes: [
      '`talos.schematic` must be there, but may be empty (`""`).',
      "The address `network.vip` must be free and must not lie in `network.loadBalancerPool`: both are announced to the network, and two owners of one address reach nobody.",
    ],
  });
}

/** A ClusterBootstrap as an API server serves it. */
export type ClusterBootstrap = ObjectOf<ReturnType<typeof clusterBootstrapSpec>, typeof status>;
