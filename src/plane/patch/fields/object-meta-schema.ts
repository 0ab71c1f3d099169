// SPDX-License-Identifier: Apache-2.0
import type { Schema } from "../../../schema/index.ts";

/** A schema with the keywords that strategic merge patches go by. */
export interface PatchSchema extends Schema {
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

const text: Schema = { type: "string" };
const time: Schema = { type: "string", format: "date-time" };
const texts: Schema = { type: "object", additionalProperties: text };
const integer: Schema = { type: "integer", format: "int64" };

const finalizers: PatchSchema = {
  type: "array",
  items: text,
  "x-kubernetes-list-type": "set",
  "x-kubernetes-patch-strategy": "merge",
};

const ownerReferences: PatchSchema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      apiVersion: text,
      kind: text,
      name: text,
      uid: text,
      controller: { type: "boolean" },
      blockOwnerDeletion: { type: "boolean" },
    },
    "x-kubernetes-map-type": "atomic",
  },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["uid"],
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": "uid",
};

const managedFields: Schema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      manager: text,
      operation: text,
      apiVersion: text,
      time,
      fieldsType: text,
      fieldsV1: { type: "object" },
      subresource: text,
    },
  },
  "x-kubernetes-list-type": "atomic",
};

/** The metadata of every object: whatever a kind's own schema says of it, patches go by this. */
export const OBJECT_META: PatchSchema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: integer,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: integer,
    labels: texts,
    annotations: texts,
    ownerReferences,
    finalizers,
    managedFields,
  },
};
