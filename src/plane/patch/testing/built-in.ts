// SPDX-License-Identifier: Apache-2.0
import type { Schema } from "../../../schema/index.ts";
import type { PatchSchema } from "../fields/object-meta-schema.ts";
import type { Subject } from "./sequence.ts";

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };
const bytes: Schema = { type: "object", additionalProperties: { type: "string", format: "byte" } };

const objectReference: Schema = {
  type: "object",
  properties: {
    kind: text,
    namespace: text,
    name: text,
    uid: text,
    apiVersion: text,
    resourceVersion: text,
    fieldPath: text,
  },
  "x-kubernetes-map-type": "atomic",
};

const secrets: PatchSchema = {
  type: "array",
  items: objectReference,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": "name",
};

const imagePullSecrets: PatchSchema = {
  type: "array",
  items: { type: "object", properties: { name: text }, "x-kubernetes-map-type": "atomic" },
  "x-kubernetes-list-type": "atomic",
};

interface Names {
  readonly kind: string;
  readonly plural: string;
  readonly properties: { readonly [name: string]: Schema };
}

function builtIn({ kind, plural, properties }: Names): Subject {
  return {
    apiVersion: "v1",
    kind,
    plural,
    isNamespaced: true,
    isCustom: false,
    hasStatus: false,
    schema: {
      type: "object",
      properties: { apiVersion: text, kind: text, metadata: { type: "object" }, ...properties },
    },
  };
}

export const configMap = builtIn({
  kind: "ConfigMap",
  plural: "configmaps",
  properties: { data: texts, binaryData: bytes, immutable: { type: "boolean" } },
});

export const secret = builtIn({
  kind: "Secret",
  plural: "secrets",
  properties: { data: bytes, stringData: texts, immutable: { type: "boolean" }, type: text },
});

export const serviceAccount = builtIn({
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  properties: { secrets, imagePullSecrets, automountServiceAccountToken: { type: "boolean" } },
});
