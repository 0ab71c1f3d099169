// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { dnsLabel, int32, phase, rule, text, withRules } from "./fields.ts";
import { defineKind, type ObjectOf } from "./kind.ts";
import { conditions, failureFields, freshnessFields, providerReference } from "./references.ts";

const PHASES = {
  Pending: "Accepted; nothing has been created yet.",
  Creating: "The load balancer is being created, or has no address yet.",
  Ready: "The load balancer is there; `endpoint` says where.",
  Failed: "The request cannot be met as it stands. See `failureReason`.",
  Deleting: "The load balancer and all that belongs to it are being deleted.",
} as const;

const port = () => int32({ min: 1, max: 65535 });

const target = z.object({
  ip: text("Address of the machine, for load balancers that send to addresses."),
  instanceID: text("The cloud's id of the machine, for load balancers that send to machines (AWS)."),
  instanceName: text("The cloud's name of the machine, for load balancers that go by name (GCP)."),
});

const spec = z.object({
  clusterName: withRules(
    dnsLabel(),
    rule("self == oldSelf", "cannot change: the load balancer's parts in the cloud are named after it"),
  ).describe(
    "Name of the cluster whose API server the load balancer is for. All its parts in the cloud are named after it. Cannot change.",
  ),
  providerConfigRef: withRules(
    providerReference,
    rule("self == oldSelf", "cannot change: the load balancer would be sought in another cloud"),
  ).describe("The ProviderConfig that says in which cloud it is made, and with whose credentials. Cannot change."),
  port: port().default(6443).describe("The port that the load balancer listens on and sends to."),
  healthCheckPort: port().optional().describe("The port that is asked whether a machine is well. Left out: `port`."),
  targets: z
    .array(target)
    .optional()
    .describe("The machines behind the load balancer. May change at any time, also from none to some."),
});

const status = z.object({
  phase: phase(PHASES).optional().describe("Where the load balancer is in its life."),
  endpoint: text("Its address or DNS name."),
  resourceID: text("The cloud's id of the load balancer."),
  registeredTargets: int32().optional().describe("How many machines are behind it now."),
  ...failureFields,
  conditions,
  ...freshnessFields,
});

/** A wish for a load balancer in a cloud. */
export const loadBalancerRequest = defineKind({
  kind: "LoadBalancerRequest",
  plural: "loadbalancerrequests",
  shortName: "lbr",
  scope: "Namespaced",
  description:
    "A LoadBalancerRequest asks for one network load balancer of a cloud, in front of the API servers of a cluster. Butler makes it when it bootstraps a cluster on AWS, GCP or Azure.",
  spec,
  status,
  columns: [
    { name: "Cluster", type: "string", jsonPath: ".spec.clusterName" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Endpoint", type: "string", jsonPath: ".status.endpoint" },
    { name: "Targets", type: "integer", jsonPath: ".status.registeredTargets" },
  ],
  phases: PHASES,
  notes: [
    "`clusterName` and `providerConfigRef` cannot change. For another cluster or another cloud delete the request and make a new one; its address will be another.",
    "Clouds only: on Harvester, Nutanix and Proxmox VE a virtual address on the control plane takes its place, see `network.vip` of ClusterBootstrap.",
  ],
});

/** A LoadBalancerRequest as an API server serves it. */
export type LoadBalancerRequest = ObjectOf<typeof spec, typeof status>;
