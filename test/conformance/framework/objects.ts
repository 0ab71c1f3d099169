// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "./types.ts";

export const MERGE_PATCH = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml";

/** A ConfigMap; the namespace is the request's. */
export function configMap(name: string, data: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

/** What is told about a CRD; everything else follows from the kind. */
export interface CrdOptions {
  readonly group: string;
  readonly kind: string;
  /** The schema of the whole object, or of `spec` and `status` alone. */
  readonly schema?: JsonObject;
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly scope?: "Namespaced" | "Cluster";
  readonly subresources?: JsonObject;
  readonly columns?: readonly JsonObject[];
  readonly selectableFields?: readonly JsonObject[];
  readonly names?: JsonObject;
}

/** A CRD with the one version v1. Fields of `spec` and `status` that are not described are kept. */
export function crd({ group, kind, schema, spec, status, scope = "Namespaced", ...more }: CrdOptions): JsonObject {
  const plural = `${kind.toLowerCase()}s`;
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const properties = { spec: spec ?? anything, status: status ?? anything };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...more.names },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema ?? { type: "object", properties } },
          ...(more.subresources && { subresources: more.subresources }),
          ...(more.columns && { additionalPrinterColumns: more.columns }),
          ...(more.selectableFields && { selectableFields: more.selectableFields }),
        },
      ],
    },
  };
}

/** What an object of a CRD is made from. */
export interface CustomOptions {
  readonly metadata?: JsonObject;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Makes objects of one CRD: `const widget = kindOf("rest.example.com", "Widget")`, then `widget("a", { spec: {} })`. */
export function kindOf(group: string, kind: string) {
  return (name: string, { metadata, ...fields }: CustomOptions = {}): JsonObject => ({
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name, ...metadata },
    ...fields,
  });
}
