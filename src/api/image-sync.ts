// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { phase, text } from "./fields.ts";
import { defineKind, type ObjectOf } from "./kind.ts";
import { conditions, failureFields, freshnessFields, providerReference } from "./references.ts";

const PHASES = {
  Pending: "Accepted; nothing has been done yet.",
  Building: "The image factory is making the image.",
  Downloading: "The image is on its way from the factory.",
  Uploading: "The image is on its way to the infrastructure.",
  Ready: "Machines can boot the image; `providerImageRef` names it.",
  Failed: "The image cannot be had as it stands. See `failureReason`.",
} as const;

const spec = z.object({
  factoryRef: z
    .object({
      schematicID: z
        .string()
        .min(8)
        .describe("Id of the schematic: the factory's name for a set of extensions and kernel arguments."),
      version: z.string().describe("Version of the operating system, for example `v1.12.4`."),
      arch: z.enum(["amd64", "arm64"]).default("amd64").describe("Processor architecture."),
      platform: z
        .string()
        .default("nocloud")
        .describe(
          "What the image is made for, in the factory's words. `nocloud` suits Harvester, Nutanix and Proxmox VE.",
        ),
    })
    .describe("The image, as the image factory knows it."),
  providerConfigRef: providerReference.describe("The ProviderConfig of the infrastructure that is to have the image."),
  format: z.string().default("qcow2").describe("File format of the image, for example `qcow2`, `raw` or `iso`."),
  transferMode: z
    .enum(["direct", "proxy"])
    .default("direct")
    .describe(
      "How the image travels: with `direct` the infrastructure fetches it from the factory, with `proxy` Butler fetches and passes it on. `proxy` is not in effect yet.",
    ),
  displayName: text("Name of the image on the infrastructure. Left out: made of version and schematic."),
});

const status = z.object({
  phase: phase(PHASES).optional().describe("How far the image is."),
  providerImageRef: text("The image in the infrastructure's own terms, as a MachineRequest's `image` takes it."),
  artifactURL: text("Where the image was fetched from."),
  artifactSHA256: text("SHA-256 of the image file."),
  providerTaskID: text("The infrastructure's id of the import that is under way."),
  ...failureFields,
  conditions,
  ...freshnessFields,
});

/** A wish for an image on an infrastructure. */
export const imageSync = defineKind({
  kind: "ImageSync",
  plural: "imagesyncs",
  shortName: "is",
  scope: "Namespaced",
  description:
    "An ImageSync brings one operating system image from the image factory to an infrastructure, so that machines can boot it there.",
  spec,
  status,
  columns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Schematic", type: "string", jsonPath: ".spec.factoryRef.schematicID", wide: true },
    { name: "Version", type: "string", jsonPath: ".spec.factoryRef.version" },
    { name: "Provider", type: "string", jsonPath: ".spec.providerConfigRef.name" },
    { name: "Image Ref", type: "string", jsonPath: ".status.providerImageRef" },
  ],
  phases: PHASES,
  notes: [
    "A TenantCluster whose workers name a `schematicID` gets an ImageSync of its own; write one to have an image in place beforehand.",
  ],
});

/** An ImageSync as an API server serves it. */
export type ImageSync = ObjectOf<typeof spec, typeof status>;
