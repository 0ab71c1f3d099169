// SPDX-License-Identifier: Apache-2.0
import { configMap } from "./built-in.ts";
import type { Sequence, Step } from "./sequence.ts";
import { applies, creates } from "./steps.ts";
import { thing } from "./thing.ts";

const start = creates("u", { text: "x", items: [{ name: "n" }], set: ["s"] });

const table: readonly (readonly [string, ...Step[]])[] = [
  ["apply of a field nobody declared", applies("a", { unknown: 1 }), start, applies("a", { struct: { unknown: 1 } })],
  ["apply of a text for a number", applies("a", { number: "x" })],
  ["apply of a number for a text", applies("a", { text: 10000000 })],
  ["apply of a text for a boolean", applies("a", { flag: "yes" })],
  ["apply of a list for a map", applies("a", { map: ["a", 1] })],
  ["apply of a map for a list", applies("a", { set: { a: 1, b: [true, null] } })],
  ["apply of a text for a struct", applies("a", { struct: { b: "x" } })],
  ["apply of a map for a date", applies("a", { when: { a: 1.5 } })],
  ["apply of an item twice", applies("a", { items: [{ name: "n" }, { name: "n" }] })],
  ["apply of a set's item twice", applies("a", { set: ["s", "s"] })],
  ["apply of a number twice", applies("a", { numbers: [10000000, 10000000] })],
  ["apply of an item without its key", applies("a", { items: [{ value: "v" }] })],
  ["apply of an item without any of two keys", applies("a", { ports: [{ name: "n" }] })],
  ["apply of null in a set", applies("a", { set: [null] })],
  ["apply of null in a keyed list", applies("a", { items: [null] })],
  ["apply of a text in a keyed list", applies("a", { items: ["n"] })],
  ["apply of a map in a set", applies("a", { set: [{}] })],
  ["apply of a list in a set", applies("a", { set: [[]] })],
  ["apply of a wrong type deep inside", applies("a", { items: [{ name: "n", parts: [{ id: 1, size: "x" }] }] })],
  ["apply of a wrong type in an atomic list", applies("a", { atomicList: ["a", 1] })],
  [
    "apply with managedFields",
    { by: "a", apply: { metadata: { managedFields: [] } } },
    start,
    { by: "a", apply: { metadata: { managedFields: [{}] } } },
  ],
  [
    "apply with managedFields that are null",
    { by: "a", apply: { metadata: { managedFields: null }, spec: { text: "x" } } },
  ],
  ["apply with metadata of the wrong type", { by: "a", apply: { metadata: { labels: { a: 1 } } } }],
  [
    "json patch that is no list",
    start,
    { by: "v", json: { op: "add" } },
    { by: "v", json: "x" },
    { by: "v", json: [1] },
    { by: "v", json: null },
  ],
  [
    "json patch with malformed operations",
    start,
    { by: "v", json: [null] },
    { by: "v", json: [{}] },
    { by: "v", json: [{ op: 1, path: "/spec" }] },
    { by: "v", json: [{ op: "add", path: ["spec"] }] },
    { by: "v", json: [{ op: "copy", path: "/spec", from: {} }] },
  ],
  [
    "json patch that does not fit",
    start,
    { by: "v", json: [{ op: "test", path: "/spec/text", value: "y" }] },
    { by: "v", json: [{ op: "remove", path: "/spec/nothing" }] },
    { by: "v", json: [{ op: "add", path: "/nothing/below", value: 1 }] },
    { by: "v", json: [{ op: "add", path: "/spec/set/5", value: "x" }] },
    { by: "v", json: [{ op: "frob", path: "/spec" }] },
  ],
  [
    "json patch of indexes",
    start,
    {
      by: "v",
      json: [
        { op: "add", path: "/spec/set/-", value: "y" },
        { op: "add", path: "/spec/set/0", value: "z" },
        { op: "add", path: "/spec/set/-1", value: "w" },
      ],
    },
    {
      by: "v",
      json: [
        { op: "replace", path: "/spec/set/-1", value: "v" },
        { op: "remove", path: "/spec/set/+1" },
      ],
    },
    { by: "v", json: [{ op: "replace", path: "/spec/set/x", value: "v" }] },
    { by: "v", json: [{ op: "replace", path: "/spec/set/-", value: "v" }] },
    { by: "v", json: [{ op: "remove", path: "/spec/set/-9" }] },
  ],
  [
    "json patch through scalars",
    start,
    { by: "v", json: [{ op: "add", path: "/spec/text/x", value: 1 }] },
    { by: "v", json: [{ op: "test", path: "/spec/text/x", value: null }] },
    { by: "v", json: [{ op: "test", path: "/spec/nothing", value: null }] },
    { by: "v", json: [{ op: "test", path: "/spec/nothing" }] },
  ],
  [
    "json patch of the root",
    start,
    { by: "v", json: [{ op: "replace", path: "", value: [] }] },
    { by: "v", json: [{ op: "replace", path: "", value: "x" }] },
    { by: "v", json: [{ op: "add", path: "", value: {} }] },
    { by: "v", json: [{ op: "remove", path: "" }] },
  ],
  [
    "json patch with too many operations",
    start,
    { by: "v", json: Array.from({ length: 10_001 }, () => ({ op: "test", path: "/spec/text", value: "x" })) },
  ],
  [
    "merge patch that is no object",
    start,
    { by: "v", merge: [] },
    { by: "v", merge: null },
    { by: "v", merge: "x" },
    { by: "v", merge: 1 },
    { by: "v", merge: true },
  ],
  [
    "merge patch of nulls in lists",
    start,
    { by: "v", merge: { spec: { open: { list: [{ a: null, b: 1 }, null], map: { c: null } } } } },
    { by: "v", merge: { spec: { open: { map: [{ a: null }] } } } },
    { by: "v", merge: { spec: { open: { list: { a: null } } } } },
  ],
];

const builtIn: readonly (readonly [string, ...Step[]])[] = [
  [
    "strategic patch that is no object",
    { by: "u", create: { data: { a: "1" } } },
    { by: "v", strategic: [] },
    { by: "v", strategic: "x" },
    { by: "v", strategic: null },
  ],
  [
    "strategic patch with an unknown directive",
    { by: "u", create: { data: { a: "1" } } },
    { by: "v", strategic: { data: { $patch: "frob", a: 10000000, b: [1.5, null] } } },
    { by: "v", strategic: { $patch: 1 } },
  ],
  [
    "strategic patch with malformed directives",
    { by: "u", create: { metadata: { finalizers: ["example.com/f"] }, data: { a: "1" } } },
    { by: "v", strategic: { data: { $retainKeys: ["b"], a: "2" } } },
    { by: "v", strategic: { data: { $retainKeys: "a" } } },
    { by: "v", strategic: { metadata: { $setElementOrder: [] } } },
    { by: "v", strategic: { metadata: { $deleteFromPrimitiveList: [] } } },
    { by: "v", strategic: { metadata: { "$setElementOrder/finalizers": "x" } } },
    { by: "v", strategic: { "$setElementOrder/foo": ["x"] } },
    { by: "v", strategic: { metadata: { "$setElementOrder/foo": ["x"] } } },
    { by: "v", strategic: { metadata: { finalizers: [1] } } },
    {
      by: "v",
      strategic: {
        metadata: {
          finalizers: ["example.com/b", "example.com/a"],
          "$setElementOrder/finalizers": ["example.com/a", "example.com/b"],
        },
      },
    },
  ],
  [
    "strategic patch of a list of lists",
    { by: "u", create: { metadata: { finalizers: ["example.com/f"] } } },
    { by: "v", strategic: { metadata: { finalizers: [["x"]] } } },
  ],
  [
    "apply of other types",
    { by: "a", apply: { data: { a: 1 } } },
    { by: "a", apply: { data: [] } },
    { by: "a", apply: { unknown: 1 } },
    { by: "a", apply: { binaryData: "x" } },
  ],
];

export const refusedSequences: readonly Sequence[] = [
  ...table.map(([name, ...steps]) => ({ name, subject: thing, steps })),
  ...builtIn.map(([name, ...steps]) => ({ name, subject: configMap, steps })),
];
