// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { int32, later, phase, quantity, text, texts, time } from "./fields.ts";
import { defineKind, type ObjectOf } from "./kind.ts";
import type { ProviderBlock } from "./provider-block.ts";
import { conditions, freshnessFields, localReference, providerReference } from "./references.ts";
import { tenantAddons } from "./tenant-cluster-addons.ts";

const PHASES = {
  Pending: "Accepted; nothing has been created yet.",
  Provisioning: "Control plane and workers are being made.",
  Installing: "Addons are being installed.",
  Ready: "The cluster can be used.",
  Updating: "The cluster is being changed and can be used meanwhile.",
  Deleting: "The cluster is being deleted.",
  Failed: "The cluster cannot be made as it stands. See the conditions.",
} as const;

const amounts = z
  .object({
    cpu: quantity().optional().describe("CPUs, for example `500m`."),
    memory: quantity().optional().describe("Memory, for example `1Gi`."),
  })
  .optional();

const componentResources = (component: string) =>
  z
    .object({
      requests: amounts.describe("What it is sure to get."),
      limits: amounts.describe("What it can get at most."),
    })
    .optional()
    .describe(`Of the ${component}.`);

const controlPlane = z.object({
  replicas: int32({ min: 1, max: 3 })
    .optional()
    .describe("Number of API servers. Left out: the choice of what runs the control plane."),
  dataStoreRef: localReference("DataStore")
    .optional()
    .describe("Where the cluster's state is kept. Left out: the platform's default."),
  serviceType: z
    .enum(["LoadBalancer", "NodePort", "ClusterIP"])
    .optional()
    .describe("Type of the Service in front of the API servers. Left out: the platform's choice."),
  certSANs: texts("Further names and addresses that the API servers' certificate is good for."),
  externalCloudProvider: z
    .boolean()
    .default(true)
    .describe("Whether nodes wait for a cloud controller that tells them about their infrastructure."),
  resources: z
    .object({
      apiServer: componentResources("API server"),
      controllerManager: componentResources("controller manager"),
      scheduler: componentResources("scheduler"),
      konnectivity: componentResources("tunnel from the API servers to the nodes"),
    })
    .optional()
    .describe("CPU and memory of the control plane's parts. What is left out is the platform's choice."),
});

const operatingSystem = z.object({
  type: z
    .enum(["rocky", "flatcar", "talos", "kairos", "bottlerocket"])
    .default("rocky")
    .describe("Which operating system."),
  version: z.string().default("9.5").describe("Its version."),
  imageRef: text("The image to boot, in the infrastructure's own terms. Wins over `type` and `version`."),
  schematicID: text("The image factory's schematic to make the image of. Butler brings it to the infrastructure."),
  sshAuthorizedKey: text("Public key that may log in on the workers. Not for Talos, which has no SSH."),
  talos: z
    .object({
      installDisk: z.string().default("/dev/vda").describe("The disk that Talos is installed on."),
      installerImage: text("Container image of the installer. Left out: made of schematic and version."),
      version: z.string().default("v1.9.3").describe("Version of Talos Linux."),
    })
    .optional()
    .describe("For type `talos`."),
});

const workers = z.object({
  replicas: int32({ min: 1 }).optional().describe("Number of workers. Left out: the team's default, then Butler's."),
  machineTemplate: z
    .object({
      cpu: int32({ min: 1 }).optional().describe("Virtual CPUs. Left out: the team's default, then 4."),
      memory: quantity().optional().describe("Memory, for example `16Gi`. Left out: the team's default, then `16Gi`."),
      diskSize: quantity()
        .optional()
        .describe("Root disk, for example `100Gi`. Left out: the team's default, then `100Gi`."),
      os: operatingSystem.optional().describe("Operating system of the workers."),
    })
    .optional()
    .describe("What each worker looks like."),
  failureDomains: texts(
    later(
      "Zones to spread the workers over; where they are is the infrastructure's to say. Left out: the ProviderConfig's.",
    ),
  ),
});

const networking = z.object({
  podCIDR: z.string().default("10.244.0.0/16").describe("Addresses of pods."),
  serviceCIDR: z.string().default("10.96.0.0/12").describe("Addresses of Services."),
  loadBalancerPool: z
    .object({
      start: z.string().describe("First address."),
      end: z.string().describe("Last address. Belongs to the pool."),
    })
    .optional()
    .describe(
      "Addresses for Services of type LoadBalancer. Left out where the ProviderConfig names NetworkPools: they come from there.",
    ),
  lbPoolSize: int32({ min: 1 })
    .optional()
    .describe("How many such addresses to take from the NetworkPools. Left out: the ProviderConfig's number."),
});

const managementPolicy = z.object({
  mode: z
    .enum(["Active", "Observe", "GitOps"])
    .default("Active")
    .describe(
      "What Butler does about addons once the cluster is there: keeps them as written here (`Active`), only looks (`Observe`), or leaves them to Git (`GitOps`).",
    ),
});

/** Each infrastructure's own block of overrides; only the one of the cluster's infrastructure is looked at. */
function infrastructureOverride(providers: readonly ProviderBlock[]) {
  return z.object(
    Object.fromEntries(
      providers.map(({ name, title, overrides }) => [name, overrides.optional().describe(`For clusters on ${title}.`)]),
    ),
  );
}

function tenantClusterSpec(providers: readonly ProviderBlock[]) {
  return z.object({
    kubernetesVersion: z
      .string()
      .regex(/^v\d+\.\d+\.\d+$/)
      .optional()
      .describe("Kubernetes version, for example `v1.34.2`. Left out: the team's default, then Butler's."),
    teamRef: localReference("Team").optional().describe("The team the cluster belongs to."),
    providerConfigRef: providerReference
      .optional()
      .describe(
        "The ProviderConfig that says where the workers are made, and with whose credentials. Left out: the team's, then the platform's.",
      ),
    infrastructure: z
      .enum(["official", "butler"])
      .default("official")
      .describe(
        later(
          "Who makes the workers: the infrastructure's `official` Cluster API provider, or `butler` itself, by MachineRequests.",
        ),
      ),
    controlPlane: controlPlane.optional().describe("The control plane, which runs as pods on the management cluster."),
    workers: workers.optional().describe("The worker machines."),
    networking: networking.optional().describe("The cluster's addresses."),
    managementPolicy: managementPolicy.optional().describe("How much Butler does once the cluster is there."),
    addons: tenantAddons.optional().describe("What is installed on the cluster."),
    timeServers: texts("NTP servers of the workers. Left out: the ProviderConfig's, then the platform's."),
    infrastructureOverride: infrastructureOverride(providers)
      .optional()
      .describe("What this cluster does otherwise than its ProviderConfig says."),
    workspaces: z
      .looseObject({})
      .optional()
      .describe("Developer workspaces. Accepted so that older manifests apply; Butler ignores it."),
  });
}

const observedAddon = z.object({
  name: z.string().describe("Name of the addon."),
  version: text("Its installed version."),
  status: z.enum(["Pending", "Installing", "Healthy", "Degraded", "Failed"]).optional().describe("How it is."),
  managedBy: z.enum(["butler", "flux", "argocd", "manual"]).optional().describe("Who looks after it."),
});

const status = z.object({
  phase: phase(PHASES).optional().describe("Where the cluster is in its life."),
  tenantNamespace: text("The namespace on the management cluster that holds the cluster's parts."),
  controlPlaneEndpoint: text("URL of the cluster's API server."),
  kubeconfigSecretRef: localReference("Secret").optional().describe("The Secret with the cluster's admin kubeconfig."),
  workerNodesReady: int32().optional().describe("Number of workers that are ready."),
  workerNodesDesired: int32().optional().describe("Number of workers that are wanted."),
  ipAllocationRef: localReference("IPAllocation").optional().describe("Where the workers' addresses come from."),
  lbAllocationRef: localReference("IPAllocation").optional().describe("Where the load balancer's addresses come from."),
  imageSyncRef: localReference("ImageSync")
    .optional()
    .describe("What brings the workers' image to the infrastructure."),
  observedState: z
    .object({
      kubernetesVersion: text("The version that runs."),
      workers: z
        .object({
          ready: int32().optional().describe("Number of workers that are ready."),
          desired: int32().optional().describe("Number of workers that are wanted."),
          nodes: texts("Names of the workers' nodes."),
        })
        .optional()
        .describe("The workers."),
      addons: z.array(observedAddon).optional().describe("The addons."),
    })
    .optional()
    .describe("The cluster as it was last seen."),
  conditions,
  lastTransitionTime: time().optional().describe("When `phase` last changed."),
  observedGeneration: freshnessFields.observedGeneration,
});

/** A Kubernetes cluster for a team. Providers come in from outside: a new one changes nothing here. */
export function tenantClusterKind(providers: readonly ProviderBlock[]) {
  return defineKind({
    kind: "TenantCluster",
    plural: "tenantclusters",
    shortName: "tc",
    scope: "Namespaced",
    description:
      "A TenantCluster is a Kubernetes cluster for a team: a control plane that runs as pods on the management cluster, and workers that are machines on an infrastructure.",
    spec: tenantClusterSpec(providers),
    specOptional: true,
    status,
    columns: [
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "K8s Version", type: "string", jsonPath: ".spec.kubernetesVersion" },
      { name: "Workers", type: "string", jsonPath: ".status.observedState.workers.ready" },
      { name: "Endpoint", type: "string", jsonPath: ".status.controlPlaneEndpoint" },
    ],
    phases: PHASES,
    notes: [
      "Version, number and size of the workers are resolved in this order: the TenantCluster itself, its team's `clusterDefaults`, Butler's own default. A TenantCluster that names only its ProviderConfig is a whole one.",
      "Conditions beyond the usual: `InfrastructureReady`, `ControlPlaneReady`, `WorkersReady`, `AddonsReady`, `NetworkReady`, `ProviderAccessGranted`, `ImageReady`, `QuotaSatisfied`.",
    ],
  });
}

/** A TenantCluster as an API server serves it. */
export type TenantCluster = ObjectOf<ReturnType<typeof tenantClusterSpec>, typeof status>;
