// SPDX-License-Identifier: Apache-2.0
import { kind, objectOf, text, whole } from "./kinds.ts";

const value = kind(
  "Value",
  objectOf({
    text: { type: "string", minLength: 2, maxLength: 4 },
    pattern: { type: "string", pattern: "^[a-z]+$" },
    color: { type: "string", enum: ["red", "blue"] },
    number: { type: "number", minimum: 0, maximum: 10 },
    open: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: true },
    step: { type: "number", multipleOf: 0.5 },
    whole,
    small: { type: "integer", format: "int32" },
    flag: { type: "boolean" },
    list: { type: "array", minItems: 1, maxItems: 2, items: text },
    map: { type: "object", additionalProperties: whole, minProperties: 1, maxProperties: 2 },
    nullable: { type: "string", nullable: true },
    either: { "x-kubernetes-int-or-string": true },
    nested: objectOf({ name: text, size: whole }, { required: ["name"] }),
    anyOf: objectOf({ a: text, b: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    oneOf: objectOf({ a: text, b: text }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
    allOf: { type: "string", allOf: [{ minLength: 2 }, { maxLength: 3 }] },
    not: { type: "string", not: { enum: ["forbidden"] } },
  }),
);

const formats = [
  "date",
  "date-time",
  "duration",
  "byte",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "cidr",
  "mac",
  "uri",
  "uuid",
  "password",
];

const formatted = kind(
  "Formatted",
  objectOf(Object.fromEntries(formats.map((format) => [format, { ...text, format }]))),
);

const needed = kind("Needed", objectOf({ a: text, b: text }, { required: ["a"] }), { required: ["spec"] });

const defaulted = kind(
  "Defaulted",
  objectOf({
    text: { ...text, default: "something" },
    size: { ...whole, default: 3 },
    flag: { type: "boolean", default: false },
    nullable: { ...text, nullable: true, default: "something" },
    nested: objectOf({ inner: { ...text, default: "inside" }, other: text }),
    whole: objectOf({ inner: { ...text, default: "inside" } }, { default: {} }),
    list: { type: "array", items: objectOf({ name: text, port: { ...whole, default: 80 } }) },
    map: { type: "object", additionalProperties: objectOf({ port: { ...whole, default: 80 } }) },
    names: { type: "array", items: text, default: ["a", "b"] },
  }),
);

const pruned = kind(
  "Pruned",
  objectOf({
    known: text,
    nested: objectOf({ known: text }),
    list: { type: "array", items: objectOf({ known: text }) },
    map: { type: "object", additionalProperties: objectOf({ known: text }) },
    free: objectOf({ known: text, inner: objectOf({ known: text }) }, { "x-kubernetes-preserve-unknown-fields": true }),
    embedded: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  }),
);

const listed = kind(
  "Listed",
  objectOf({
    ports: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: objectOf({ port: whole, protocol: { ...text, default: "TCP" }, name: text }, { required: ["port"] }),
    },
    tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
    pairs: {
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type: "object", properties: { a: text }, "x-kubernetes-map-type": "atomic" },
    },
    plain: { type: "array", items: text },
  }),
);

export const valueKinds = [value, formatted, needed, defaulted, pruned, listed];
