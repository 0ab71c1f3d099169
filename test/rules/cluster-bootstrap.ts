// SPDX-License-Identifier: Apache-2.0
import {
  beyondInt32,
  type Changes,
  conditionCases,
  empty,
  mismatch,
  missing,
  notATime,
  type RuleCase,
  type RuleTable,
  ready,
  referenceCases,
  tooLarge,
  tooLong,
  tooSmall,
  unsupported,
} from "./rule-case.ts";

const nodePool = {
  replicas: 3,
  cpu: 4,
  memoryMB: 8192,
  diskGB: 60,
  extraDisks: [{ sizeGB: 200, storageClass: "ssd" }],
  labels: { rack: "a" },
};

function nodePoolCases(at: string): RuleCase[] {
  return [
    ...["replicas", "cpu", "memoryMB", "diskGB", "extraDisks[0].sizeGB"].flatMap((field) => [
      missing(`${at}.${field}`),
      beyondInt32(`${at}.${field}`),
    ]),
    tooSmall(`${at}.replicas`, 1),
    tooLarge(`${at}.replicas`, 10),
    tooSmall(`${at}.cpu`, 1),
    tooLarge(`${at}.cpu`, 128),
    tooSmall(`${at}.memoryMB`, 2048),
    tooSmall(`${at}.diskGB`, 20),
    tooSmall(`${at}.extraDisks[0].sizeGB`, 1),
  ];
}

/** A way of exposing control planes that lacks what it needs. */
function exposure(name: string, { mode, ...more }: { mode: string; hostname?: string; gatewayRef?: string }): RuleCase {
  const lacks = more.hostname ? "gatewayRef" : "hostname";
  const changes: Changes = { "spec.controlPlaneExposure": { mode, ...more } };
  return {
    name,
    changes,
    at: `spec.controlPlaneExposure.${lacks}`,
    says: `a ${lacks} is needed in mode`,
    reason: "FieldValueRequired",
  };
}

const infrastructure = "spec.addons.capi.infrastructureProviders[0]";

export const clusterBootstrapRules: RuleTable = {
  kind: "ClusterBootstrap",
  base: {
    apiVersion: "butler.butlerlabs.dev/v1alpha1",
    kind: "ClusterBootstrap",
    metadata: { name: "management", namespace: "default" },
    spec: {
      provider: "harvester",
      providerRef: { name: "harvester-prod", namespace: "butler-system" },
      cluster: { name: "management", topology: "ha", controlPlane: nodePool, workers: nodePool },
      network: {
        podCIDR: "10.244.0.0/16",
        serviceCIDR: "2001:db8:96::/108",
        vip: "2001:db8:40::10",
        vipInterface: "eth0",
        loadBalancerPool: { start: "10.40.1.0", end: "2001:db8:40::1:ff" },
      },
      talos: {
        version: "v1.12.6",
        schematic: "",
        installDisk: "/dev/vda",
        configPatches: [{ op: "add", path: "/machine/sysctls", value: "{}" }],
      },
      addons: {
        cni: { type: "cilium" },
        storage: { type: "longhorn", replicaCount: 3 },
        loadBalancer: { type: "metallb" },
        gitOps: { type: "none" },
        controlPlaneHA: { type: "kube-vip" },
        certManager: { enabled: true },
        ingress: { type: "nginx" },
        controlPlaneProvider: { type: "kamaji" },
        capi: { infrastructureProviders: [{ name: "aws", credentialsSecretRef: { name: "aws" } }] },
        butlerController: {},
        console: { ingress: { enabled: true } },
      },
      controlPlaneExposure: {
        mode: "Gateway",
        hostname: "*.k8s.example.com",
        controllerType: "generic",
        gatewayRef: "gateways/tenants",
      },
      paused: true,
    },
    status: {
      phase: "Ready",
      kubeconfigSecretRef: { name: "management-kubeconfig" },
      talosconfigSecretRef: { name: "management-talosconfig" },
      machines: [{ name: "management-cp-0", role: "control-plane", phase: "Running" }],
      steps: [
        { name: "machines", phase: "done", startedAt: "2026-03-10T12:00:00Z", finishedAt: "2026-03-10T12:05:00Z" },
      ],
      addonsInstalled: { cilium: true },
      lastUpdated: "2026-03-10T12:00:00Z",
      conditions: [ready],
    },
  },
  cases: [
    missing("spec"),
    ...["provider", "providerRef", "cluster", "network", "talos"].map((field) => missing(`spec.${field}`)),
    unsupported("spec.provider", "vsphere"),
    ...referenceCases("spec.providerRef"),
    missing("spec.cluster.name"),
    empty("spec.cluster.name"),
    tooLong("spec.cluster.name", 63),
    mismatch("spec.cluster.name", "Management"),
    unsupported("spec.cluster.topology", "ring"),
    missing("spec.cluster.controlPlane"),
    ...nodePoolCases("spec.cluster.controlPlane"),
    ...nodePoolCases("spec.cluster.workers"),

    missing("spec.network.podCIDR"),
    mismatch("spec.network.podCIDR", "10.244.0.0"),
    missing("spec.network.serviceCIDR"),
    mismatch("spec.network.serviceCIDR", "2001:db8:96::"),
    mismatch("spec.network.vip", "not a host"),
    mismatch("spec.network.vip", "-example.com"),
    mismatch("spec.network.vip", "https://10.40.0.10"),
    missing("spec.network.loadBalancerPool.start"),
    mismatch("spec.network.loadBalancerPool.start", "10.40.1"),
    missing("spec.network.loadBalancerPool.end"),
    mismatch("spec.network.loadBalancerPool.end", "10.40.1.0/24"),

    missing("spec.talos.version"),
    mismatch("spec.talos.version", "1.12.6"),
    missing("spec.talos.schematic"),
    missing("spec.talos.configPatches[0].op"),
    unsupported("spec.talos.configPatches[0].op", "move"),
    missing("spec.talos.configPatches[0].path"),

    ...["cni", "storage", "loadBalancer", "gitOps", "controlPlaneHA", "ingress", "controlPlaneProvider"].map((addon) =>
      unsupported(`spec.addons.${addon}.type`, "other"),
    ),
    beyondInt32("spec.addons.storage.replicaCount"),
    missing(`${infrastructure}.name`),
    unsupported(`${infrastructure}.name`, "local"),
    ...referenceCases(`${infrastructure}.credentialsSecretRef`),

    unsupported("spec.controlPlaneExposure.mode", "NodePort"),
    unsupported("spec.controlPlaneExposure.controllerType", "envoy"),
    exposure("mode Ingress without a hostname", { mode: "Ingress" }),
    exposure("mode Ingress with an empty hostname", { mode: "Ingress", hostname: "" }),
    exposure("mode Gateway without a hostname", { mode: "Gateway", gatewayRef: "gateways/tenants" }),
    exposure("mode Gateway without a gatewayRef", { mode: "Gateway", hostname: "*.k8s.example.com" }),
    exposure("mode Gateway with an empty gatewayRef", {
      mode: "Gateway",
      hostname: "*.k8s.example.com",
      gatewayRef: "",
    }),

    ...referenceCases("status.kubeconfigSecretRef"),
    ...referenceCases("status.talosconfigSecretRef"),
    ...["name", "role", "phase"].map((field) => missing(`status.machines[0].${field}`)),
    missing("status.steps[0].name"),
    missing("status.steps[0].phase"),
    notATime("status.steps[0].startedAt"),
    notATime("status.steps[0].finishedAt"),
    notATime("status.lastUpdated"),
    ...conditionCases({ listMap: false }),
  ],
};
