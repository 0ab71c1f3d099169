// SPDX-License-Identifier: Apache-2.0
import type { Schema } from "../../../schema/index.ts";
import type { Subject } from "./sequence.ts";

const text: Schema = { type: "string" };
const integer: Schema = { type: "integer" };
const pair: Schema = { type: "object", properties: { a: text, b: text } };

const items: Schema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  items: {
    type: "object",
    required: ["name"],
    properties: {
      name: text,
      value: text,
      tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      parts: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["id"],
        items: { type: "object", required: ["id"], properties: { id: integer, size: integer } },
      },
      settings: { type: "object", additionalProperties: text },
    },
  },
};

const ports: Schema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["port", "protocol"],
  items: {
    type: "object",
    required: ["port"],
    properties: { port: integer, protocol: { type: "string", default: "TCP" }, name: text },
  },
};

const spec: Schema = {
  type: "object",
  properties: {
    text,
    number: integer,
    decimal: { type: "number" },
    flag: { type: "boolean" },
    nullable: { type: "string", nullable: true },
    defaulted: { type: "string", default: "standard" },
    when: { type: "string", format: "date-time" },
    intOrString: { "x-kubernetes-int-or-string": true },
    map: { type: "object", additionalProperties: text },
    maps: { type: "object", additionalProperties: pair },
    lists: { type: "object", additionalProperties: { type: "array", items: text, "x-kubernetes-list-type": "set" } },
    atomicMap: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
    struct: { type: "object", properties: { a: text, b: { type: "object", properties: { c: text, d: integer } } } },
    atomicStruct: { ...pair, "x-kubernetes-map-type": "atomic" },
    set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    numbers: { type: "array", items: integer, "x-kubernetes-list-type": "set" },
    items,
    ports,
    atomicList: { type: "array", items: text },
    atomicObjects: { type: "array", items: pair, "x-kubernetes-list-type": "atomic" },
    open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    openStruct: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { items, a: text } },
    embedded: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
};

const status: Schema = {
  type: "object",
  properties: {
    phase: text,
    counts: { type: "object", additionalProperties: integer },
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: { type: "object", required: ["type"], properties: { type: text, status: text, message: text } },
    },
  },
};

/** A custom kind with every sort of list and map. */
export const thing: Subject = {
  apiVersion: "patch.example.com/v1",
  kind: "Thing",
  plural: "things",
  isNamespaced: true,
  isCustom: true,
  hasStatus: true,
  schema: { type: "object", properties: { spec, status } },
};

/** A custom kind whose status is a field like any other. */
export const bare: Subject = {
  apiVersion: "patch.example.com/v1",
  kind: "Bare",
  plural: "bares",
  isNamespaced: true,
  isCustom: true,
  hasStatus: false,
  schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

/** The definition of a custom kind. */
export function definitionOf({ apiVersion, kind, plural, schema, hasStatus }: Subject) {
  const [group = "", name = ""] = apiVersion.split("/");
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...(hasStatus ? { subresources: { status: {} } } : {}),
        },
      ],
    },
  };
}
