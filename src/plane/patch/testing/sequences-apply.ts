// SPDX-License-Identifier: Apache-2.0
import type { Sequence, Step } from "./sequence.ts";
import { applies, creates, forces, merges, updates, updatesNothing } from "./steps.ts";
import { bare, thing } from "./thing.ts";

const table: readonly (readonly [string, ...Step[]])[] = [
  ["apply creates", applies("a", { text: "x", map: { k: "v" }, set: ["s"], items: [{ name: "n", value: "v" }] })],
  ["apply of the same again changes nothing", applies("a", { text: "x" }), applies("a", { text: "x" })],
  ["apply of an empty spec", applies("a", {}), applies("a", { text: "x" }), applies("a", {})],
  ["a field that is no longer applied goes", applies("a", { text: "x", number: 1 }), applies("a", { number: 1 })],
  ["the last field goes", applies("a", { text: "x" }), { by: "a", apply: {} }],
  [
    "a map key goes",
    applies("a", { map: { k: "v", l: "w" } }),
    applies("a", { map: { l: "w" } }),
    applies("a", { map: {} }),
  ],
  ["a whole map goes", applies("a", { text: "t", map: { k: "v" } }), applies("a", { text: "t" })],
  [
    "a map key that another owns too stays",
    applies("a", { map: { k: "v", l: "w" } }),
    applies("b", { map: { k: "v" } }),
    applies("a", { text: "x" }),
  ],
  [
    "equal values are owned together until one lets go",
    applies("a", { text: "x" }),
    applies("b", { text: "x" }),
    applies("a", { number: 1 }),
    applies("b", { number: 1 }),
  ],
  ["one conflict", applies("a", { text: "x" }), applies("b", { text: "y" })],
  [
    "one conflict, forced",
    applies("a", { text: "x", number: 1 }),
    forces("b", { text: "y" }),
    applies("a", { number: 1 }),
  ],
  ["forced from the only owner", applies("a", { text: "x" }), forces("b", { text: "y" })],
  [
    "several conflicts with several managers",
    applies("a", { text: "x", items: [{ name: "n", value: "v" }] }),
    { by: "b", merge: { spec: { number: 1, map: { "dotted.key/x": "v" } } } },
    applies("c", { text: "y", number: 2, map: { "dotted.key/x": "w" }, items: [{ name: "n", value: "w" }] }),
    forces("c", { text: "y", number: 2, map: { "dotted.key/x": "w" }, items: [{ name: "n", value: "w" }] }),
  ],
  ["conflict with an updater", creates("u", { text: "x" }), applies("a", { text: "y" }), forces("a", { text: "y" })],
  ["apply after update of the same values", creates("u", { text: "x", map: { k: "v" } }), applies("a", { text: "x" })],
  [
    "what the updater added to an applied map stays",
    applies("a", { map: { k: "v" } }),
    merges("u", { map: { l: "w" } }),
    applies("a", { text: "x" }),
    applies("a", {}),
  ],
  [
    "what the updater changed is no longer removed",
    applies("a", { text: "x", number: 1 }),
    updates("u", { text: "y" }),
    applies("a", { number: 1 }),
  ],
  [
    "what the updater removed may come back",
    applies("a", { text: "x", number: 1 }),
    merges("u", { text: null }),
    applies("a", { text: "x", number: 1 }),
  ],
  [
    "list items by key",
    applies("a", { items: [{ name: "a", value: "1" }, { name: "b" }] }),
    applies("b", { items: [{ name: "c" }, { name: "a", value: "1" }] }),
    applies("a", { items: [{ name: "b" }] }),
  ],
  [
    "the order of merged items",
    applies("a", { items: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }] }),
    applies("b", { items: [{ name: "d" }, { name: "x" }, { name: "b" }] }),
    applies("c", { items: [{ name: "y" }, { name: "c" }, { name: "a" }, { name: "z" }] }),
    applies("b", { items: [{ name: "b" }, { name: "d" }] }),
  ],
  [
    "the order of merged sets",
    applies("a", { set: ["a", "b", "c"] }),
    applies("b", { set: ["c", "x", "a"] }),
    applies("c", { set: ["z", "b"] }),
    applies("a", { set: ["c"] }),
    applies("b", { set: [] }),
  ],
  [
    "fields of an item of others",
    applies("a", { items: [{ name: "n", value: "v", tags: ["t"] }] }),
    applies("b", { items: [{ name: "n", tags: ["u"], settings: { k: "v" } }] }),
    applies("a", { items: [{ name: "n" }] }),
    applies("a", {}),
    applies("b", { items: [{ name: "n", parts: [{ id: 1, size: 2 }] }] }),
  ],
  [
    "nested keyed lists",
    applies("a", { items: [{ name: "n", parts: [{ id: 1, size: 1 }, { id: 2 }] }] }),
    applies("b", { items: [{ name: "n", parts: [{ id: 1, size: 2 }] }] }),
    forces("b", { items: [{ name: "n", parts: [{ id: 1, size: 2 }] }] }),
    applies("a", { items: [{ name: "n", parts: [{ id: 2 }] }] }),
  ],
  [
    "keys with a default",
    applies("a", { ports: [{ port: 80 }, { port: 80, protocol: "UDP" }] }),
    applies("b", { ports: [{ port: 80, protocol: "TCP", name: "http" }] }),
    applies("c", { ports: [{ port: 80, name: "web" }] }),
    applies("a", { ports: [{ port: 80, protocol: "UDP" }] }),
    applies("b", {}),
  ],
  [
    "atomic lists",
    applies("a", { atomicList: ["a", "b"] }),
    applies("b", { atomicList: ["a"] }),
    forces("b", { atomicList: ["a"] }),
    applies("b", {}),
  ],
  [
    "atomic lists, equal",
    applies("a", { atomicList: ["a", "b"] }),
    applies("b", { atomicList: ["a", "b"] }),
    applies("a", {}),
    applies("b", {}),
  ],
  [
    "atomic maps",
    applies("a", { atomicMap: { a: "1" } }),
    applies("b", { atomicMap: { b: "1" } }),
    forces("b", { atomicMap: { b: "1" } }),
  ],
  [
    "atomic structs",
    applies("a", { atomicStruct: { a: "1" } }),
    merges("u", { atomicStruct: { b: "1" } }),
    applies("a", { atomicStruct: { a: "2" } }),
    forces("a", { atomicStruct: {} }),
  ],
  [
    "atomic lists of objects",
    applies("a", { atomicObjects: [{ a: "1" }] }),
    merges("u", { atomicObjects: [{ a: "1", b: "2" }] }),
    applies("a", { atomicObjects: [{ a: "1" }] }),
  ],
  [
    "structs",
    applies("a", { struct: { a: "1", b: { c: "2", d: 3 } } }),
    applies("b", { struct: { b: { c: "2" } } }),
    applies("a", { struct: {} }),
    applies("b", { struct: { b: {} } }),
    applies("b", {}),
  ],
  [
    "maps of structs",
    applies("a", { maps: { x: { a: "1" }, y: { b: "2" } } }),
    applies("b", { maps: { x: { b: "3" } } }),
    applies("a", { maps: { y: {} } }),
    applies("a", { maps: {} }),
  ],
  [
    "maps of sets",
    applies("a", { lists: { x: ["1", "2"], y: [] } }),
    applies("b", { lists: { x: ["3"] } }),
    applies("a", { lists: { x: ["2"] } }),
    applies("a", {}),
  ],
  [
    "unknown fields of open structs",
    applies("a", { open: { a: 1, b: { c: [1, 2], d: {} } } }),
    applies("b", { open: { b: { e: "x" }, a: 1 } }),
    applies("a", { open: { b: { c: [2] } } }),
    applies("b", { open: {} }),
  ],
  [
    "open values that change their kind",
    applies("a", { open: { a: "x", b: { c: 1 }, d: [1] } }),
    forces("b", { open: { a: { x: 1 }, b: "y", d: { z: 1 } } }),
    forces("a", { open: { a: [1], b: null, d: "x" } }),
  ],
  [
    "lists in open structs",
    applies("a", { openStruct: { items: [{ name: "a" }], x: [{ name: "a" }], a: "1" } }),
    applies("b", { openStruct: { items: [{ name: "b", more: { k: 1 } }], a: "1" } }),
    applies("a", { openStruct: { a: "1" } }),
  ],
  [
    "embedded objects",
    applies("a", {
      embedded: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "x", labels: { a: "b" }, finalizers: ["example.com/f"] },
        spec: { a: 1 },
      },
    }),
    applies("b", { embedded: { apiVersion: "v1", kind: "Pod", metadata: { labels: { c: "d" } } } }),
    applies("a", { embedded: { apiVersion: "v1", kind: "Pod", spec: { b: 1 } } }),
  ],
  [
    "int or string",
    applies("a", { intOrString: 1 }),
    applies("b", { intOrString: "1" }),
    forces("b", { intOrString: "10%" }),
    applies("b", {}),
  ],
  [
    "null of a nullable field",
    applies("a", { nullable: null, text: "x" }),
    applies("b", { nullable: "y" }),
    forces("b", { nullable: "y" }),
    forces("a", { nullable: null }),
  ],
  [
    "null where none may be",
    applies("a", { text: null, map: null, set: null, items: null, struct: null, number: 1 }),
    applies("a", { number: 1 }),
  ],
  [
    "null over values",
    creates("u", { text: "x", map: { a: "b" }, set: ["s"], struct: { a: "1" } }),
    forces("a", { text: null, map: null, set: null, struct: null }),
  ],
  [
    "empty lists and maps",
    applies("a", { map: {}, set: [], items: [], atomicList: [], atomicMap: {}, struct: {}, open: {} }),
    applies("b", { map: { a: "b" }, set: ["s"] }),
    applies("a", { map: {}, set: [] }),
  ],
  [
    "numbers in sets",
    applies("a", { numbers: [10, 9, 100] }),
    applies("b", { numbers: [9, 1] }),
    applies("a", { numbers: [100] }),
  ],
  [
    "large numbers in keys",
    applies("a", {
      items: [
        {
          name: "n",
          parts: [
            { id: 10000000, size: 1 },
            { id: 2, size: 1 },
          ],
        },
      ],
    }),
    applies("b", {
      items: [
        {
          name: "n",
          parts: [
            { id: 10000000, size: 2 },
            { id: 2, size: 2 },
          ],
        },
      ],
    }),
  ],
  [
    "decimals and large numbers",
    applies("a", { decimal: 1.5, number: 12345678901 }),
    applies("b", { decimal: 2, number: 1 }),
  ],
  [
    "a default that is applied is owned",
    applies("a", { defaulted: "standard" }),
    applies("b", { defaulted: "other" }),
    applies("a", {}),
  ],
  [
    "a default that was not applied is nobody's",
    applies("a", { text: "x" }),
    applies("b", { defaulted: "other" }),
    applies("b", {}),
  ],
  [
    "metadata",
    {
      by: "a",
      apply: { metadata: { labels: { a: "1", b: "2" }, annotations: { c: "3" }, finalizers: ["example.com/f"] } },
    },
    { by: "b", apply: { metadata: { labels: { a: "2" }, finalizers: ["example.com/g"] } } },
    { by: "b", apply: { metadata: { labels: { b: "2" }, finalizers: ["example.com/g"] } } },
    { by: "a", apply: { metadata: { labels: {} } } },
  ],
  [
    "owner references",
    {
      by: "a",
      apply: { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "u1" }] } },
    },
    {
      by: "b",
      apply: { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "y", uid: "u2" }] } },
    },
    {
      by: "b",
      apply: {
        metadata: {
          ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "u1", controller: true }],
        },
      },
    },
    { by: "a", apply: {} },
  ],
  ["status in an apply of the object is nobody's", { by: "a", apply: { spec: { text: "x" }, status: { phase: "P" } } }],
  [
    "one manager applies and updates",
    applies("a", { text: "x" }),
    merges("a", { number: 1 }),
    applies("a", { text: "y" }),
    applies("a", { number: 2 }),
  ],
  [
    "an update takes from the same manager's apply",
    applies("a", { text: "x", number: 1 }),
    updates("a", { text: "y" }),
    applies("a", { text: "z", number: 1 }),
  ],
  [
    "fields that look like FieldsV1",
    applies("a", { map: { "f:x": "1", ".": "2", "k:{}": "3", "": "4" } }),
    applies("b", { map: { ".": "3" } }),
  ],
  [
    "nothing tracked before the first apply",
    creates("u", { text: "x", map: { k: "v" } }),
    { by: "u", merge: { metadata: { managedFields: [{}] } } },
    merges("u", { number: 1 }),
    applies("a", { text: "y" }),
    forces("a", { text: "y" }),
    applies("a", { text: "y", map: { k: "v" } }),
  ],
  ["no change in between", applies("a", { text: "x" }), updatesNothing("u"), applies("a", { text: "x" })],
  ["apply in another order of keys", applies("a", { text: "x", number: 1 }), applies("a", { number: 1, text: "x" })],
  [
    "items in another order",
    applies("a", { items: [{ name: "a" }, { name: "b" }], set: ["x", "y"] }),
    applies("a", { items: [{ name: "b" }, { name: "a" }], set: ["y", "x"] }),
  ],
  [
    "an item with key fields only",
    applies("a", { items: [{ name: "a", value: "1" }] }),
    applies("b", { items: [{ name: "a" }] }),
    applies("a", {}),
    applies("b", {}),
  ],
];

const schemaless: readonly (readonly [string, ...Step[]])[] = [
  [
    "without a schema everything is deduced",
    { by: "a", apply: { spec: { a: 1, list: [{ name: "x" }], map: { k: "v" } }, other: "top" } },
    { by: "b", apply: { spec: { list: [{ name: "y" }] }, status: { phase: "P" } } },
    { by: "b", apply: { spec: { map: { l: "w" } }, status: { phase: "P" } } },
    { by: "a", apply: { spec: { a: 1 } } },
  ],
  [
    "without a schema, by updates",
    { by: "u", create: { spec: { a: [1], b: { c: "d" } }, status: { x: 1 } } },
    { by: "v", merge: { spec: { a: [1, 2], b: null }, status: { y: null, z: 2 } } },
    { by: "a", apply: { spec: { a: [1, 2] } } },
    { by: "v", json: [{ op: "replace", path: "/spec", value: "text" }] },
  ],
];

export const applySequences: readonly Sequence[] = [
  ...table.map(([name, ...steps]) => ({ name, subject: thing, steps })),
  ...schemaless.map(([name, ...steps]) => ({ name, subject: bare, steps })),
];
