// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import type { ValidationRule } from "../schema/types.ts";
import { disk } from "./disk.ts";
import { address, dnsLabel, int32, later, text, time } from "./fields.ts";
import { defineKind, type ObjectOf } from "./kind.ts";
import { conditions, failureFields, freshnessFields, localReference, providerReference } from "./references.ts";

/** The phases of a machine's life, and what each tells an operator. */
export const MACHINE_PHASES = {
  Pending: "Accepted; nothing has been created yet.",
  Creating: "The machine is being created, or has no address yet.",
  Running: "The machine runs and has an address.",
  Failed: "The request cannot be met as it stands, took too long, or its machine was lost. See `failureReason`.",
  Deleting: "The machine is being deleted.",
  Deleted: "The machine and all that belonged to it are gone; the object follows.",
  Unknown: "The machine's state could not be determined for a while.",
} as const;

const PHASE_NAMES = Object.keys(MACHINE_PHASES) as (keyof typeof MACHINE_PHASES)[];

/** While a machine is in one of these phases its spec is what it was made from, and stays so. */
const SETTLED_PHASES = ["Creating", "Running", "Unknown", "Deleting", "Deleted"] as const;

const ERROR_KINDS = ["invalid", "denied", "exhausted", "throttled", "unavailable", "internal"] as const;

const spec = z.object({
  providerRef: providerReference.describe(
    "The ProviderConfig that says where the machine is made, and with whose credentials.",
  ),
  machineName: dnsLabel().describe("Name of the virtual machine. Unique on its infrastructure."),
  role: z
    .enum(["control-plane", "worker"])
    .describe("What the machine is for. Informational: it changes nothing about how it is made."),
  cpu: int32({ min: 1, max: 128 }).describe("Number of virtual CPUs."),
  memoryMB: int32({ min: 1024 }).describe("Memory in MiB."),
  diskGB: int32({ min: 10 }).describe("Size of the root disk in GiB."),
  extraDisks: z.array(disk).optional().describe("Further, empty disks, in this order."),
  image: text(
    "The image to boot, in the infrastructure's own terms: Harvester `namespace/name`, Nutanix UUID, Proxmox template id or name, AWS AMI id, GCP image or family, Azure image reference. Left out: the ProviderConfig's image.",
  ),
  userData: text("Cloud-init user data or a Talos machine configuration, as plain text."),
  networkData: text("Cloud-init network configuration, as plain text."),
  labels: z
    .record(z.string(), z.string())
    .optional()
    .describe("Put on the virtual machine as labels, tags or categories. May change while the machine runs."),
  network: z
    .object({
      poolRef: localReference("NetworkPool").optional().describe("Take an address from this pool."),
      address: address().optional().describe("Take this very address, IPv4 or IPv6."),
    })
    .optional()
    .describe(later("A static address instead of one from DHCP.")),
  failureDomain: text(
    later(
      "Where to place the machine: a zone (AWS, GCP, Azure), a node (Proxmox), a cluster (Nutanix) or a node's zone (Harvester).",
    ),
  ),
  spreadGroup: text(later("Machines of one group are kept on different hosts where the infrastructure can do that.")),
  deletionPolicy: z
    .enum(["Delete", "Retain"])
    .default("Delete")
    .describe(
      later(
        "What deleting this object does to the machine: `Delete` removes it, `Retain` lets go of it and leaves it running.",
      ),
    ),
});

const status = z.object({
  phase: z.enum(PHASE_NAMES).default("Pending").describe("Where the machine is in its life."),
  providerID: text("The machine's identity on its infrastructure."),
  ipAddress: text("The primary address."),
  ipAddresses: z.array(z.string()).optional().describe("All addresses."),
  macAddress: text("The MAC address of the first network card."),
  ...failureFields,
  conditions,
  ...freshnessFields,
  operation: z
    .object({
      kind: z.string().describe("What is being done: `create` or `delete`."),
      id: text("The infrastructure's own id of the operation."),
      token: text("The idempotency token the call was made with."),
      attempt: int32().optional().describe("The attempt it belongs to."),
      startedAt: time().optional().describe("When it was started."),
    })
    .optional()
    .describe("A long operation of the infrastructure that is under way."),
  lastError: z
    .object({
      kind: z
        .enum(ERROR_KINDS)
        .describe(
          "What stands in the way: `invalid` (change the request), `denied` (credentials or permissions), `exhausted` (quota, capacity, addresses), `throttled` (too many requests), `unavailable` (passes by itself) or `internal` (a fault of Butler).",
        ),
      code: text("The infrastructure's own error code."),
      requestID: text("The infrastructure's id of the request, for its support."),
      message: text("What went wrong, in a sentence for people."),
      time: time().optional().describe("When it happened."),
      nextRetryTime: time().optional().describe("When it is tried again."),
    })
    .optional()
    .describe("Why the machine waits, if it does."),
  failureDomain: text("Where the machine was placed."),
  instanceType: text("The machine type that was chosen, on a cloud."),
});

/** One rule per field, so that the refusal names the field. They stand at the root because they need the phase. */
const frozenFields = Object.entries(spec.shape)
  .filter(([field]) => field !== "labels" && field !== "deletionPolicy")
  .map(([field, schema]) => frozenWhileSettled(field, { isOptional: schema.isOptional() }));

function frozenWhileSettled(field: string, { isOptional }: { isOptional: boolean }): ValidationRule {
  const [now, before] = [`self.spec.${field}`, `oldSelf.spec.${field}`];
  const isSame = isOptional
    ? `has(${now}) == has(${before}) && (!has(${now}) || ${now} == ${before})`
    : `${now} == ${before}`;
  return {
    rule: `!(oldSelf.?status.?phase.orValue('') in [${SETTLED_PHASES.map((phase) => `'${phase}'`).join(", ")}]) || (${isSame})`,
    message: `cannot change once the machine is being made; only labels and deletionPolicy can`,
    reason: "FieldValueForbidden",
    fieldPath: `.spec.${field}`,
  };
}

export const machineRequest = defineKind({
  kind: "MachineRequest",
  plural: "machinerequests",
  shortName: "mr",
  scope: "Namespaced",
  description:
    "A MachineRequest asks for one virtual machine. Butler makes exactly one of it on the infrastructure that its ProviderConfig names, and removes it with everything that belongs to it when the request is deleted.",
  spec,
  status,
  statusDefault: {},
  rules: frozenFields,
  columns: [
    { name: "Machine", type: "string", jsonPath: ".spec.machineName" },
    { name: "Role", type: "string", jsonPath: ".spec.role" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "IP", type: "string", jsonPath: ".status.ipAddress" },
  ],
  phases: MACHINE_PHASES,
  notes: [
    "While the phase is Creating, Running, Unknown, Deleting or Deleted the spec cannot change, `labels` and `deletionPolicy` apart. To change a machine, delete the request and make a new one.",
    "The annotation `butler.butlerlabs.dev/instance-type` names a cloud's machine type outright, instead of one chosen by `cpu` and `memoryMB`. Not in effect yet.",
  ],
});

export type MachineRequest = ObjectOf<typeof spec, typeof status>;
