// SPDX-License-Identifier: Apache-2.0
import {
  beyondInt32,
  conditionCases,
  mismatch,
  missing,
  notATime,
  type RuleTable,
  ready,
  referenceCases,
  tooLarge,
  tooSmall,
  unsupported,
} from "./rule-case.ts";

const amounts = { cpu: "500m", memory: "1Gi" };
const resources = { requests: amounts, limits: amounts };
const components = ["apiServer", "controllerManager", "scheduler", "konnectivity"];
const quantities = components.flatMap((component) =>
  ["requests.cpu", "requests.memory", "limits.cpu", "limits.memory"].map((amount) => `${component}.${amount}`),
);

export const tenantClusterRules: RuleTable = {
  kind: "TenantCluster",
  base: {
    apiVersion: "butler.butlerlabs.dev/v1alpha1",
    kind: "TenantCluster",
    metadata: { name: "shop", namespace: "default" },
    spec: {
      kubernetesVersion: "v1.34.2",
      teamRef: { name: "web" },
      providerConfigRef: { name: "harvester-prod", namespace: "butler-system" },
      infrastructure: "butler",
      controlPlane: {
        replicas: 3,
        dataStoreRef: { name: "default" },
        serviceType: "LoadBalancer",
        certSANs: ["shop.example.com"],
        externalCloudProvider: false,
        resources: {
          apiServer: resources,
          controllerManager: resources,
          scheduler: resources,
          konnectivity: resources,
        },
      },
      workers: {
        replicas: 3,
        machineTemplate: {
          cpu: 4,
          memory: "16Gi",
          diskSize: 107374182400,
          os: { type: "talos", version: "v1.12.6", talos: { installDisk: "/dev/sda" } },
        },
        failureDomains: ["zone-a", "zone-b"],
      },
      networking: { loadBalancerPool: { start: "10.40.1.0", end: "10.40.1.7" }, lbPoolSize: 8 },
      managementPolicy: { mode: "GitOps" },
      addons: {
        cni: { provider: "cilium", values: { hubble: { enabled: true } } },
        loadBalancer: { provider: "metallb" },
        certManager: { enabled: false },
        storage: { provider: "linstor" },
        ingress: { provider: "nginx" },
        gitops: {
          provider: "fluxcd",
          repository: { url: "https://git.example.com/shop.git", secretRef: { name: "git" } },
        },
      },
      timeServers: ["ntp.example.com"],
      infrastructureOverride: { harvester: { namespace: "shop" }, proxmox: { templateID: 9000 } },
      workspaces: { enabled: true, anything: ["goes"] },
    },
    status: {
      phase: "Ready",
      kubeconfigSecretRef: { name: "shop-kubeconfig" },
      workerNodesReady: 3,
      workerNodesDesired: 3,
      ipAllocationRef: { name: "shop-nodes" },
      lbAllocationRef: { name: "shop-lb" },
      imageSyncRef: { name: "shop-image" },
      observedState: {
        workers: { ready: 3, desired: 3, nodes: ["shop-w-0"] },
        addons: [{ name: "cilium", version: "1.18.4", status: "Healthy", managedBy: "butler" }],
      },
      lastTransitionTime: "2026-03-10T12:00:00Z",
      conditions: [ready],
    },
  },
  cases: [
    mismatch("spec.kubernetesVersion", "1.34.2"),
    ...referenceCases("spec.teamRef"),
    ...referenceCases("spec.providerConfigRef"),
    unsupported("spec.infrastructure", "both"),

    tooSmall("spec.controlPlane.replicas", 1),
    tooLarge("spec.controlPlane.replicas", 3),
    beyondInt32("spec.controlPlane.replicas"),
    ...referenceCases("spec.controlPlane.dataStoreRef"),
    unsupported("spec.controlPlane.serviceType", "ExternalName"),
    ...quantities.map((amount) => mismatch(`spec.controlPlane.resources.${amount}`, "much")),

    tooSmall("spec.workers.replicas", 1),
    beyondInt32("spec.workers.replicas"),
    tooSmall("spec.workers.machineTemplate.cpu", 1),
    beyondInt32("spec.workers.machineTemplate.cpu"),
    mismatch("spec.workers.machineTemplate.memory", "16GB"),
    mismatch("spec.workers.machineTemplate.diskSize", "a lot"),
    unsupported("spec.workers.machineTemplate.os.type", "windows"),

    missing("spec.networking.loadBalancerPool.start"),
    missing("spec.networking.loadBalancerPool.end"),
    tooSmall("spec.networking.lbPoolSize", 1),
    beyondInt32("spec.networking.lbPoolSize"),
    unsupported("spec.managementPolicy.mode", "Passive"),

    ...["cni", "loadBalancer", "storage", "ingress", "gitops"].map((addon) =>
      unsupported(`spec.addons.${addon}.provider`, "other"),
    ),
    missing("spec.addons.gitops.repository.url"),
    ...referenceCases("spec.addons.gitops.repository.secretRef"),
    beyondInt32("spec.infrastructureOverride.proxmox.templateID"),

    unsupported("status.phase", "Running"),
    ...["kubeconfigSecretRef", "ipAllocationRef", "lbAllocationRef", "imageSyncRef"].flatMap((field) =>
      referenceCases(`status.${field}`),
    ),
    beyondInt32("status.workerNodesReady"),
    beyondInt32("status.workerNodesDesired"),
    beyondInt32("status.observedState.workers.ready"),
    beyondInt32("status.observedState.workers.desired"),
    missing("status.observedState.addons[0].name"),
    unsupported("status.observedState.addons[0].status", "Fine"),
    unsupported("status.observedState.addons[0].managedBy", "helm"),
    notATime("status.lastTransitionTime"),
    ...conditionCases(),
  ],
};
