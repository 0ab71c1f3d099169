// SPDX-License-Identifier: Apache-2.0
import type { z } from "zod";
import type { Schema } from "../schema/types.ts";
import type { Column, KindDefinition } from "./kind-definition.ts";
import { structural } from "./structural.ts";

/** A CustomResourceDefinition as `kubectl apply` takes it. */
export interface CustomResourceDefinition {
  apiVersion: "apiextensions.k8s.io/v1";
  kind: "CustomResourceDefinition";
  metadata: { name: string };
  spec: {
    group: string;
    names: { kind: string; listKind: string; plural: string; singular: string; shortNames: string[] };
    scope: "Namespaced" | "Cluster";
    versions: {
      name: string;
      served: boolean;
      storage: boolean;
      additionalPrinterColumns: { name: string; type: string; jsonPath: string; priority?: number }[];
      schema: { openAPIV3Schema: Schema };
      subresources: { status: Record<string, never> };
    }[];
  };
}

/** The schema of a whole object of the kind: type, metadata, spec, status, and the rules at its root. */
export function objectSchema(definition: KindDefinition<z.ZodObject, z.ZodObject>): Schema {
  const status = structural(definition.status);
  return {
    description: definition.description,
    type: "object",
    properties: {
      apiVersion: { type: "string", description: "The API group and version of this object." },
      kind: { type: "string", description: "The kind of this object." },
      metadata: { type: "object" },
      spec: { ...structural(definition.spec), description: "What is wanted." },
      status: {
        ...status,
        description: "What has been observed. Written by Butler, not by users.",
        ...(definition.statusDefault === undefined ? {} : { default: definition.statusDefault }),
      },
    },
    ...(definition.specOptional ? {} : { required: ["spec"] }),
    ...(definition.rules ? { "x-kubernetes-validations": definition.rules } : {}),
  };
}

/** Puts names, columns and schema together; the status is a subresource of every kind. */
export function customResourceDefinition(
  { group, version }: { group: string; version: string },
  definition: KindDefinition<z.ZodObject, z.ZodObject>,
  schema: Schema,
): CustomResourceDefinition {
  const { kind, plural, shortName, scope, columns } = definition;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames: [shortName] },
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: [...columns, AGE].map(printerColumn),
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
      ],
    },
  };
}

const AGE: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

function printerColumn({ name, type, jsonPath, wide }: Column) {
  return { name, type, jsonPath, ...(wide ? { priority: 1 } : {}) };
}
