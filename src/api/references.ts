// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { listMap, time } from "./fields.ts";

const name = (what: string) => z.string().min(1).describe(`Name of the ${what}.`);

/** Points at a ProviderConfig. */
export const providerReference = z.object({
  name: name("ProviderConfig"),
  namespace: z
    .string()
    .optional()
    .describe("Namespace of the ProviderConfig. Left out: the namespace of this object, then `butler-system`."),
});

/** Points at a Secret, or at one key of it. */
export const secretReference = z.object({
  name: name("Secret"),
  namespace: z.string().optional().describe("Namespace of the Secret. Left out: the namespace of this object."),
  key: z.string().optional().describe("The key to read, where it is not the usual one."),
});

/** Points at an object in the same namespace, or at a cluster-wide one. */
export const localReference = (what: string) => z.object({ name: name(what) });

/** Points at an object in a named namespace. */
export const namespacedReference = (what: string) =>
  z.object({ name: name(what), namespace: z.string().min(1).describe(`Namespace of the ${what}.`) });

/** A standard Kubernetes condition. */
export const condition = z.object({
  type: z
    .string()
    .max(316)
    .regex(
      /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/,
    )
    .describe("What the condition is about, for example `Ready`."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .describe("Why, in one CamelCase word that programs can rely on."),
  message: z.string().max(32768).describe("Why, in a sentence for people."),
  lastTransitionTime: time().describe("When `status` last changed."),
  observedGeneration: z.int().min(0).optional().describe("The generation of the spec this was said about."),
});

/** The conditions of an object, one per type. */
export const conditions = listMap(condition, "type")
  .optional()
  .describe("The state in detail: `Ready`, `Progressing`, `Degraded` and what the kind adds.");

/** What every status that has a life cycle says about failure and freshness. */
export const failureFields = {
  failureReason: z.string().optional().describe("Why it failed, in one CamelCase word that programs can rely on."),
  failureMessage: z.string().optional().describe("Why it failed, in a sentence for people."),
};

/** When a status was written, and for which generation of the spec. */
export const freshnessFields = {
  lastUpdated: time().optional().describe("When this status was last written."),
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
};
