// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../json-object.ts";
import type { Sequence, Step } from "./sequence.ts";
import {
  applies,
  appliesStatus,
  creates,
  merges,
  setsStatus,
  updates,
  updatesMetadata,
  updatesNothing,
} from "./steps.ts";
import { thing } from "./thing.ts";

/** An entry of managedFields as a client might send it. */
function entry(manager: string, fieldsV1: JsonObject) {
  const { apiVersion } = thing;
  return { manager, operation: "Update", apiVersion, fieldsType: "FieldsV1", time: "2020-01-01T00:00:00Z", fieldsV1 };
}

const twelve = Array.from({ length: 12 }, (_, index) => merges(`m${index}`, { map: { [`k${index}`]: "v" } }));

const table: readonly (readonly [string, ...Step[]])[] = [
  [
    "create owns everything",
    creates("u", {
      text: "x",
      map: { k: "v" },
      items: [{ name: "n", tags: ["t"] }],
      set: ["s"],
      atomicList: ["l"],
      struct: { b: { c: "d" } },
    }),
  ],
  ["an update that changes nothing", creates("u", { text: "x" }), updatesNothing("v"), merges("v", { text: "x" })],
  [
    "changed fields change hands",
    creates("u", { text: "x", number: 1 }),
    updates("v", { text: "y" }),
    updates("u", { number: 2 }),
  ],
  [
    "removed fields are nobody's",
    creates("u", { text: "x", number: 1 }),
    merges("v", { text: null }),
    merges("v", { number: null }),
  ],
  [
    "added fields",
    creates("u", { text: "x" }),
    merges("v", { map: { k: "v" }, struct: { a: "1" } }),
    merges("w", { struct: { b: { c: "2" } } }),
  ],
  [
    "a map that empties",
    creates("u", { map: { k: "v" } }),
    merges("v", { map: { k: null } }),
    merges("w", { map: { l: "w" } }),
  ],
  [
    "items come, change and go",
    creates("u", { items: [{ name: "a", value: "1" }, { name: "b" }] }),
    updates("v", { items: [{ name: "b", value: "2" }, { name: "c" }] }),
    updates("w", { items: [{ name: "c", tags: ["t"] }] }),
    updates("u", { items: [] }),
  ],
  ["sets", creates("u", { set: ["a", "b"] }), updates("v", { set: ["b", "c"] }), updates("w", { set: ["c", "b"] })],
  [
    "atomic lists and maps",
    creates("u", { atomicList: ["a"], atomicMap: { a: "1" }, atomicStruct: { a: "1" } }),
    updates("v", { atomicList: ["a", "b"] }),
    merges("w", { atomicMap: { b: "2" }, atomicStruct: { b: "2" } }),
  ],
  [
    "several writes of one manager",
    creates("u", { text: "x" }),
    merges("v", { number: 1 }),
    merges("v", { map: { k: "v" } }),
    merges("v", { number: 2 }),
  ],
  ["a manager that loses everything is gone", creates("u", { text: "x" }), updates("v", { text: "y" })],
  ["no manager's name", creates("", { text: "x" }), merges("", { text: "y" })],
  [
    "more than ten updaters",
    creates("u", { text: "x" }),
    ...twelve.slice(0, 11),
    merges("m3", { map: { k3: "w" } }),
    ...twelve.slice(11),
  ],
  [
    "status by its own path",
    creates("u", { text: "x" }),
    setsStatus("v", { phase: "P", conditions: [{ type: "Ready", status: "True" }] }),
    setsStatus("v", { phase: "P", conditions: [{ type: "Ready", status: "False" }, { type: "Other" }] }),
    updates("w", { text: "y" }),
  ],
  [
    "status by the object's path",
    creates("u", { text: "x" }),
    { by: "v", merge: { status: { phase: "P" }, spec: { number: 1 } } },
    { by: "v", merge: { status: { phase: "P" } } },
  ],
  [
    "the object by status' path",
    creates("u", { text: "x" }),
    {
      by: "v",
      subresource: "status",
      merge: { spec: { text: "y" }, metadata: { labels: { a: "b" } }, status: { phase: "P" } },
    },
    { by: "v", subresource: "status", merge: { spec: { text: "y" } } },
  ],
  ["a create with a status", { by: "u", create: { spec: { text: "x" }, status: { phase: "P" } } }],
  [
    "status by apply",
    creates("u", { text: "x" }),
    appliesStatus("a", { phase: "P", conditions: [{ type: "Ready", status: "True" }] }),
    appliesStatus("b", {
      phase: "Q",
      conditions: [
        { type: "Ready", status: "True" },
        { type: "Other", status: "True" },
      ],
    }),
    setsStatus("c", { phase: "R", conditions: [{ type: "Other", status: "True" }] }),
    appliesStatus("a", { conditions: [{ type: "Ready", status: "True" }] }),
  ],
  [
    "status by apply conflicts with its own path's writers",
    applies("a", { text: "x" }),
    setsStatus("v", { phase: "P" }),
    appliesStatus("b", { phase: "Q" }),
    { by: "b", subresource: "status", apply: { status: { phase: "Q" } }, force: true },
    appliesStatus("b", { counts: { x: 1 } }),
  ],
  [
    "spec in an apply of status",
    creates("u", { text: "x" }),
    {
      by: "a",
      subresource: "status",
      apply: { spec: { text: "y" }, metadata: { labels: { a: "b" } }, status: { phase: "P" } },
    },
  ],
  [
    "managedFields that a client sets",
    creates("u", { text: "x", number: 1 }),
    updatesMetadata("v", { managedFields: [entry("z", { "f:spec": { "f:text": {} } })] }),
    merges("v", { number: 2 }),
  ],
  [
    "managedFields that a client leaves out",
    creates("u", { text: "x" }),
    updatesMetadata("v", { managedFields: undefined }),
    updatesMetadata("v", { managedFields: null }),
  ],
  [
    "an empty list forgets all managers",
    creates("u", { text: "x" }),
    updatesMetadata("v", { managedFields: [] }),
    merges("v", { number: 1 }),
  ],
  [
    "one empty entry forgets all managers",
    applies("a", { text: "x" }),
    updatesMetadata("v", { managedFields: [{}] }),
    merges("v", { number: 1 }),
    applies("a", { text: "x" }),
  ],
  [
    "managedFields without an operation",
    creates("u", { text: "x" }),
    updatesMetadata("v", { managedFields: [{ ...entry("z", {}), operation: "Other" }] }),
  ],
  [
    "managedFields of no version",
    creates("u", { text: "x" }),
    updatesMetadata("v", { managedFields: [{ ...entry("z", { "f:spec": {} }), apiVersion: "" }] }),
  ],
  [
    "managedFields of another type",
    creates("u", { text: "x" }),
    updatesMetadata("v", { managedFields: [{ ...entry("z", { "f:spec": {} }), fieldsType: "FieldsV2" }] }),
  ],
  [
    "managedFields with a malformed step",
    creates("u", { text: "x" }),
    updatesMetadata("v", { managedFields: [entry("z", { "f:spec": { nonsense: {} } })] }),
    updatesMetadata("v", { managedFields: [entry("z", { "k:{": {} })] }),
  ],
  [
    "managedFields with a step of tomorrow",
    creates("u", { text: "x" }),
    updatesMetadata("v", { managedFields: [entry("z", { "f:spec": { "x:y": {}, "f:text": {} } })] }),
  ],
  [
    "managedFields in another order",
    creates("u", { set: ["a", "b"], text: "x" }),
    updatesMetadata("v", {
      managedFields: [entry("z", { "f:spec": { "f:text": {}, "f:set": { 'v:"b"': {}, ".": {}, 'v:"a"': {} } } })],
    }),
  ],
  [
    "managedFields of fields that are not there",
    creates("u", { text: "x" }),
    updatesMetadata("v", { managedFields: [entry("z", { "f:spec": { "f:nothing": {}, "f:map": { "f:k": {} } } })] }),
    merges("v", { map: { k: "v" } }),
  ],
  [
    "managedFields on create",
    {
      by: "u",
      create: {
        metadata: { managedFields: [entry("z", { "f:spec": { "f:text": {} } })] },
        spec: { text: "x", number: 1 },
      },
    },
  ],
  [
    "granular fields in an atomic list",
    creates("u", { atomicList: ["a"], text: "x" }),
    updatesMetadata("v", {
      managedFields: [
        entry("z", { "f:spec": { "f:atomicList": { ".": {}, 'v:"a"': {} }, "f:atomicMap": { "f:a": {} } } }),
      ],
    }),
    merges("v", { number: 1 }),
  ],
  [
    "subresource writes cannot set managedFields",
    creates("u", { text: "x" }),
    {
      by: "v",
      subresource: "status",
      update: (live) => ({
        ...live,
        metadata: { ...Object(live.metadata), managedFields: [entry("z", { "f:spec": {} })] },
        status: { phase: "P" },
      }),
    },
  ],
  [
    "labels and annotations",
    creates("u", { text: "x" }),
    updatesMetadata("v", { labels: { a: "b" }, annotations: { c: "d" } }),
    updatesMetadata("w", { labels: { a: "c" }, annotations: { c: "d" }, finalizers: ["example.com/f"] }),
    updatesMetadata("w", { labels: undefined }),
  ],
  [
    "open values",
    creates("u", { open: { a: { b: 1 }, c: [1, { d: 2 }] } }),
    merges("v", { open: { a: { b: null, e: {} }, c: [1] } }),
    merges("w", { open: { a: "text" } }),
    merges("w", { open: { a: { b: {} } } }),
  ],
  [
    "nulls",
    { by: "u", create: { spec: { nullable: null, text: null, open: { a: null, b: { c: null } } } } },
    updates("v", { nullable: "x" }),
    updates("w", { nullable: null, open: { a: 1, b: { c: null } } }),
  ],
  [
    "defaults",
    creates("u", { ports: [{ port: 80 }] }),
    updates("v", { defaulted: "other", ports: [{ port: 80, name: "a" }, { port: 81 }] }),
  ],
  [
    "json patches",
    creates("u", { text: "x", map: { k: "v" }, set: ["a", "b"] }),
    {
      by: "v",
      json: [
        { op: "test", path: "/spec/text", value: "x" },
        { op: "replace", path: "/spec/text", value: "y" },
        { op: "add", path: "/spec/set/-", value: "c" },
        { op: "remove", path: "/spec/map/k" },
      ],
    },
    {
      by: "w",
      json: [
        { op: "move", from: "/spec/text", path: "/spec/nullable" },
        { op: "copy", from: "/spec/set", path: "/spec/atomicList" },
        { op: "remove", path: "/spec/set/-1" },
      ],
    },
  ],
  [
    "json patches of odd keys",
    creates("u", { map: { "a/b": "c", "d~e": "f", "~1": "g" } }),
    {
      by: "v",
      json: [
        { op: "replace", path: "/spec/map/a~1b", value: "x" },
        { op: "remove", path: "/spec/map/d~0e" },
        { op: "test", path: "/spec/map/~01", value: "g" },
      ],
    },
  ],
];

export const updateSequences: readonly Sequence[] = table.map(([name, ...steps]) => ({ name, subject: thing, steps }));
