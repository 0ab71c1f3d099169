// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import type { ValidationRule } from "../schema/types.ts";
import { duration, int32, int64, later, rule, text, texts, time, withRules } from "./fields.ts";
import { defineKind, type ObjectOf } from "./kind.ts";
import type { ProviderBlock } from "./provider-block.ts";
import { normaliseProviderConfig, UNSUPPORTED } from "./provider-config-shape.ts";
import { conditions, localReference, secretReference } from "./references.ts";

const scope = withRules(
  z.object({
    type: z
      .enum(["platform", "team"])
      .default("platform")
      .describe("`platform`: every namespace may use it. `team`: one team's only."),
    teamRef: localReference("Team").optional().describe("The team that may use it. Needed when `type` is `team`."),
  }),
  rule("self.type != 'team' || has(self.teamRef)", "teamRef is required when type is team", {
    reason: "FieldValueRequired",
    fieldPath: ".teamRef",
  }),
);

const poolReference = z.object({
  name: z.string().min(1).describe("Name of the NetworkPool."),
  priority: int32().default(0).describe("Pools with a lower number are used first."),
});

const network = withRules(
  z.object({
    mode: z
      .enum(["ipam", "cloud"])
      .default("cloud")
      .describe("Who hands out addresses: Butler from NetworkPools (`ipam`) or the infrastructure itself (`cloud`)."),
    poolRefs: z
      .array(poolReference)
      .optional()
      .describe("The NetworkPools to take addresses from. Needed when `mode` is `ipam`."),
    subnet: text("The nodes' subnet. Informational."),
    gateway: text("The nodes' gateway. Informational."),
    dnsServers: texts("DNS servers for nodes."),
    timeServers: texts("NTP servers for nodes."),
    loadBalancer: z
      .object({
        defaultPoolSize: int32({ min: 1 })
          .default(8)
          .describe("Addresses each tenant cluster gets for load balancers, in `static` mode."),
        allocationMode: z
          .enum(["static", "elastic"])
          .default("static")
          .describe("`static`: one block for good. `elastic`: a small block that grows."),
        initialPoolSize: int32({ min: 1 }).default(2).describe("Size of the first block, in `elastic` mode."),
        growthIncrement: int32({ min: 1 }).default(2).describe("Size of each further block, in `elastic` mode."),
      })
      .optional()
      .describe("Addresses for the load balancers of tenant clusters."),
    quotaPerTenant: z
      .object({
        maxNodeIPs: int32({ min: 1 }).optional().describe("Most node addresses a tenant cluster may have."),
        maxLoadBalancerIPs: int32({ min: 1 })
          .optional()
          .describe("Most load balancer addresses a tenant cluster may have."),
      })
      .optional()
      .describe("Limits per tenant cluster."),
  }),
  rule(
    "self.mode != 'ipam' || (has(self.poolRefs) && size(self.poolRefs) > 0)",
    "at least one pool is required when mode is ipam",
    {
      reason: "FieldValueRequired",
      fieldPath: ".poolRefs",
    },
  ),
);

const commonFields = {
  scope: scope.optional().describe("Who may use this ProviderConfig. Left out: everybody."),
  network: network.optional().describe("Where addresses come from."),
  limits: z
    .object({
      maxClustersPerTeam: int32({ min: 1 }).optional().describe("Most tenant clusters a team may have here."),
      maxNodesPerTeam: int32({ min: 1 }).optional().describe("Most nodes a team may have here."),
      maxMachines: int32({ min: 1 }).optional().describe(later("Most machines there may be here. Left out: no limit.")),
      maxConcurrentCreates: int32({ min: 1 })
        .default(10)
        .describe(later("Most create calls under way at once; machines that only wait for an address do not count.")),
    })
    .optional()
    .describe("Limits."),
  timeouts: z
    .object({
      creation: duration()
        .default("20m")
        .describe(
          later("A machine that has no address after this long counts as failed. It stays, and may still come up."),
        ),
    })
    .optional()
    .describe("How long things may take."),
};

const status = z.object({
  conditions,
  validated: z.boolean().optional().describe("Whether the credentials and settings were tried and work."),
  lastValidationTime: time().optional().describe("When they were last tried."),
  providerVersion: text("Version of the infrastructure."),
  ready: z.boolean().optional().describe("Whether machines can be made here now."),
  lastProbeTime: time().optional().describe("When the infrastructure was last looked at."),
  capacity: z
    .object({
      availableIPs: int64().optional().describe("Free addresses in the pools."),
      estimatedTenants: int64().optional().describe("How many more tenant clusters these addresses would serve."),
    })
    .optional()
    .describe("What is left."),
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
  machines: z
    .object({
      total: int32().optional().describe("Machines that carry Butler's mark."),
      running: int32().optional().describe("Those of them that run."),
    })
    .optional()
    .describe("Machines that were found here."),
});

/** The provider's name in CEL, whichever of the two fields holds it; empty if none does. */
const named = (self: string) => `(has(${self}.provider) ? ${self}.provider : has(${self}.type) ? ${self}.type : '')`;

/** The ProviderConfig kind for these providers: a block each, and the rules that tie them together. */
export function providerConfigKind(blocks: readonly ProviderBlock[]) {
  const names = [...blocks.map(({ name }) => name), UNSUPPORTED];
  const spec = withRules(
    z.object({
      provider: z.enum(names).optional().describe("The infrastructure. `local` is accepted but not supported."),
      type: z.enum(names).optional().describe("Deprecated: use `provider`."),
      credentialsRef: secretReference
        .optional()
        .describe(
          "The Secret with the credentials. Its namespace may differ from this object's only in `butler-system`.",
        ),
      ...Object.fromEntries(blocks.map((block) => [block.name, settingsBlock(block)])),
      [UNSUPPORTED]: z
        .object({ kindNodeImage: text("Ignored.") })
        .optional()
        .describe("Accepted for compatibility; the provider `local` is not supported."),
      ...commonFields,
    }),
    ...specRules(blocks),
  );
  return defineKind({
    kind: "ProviderConfig",
    plural: "providerconfigs",
    shortName: "pc",
    scope: "Namespaced",
    description:
      "A ProviderConfig says where machines are made: the infrastructure, its credentials and settings, who may use it, and where addresses come from.",
    spec,
    status,
    columns: [
      { name: "Provider", type: "string", jsonPath: ".spec['provider','type']" },
      { name: "Scope", type: "string", jsonPath: ".spec.scope.type" },
      { name: "Ready", type: "boolean", jsonPath: ".status.ready" },
      { name: "Validated", type: "boolean", jsonPath: ".status.validated" },
    ],
    notes: [
      "Only the block of the provider that is named is read; blocks of others are ignored.",
      "`kubectl get pc` may mean PriorityClasses: write `kubectl get providerconfigs`.",
      "The older shape, with `type` and with `credentialsRef` inside the provider's block, still works and is reported as deprecated.",
    ],
    normalise: (object) => normaliseProviderConfig(object, names),
  });
}

export type ProviderConfig = ObjectOf<z.ZodObject<typeof commonFields & ProviderFields>, typeof status>;

type ProviderFields = {
  provider: z.ZodOptional<z.ZodString>;
  type: z.ZodOptional<z.ZodString>;
  credentialsRef: z.ZodOptional<typeof secretReference>;
};

function settingsBlock({ title, name, settings }: ProviderBlock) {
  return settings
    .extend({ credentialsRef: secretReference.optional().describe("Deprecated: use `spec.credentialsRef`.") })
    .optional()
    .describe(`Settings for ${title}. Needed when \`provider\` is \`${name}\`.`);
}

function specRules(blocks: readonly ProviderBlock[]): ValidationRule[] {
  const provider = named("self");
  const clouds = blocks.filter(({ networking }) => networking === "cloud").map(({ name }) => `'${name}'`);
  const places = `[${credentialPlaces(blocks).join(", ")}].filter(place, place)`;
  return [
    rule("has(self.provider) != has(self.type)", "exactly one of provider and type must be set"),
    ...blocks.map(({ name }) =>
      rule(`${provider} != '${name}' || has(self.${name})`, `${name} is required when provider is ${name}`, {
        reason: "FieldValueRequired",
        fieldPath: `.${name}`,
      }),
    ),
    rule(
      `${provider} in ['', '${UNSUPPORTED}'] || ${places}.size() > 0`,
      "credentials are required: set credentialsRef, or ambientCredentials where the provider has it",
      {
        reason: "FieldValueRequired",
        fieldPath: ".credentialsRef",
      },
    ),
    rule(
      `${places}.size() <= 1`,
      "credentials are in more than one place: keep one of credentialsRef, the provider's own credentialsRef and ambientCredentials",
      {
        fieldPath: ".credentialsRef",
      },
    ),
    rule(
      `!has(self.network) || self.network.mode != 'ipam' || !(${provider} in [${clouds.join(", ")}])`,
      "mode ipam is not for clouds: they hand out addresses themselves",
      {
        fieldPath: ".network.mode",
      },
    ),
    rule(
      `${named("oldSelf")} == ${provider}`,
      "the provider cannot change: its machines would be looked for elsewhere; make a new ProviderConfig",
      {
        reason: "FieldValueForbidden",
        fieldPath: ".provider",
      },
    ),
  ];
}

/** One CEL condition for each place credentials may stand in; those of blocks that are not in use do not count. */
function credentialPlaces(blocks: readonly ProviderBlock[]): string[] {
  const inUse = (name: string) => `${named("self")} == '${name}' && has(self.${name})`;
  return [
    "has(self.credentialsRef)",
    ...blocks.map(({ name }) => `${inUse(name)} && has(self.${name}.credentialsRef)`),
    ...blocks
      .filter(({ settings }) => "ambientCredentials" in settings.shape)
      .map(({ name }) => `${inUse(name)} && self.${name}.ambientCredentials`),
  ];
}
