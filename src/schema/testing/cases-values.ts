// SPDX-License-Identifier: Apache-2.0
import type { Json, Schema } from "../types.ts";
import { type Row, row } from "./table.ts";

/** One of everything, for checks of types. */
const ANYTHING: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 40,
  1e30,
  "",
  "héé",
  [],
  [1],
  ["a"],
  {},
  { a: 1 },
];

const TEXT: Schema = { type: "string" };

const types: readonly Row[] = [
  row("string", TEXT, ...ANYTHING),
  row("integer", { type: "integer" }, ...ANYTHING),
  row("number", { type: "number" }, ...ANYTHING),
  row("boolean", { type: "boolean" }, ...ANYTHING),
  row("array", { type: "array", items: { type: "integer" } }, ...ANYTHING),
  row("object", { type: "object", additionalProperties: { type: "integer" } }, ...ANYTHING),
  row("nullable string", { type: "string", nullable: true }, ...ANYTHING),
  row("nullable object", { type: "object", nullable: true }, null, {}, "a"),
  row("int-or-string", { "x-kubernetes-int-or-string": true }, ...ANYTHING),
  row(
    "int-or-string with rules",
    {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
      pattern: "^[0-9]+%$",
      maximum: 10,
    },
    ...ANYTHING,
    "50%",
    11,
  ),
  row("preserved", { "x-kubernetes-preserve-unknown-fields": true }, ...ANYTHING),
];

const numbers: readonly Row[] = [
  row("int32", { type: "integer", format: "int32" }, ...ANYTHING, 2147483647, -2147483649),
  row("int64", { type: "integer", format: "int64" }, 1, 2 ** 62, 1e30, 1.5),
  row("unknown integer format", { type: "integer", format: "foo" }, 1, "a", 1.5),
  row("float", { type: "number", format: "float" }, 1, 1.5, 3.5e38, 1e39, -1e39, "a"),
  row("double", { type: "number", format: "double" }, 1, 1.5, 1e300),
  row("integer bounds", { type: "integer", minimum: 1, maximum: 5 }, 0, 1, 5, 6, 1.5),
  row(
    "exclusive bounds",
    { type: "integer", minimum: 1, maximum: 5, exclusiveMinimum: true, exclusiveMaximum: true },
    1,
    2,
    5,
  ),
  row("fractional bounds of an integer", { type: "integer", minimum: 1.5, maximum: 5.5 }, 1, 2, 5, 6),
  row("number bounds", { type: "number", minimum: 0.5, maximum: 2.5 }, 0, 0.4, 0.5, 1, 2, 2.5, 2.6, 3, 1000000.5),
  row("large bounds", { type: "number", minimum: 1000000.5, maximum: 123456789012 }, 0, 0.5, 1e30, 123456789013),
  row("bounds beyond the format", { type: "integer", format: "int32", minimum: 0, maximum: 5000000000 }, 1, 6e9),
  row("multiple of an integer", { type: "integer", multipleOf: 3 }, 0, 3, 4, -3, -4),
  row("multiple of a fraction", { type: "number", multipleOf: 0.5 }, 0, 1, 1.5, 1.25, 0.3),
  row("multiple of a mixed number", { type: "number", multipleOf: 2.5 }, 5, 2.5, 3, 7.5, 1.25, 5.5),
];

const texts: readonly Row[] = [
  row(
    "lengths",
    { type: "string", minLength: 2, maxLength: 3 },
    "",
    "a",
    "ab",
    "abc",
    "abcd",
    "héé",
    "😀😀😀",
    "😀😀😀😀",
    "😀",
  ),
  row("length of one", { type: "string", maxLength: 1 }, "ab"),
  row("pattern", { type: "string", pattern: "^a+$" }, "", "aa", "b", "aa\n", 'a"\\\u0001\u00a0é😀\u200b'),
  row("pattern anywhere, and length", { type: "string", pattern: "b", minLength: 3 }, "a", "abc", "aaa"),
  row("pattern of Go", { type: "string", pattern: "^(?i)[[:alpha:]]+\\z" }, "abC", "ab1"),
  row("enum", { type: "string", enum: ["a", "b"] }, "a", "c", 1, null),
  row("enum with null", { type: "string", nullable: true, enum: ["a", null] }, "a", "c", null),
  row("enum of numbers", { type: "number", enum: [1, 2.5] }, 1, 1.5, 2.5, 2, 3),
  row("enum of integers", { type: "integer", enum: [1, 2] }, 1, 3, "1"),
  row(
    "enum of objects",
    { type: "object", "x-kubernetes-preserve-unknown-fields": true, enum: [{ a: 1 }] },
    { a: 1 },
    { a: 2 },
  ),
  row("enum of lists", { type: "array", items: { type: "integer" }, enum: [[1, 2]] }, [1, 2], [2, 1]),
  row("enum of booleans", { type: "boolean", enum: [true] }, true, false),
];

const collections: readonly Row[] = [
  row(
    "items",
    { type: "array", items: { type: "string", minLength: 1 }, minItems: 1, maxItems: 2 },
    [],
    ["a"],
    ["a", "b", "c"],
    ["", "", ""],
    [1],
    [null],
  ),
  row("one item", { type: "array", items: TEXT, maxItems: 1 }, ["a", "b"]),
  row(
    "map",
    { type: "object", additionalProperties: { type: "string", minLength: 1 }, minProperties: 1, maxProperties: 2 },
    {},
    { a: "" },
    { a: "x", b: "y", c: "z" },
    { "a.b/c": "" },
    { a: null },
  ),
  row(
    "required",
    {
      type: "object",
      properties: { a: TEXT, b: { type: "integer", default: 5 } },
      required: ["a", "b"],
    },
    {},
    { a: "x" },
    { a: null },
    { b: null, a: "" },
  ),
  row(
    "map of lists",
    { type: "object", additionalProperties: { type: "array", items: { type: "integer", minimum: 5 } } },
    {
      "x.y": [1, 7],
    },
  ),
  row("names with dots", { type: "object", properties: { "a.b": { type: "string", minLength: 1 } } }, { "a.b": "" }),
  row(
    "names of Object",
    { type: "object", additionalProperties: { type: "integer" } },
    JSON.parse('{"__proto__": "x", "constructor": 5, "toString": 1}'),
  ),
  row("unknown __proto__", { type: "object", properties: { a: TEXT } }, JSON.parse('{"__proto__": {"a": 1}}')),
];

const junctors: readonly Row[] = [
  row(
    "all junctors",
    {
      type: "object",
      properties: { a: TEXT, b: { type: "integer" }, c: TEXT },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
      anyOf: [{ required: ["a"] }, { required: ["c"] }],
      allOf: [{ properties: { a: { minLength: 2 } } }, { properties: { b: { minimum: 3 } } }],
      not: { required: ["a", "c"] },
    },
    {},
    { a: "x" },
    { a: "xx" },
    { b: 1 },
    { b: 5, c: "x" },
    { a: "xx", b: 5 },
    { a: "xx", c: "y" },
    { a: "x", b: 1, c: "" },
  ),
  row(
    "anyOf and not",
    { type: "string", anyOf: [{ pattern: "^a" }, { minLength: 5 }], not: { enum: ["abc"] } },
    "a",
    "abc",
    "b",
    "bbbbb",
  ),
  row("allOf", { type: "string", allOf: [{ pattern: "^a" }, { minLength: 5 }] }, "b", "aaaaa", "a"),
  row(
    "oneOf of formats",
    { type: "string", oneOf: [{ format: "ipv4" }, { format: "ipv6" }] },
    "1.2.3.4",
    "::1",
    "x",
    1,
    true,
  ),
  row("oneOf that overlaps", { type: "integer", oneOf: [{ minimum: 5 }, { maximum: 10 }] }, 1, 7, 12, "a"),
];

const keyed: Schema = {
  type: "array",
  items: {
    type: "object",
    properties: { k: TEXT, p: { type: "integer", default: 0 }, v: TEXT },
    required: ["k"],
  },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
};

const listTypes: readonly Row[] = [
  row("set", { type: "array", items: TEXT, "x-kubernetes-list-type": "set" }, ["a", "a", "a"], ["a", "b"], [1, 1]),
  row("set of integers", { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" }, [1, 1, 2, 2]),
  row(
    "set of objects",
    {
      type: "array",
      items: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: TEXT } },
      "x-kubernetes-list-type": "set",
    },
    [{ a: "x" }, { a: "x" }],
    [{}, {}],
  ),
  row(
    "list map",
    keyed,
    [{ k: "a" }, { k: "a", v: "x" }, { k: "b" }],
    [{ k: "a" }, {}],
    [{}, {}],
    [null, { k: "a" }],
    ["x"],
  ),
  row(
    "list map of two keys",
    { ...keyed, "x-kubernetes-list-map-keys": ["k", "p"] },
    [
      { k: "a", p: 1 },
      { k: "a", p: 1 },
    ],
    [
      { k: "a", p: 1 },
      { k: "a", p: 2 },
    ],
    [{ k: "a" }, { k: "a" }],
  ),
  row("list map in a map", { type: "object", additionalProperties: keyed }, { x: [{ k: "a" }, { k: "a" }] }),
];

const embedded: Schema = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
  properties: { spec: { type: "object", properties: { a: TEXT } } },
};

const structure: readonly Row[] = [
  row(
    "embedded resource",
    embedded,
    {},
    { apiVersion: "v1", kind: "Pod" },
    { apiVersion: "", kind: "" },
    { apiVersion: "a/b/c", kind: "1Pod" },
    { apiVersion: 1, kind: "Pod" },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "a/b",
        labels: { "": "x" },
        foo: 1,
        creationTimestamp: null,
        generateName: "x%",
        namespace: "A",
      },
      spec: { a: "x", b: 1 },
      other: { x: 1 },
    },
    { apiVersion: "v1", kind: "Pod", metadata: 5 },
    { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: 1 } } },
  ),
  row(
    "defaults",
    {
      type: "object",
      properties: {
        a: { type: "string", default: "x" },
        o: {
          type: "object",
          default: {},
          properties: {
            d: { type: "integer", default: 7 },
            e: { type: "array", items: { type: "object", properties: { f: { type: "string", default: "F" } } } },
          },
        },
        n: { type: "string", nullable: true, default: "N" },
        m: {
          type: "object",
          additionalProperties: { type: "object", properties: { z: { type: "string", default: "Z" } } },
        },
        l: { type: "array", items: { type: "string", default: "L" } },
      },
    },
    {},
    { a: null, n: null, o: null, m: { q: {}, r: null } },
    { o: { e: [{}, { f: "g" }] } },
    { l: ["a", null] },
    { unknown: 1, o: { unknown: { deep: 1 }, e: [{ unknown: 2 }] } },
  ),
  row(
    "preserved with known properties",
    {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: {
        known: { type: "object", properties: { a: TEXT } },
        list: {
          type: "array",
          "x-kubernetes-preserve-unknown-fields": true,
          items: { type: "object", properties: { a: { type: "object", properties: { b: TEXT } } } },
        },
      },
    },
    { x: { y: 1 }, known: { a: "x", z: 1 }, list: [{ q: 1, a: { b: "x", c: 1 } }] },
  ),
  row("map of anything", { type: "object", additionalProperties: true }, { a: { b: 1 }, c: 1, d: [{ e: 1 }] }),
  row("nothing known", { type: "object" }, { a: { b: 1 }, c: 1 }),
];

/** Every keyword, list type, default and pruning case, outside formats and rules. */
export const valueRows: readonly Row[] = [
  ...types,
  ...numbers,
  ...texts,
  ...collections,
  ...junctors,
  ...listTypes,
  ...structure,
];
