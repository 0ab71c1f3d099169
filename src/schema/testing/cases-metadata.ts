// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../types.ts";

/** Metadata that a create is tried with; the name is `x` unless told otherwise. */
export const metadataCases: Readonly<Record<string, { readonly [name: string]: Json }>> = {
  "an upper-case name": { name: "Abc" },
  "a long name": { name: "a".repeat(254) },
  "a name with a slash": { name: "a/b" },
  "a name of a subdomain": { name: "a.b-c" },
  labels: { labels: { "a/b/c": "x y", "/a": "ok", "a/": "-", "": "", ok: "a".repeat(64), "A.b/c": "" } },
  annotations: { annotations: { "A/B": "x", "a b": "y", "-a": "" } },
  "annotations that are too large": { annotations: { a: "x".repeat(300_000) } },
  finalizers: { finalizers: ["x", "a.b", "a/b", "a b", "kubernetes", "orphan", "foregroundDeletion"] },
  "owners without parts": { ownerReferences: [{}, { apiVersion: "a/b/c", kind: "K", name: "n", uid: "u" }] },
  "two controllers": {
    ownerReferences: [
      { apiVersion: "v1", kind: "K", name: "n", uid: "u", controller: true },
      { apiVersion: "a/v1", kind: "K", name: "n2", uid: "u", controller: true, blockOwnerDeletion: false },
    ],
  },
  "an event as owner": { ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "n", uid: "u" }] },
  "unknown fields": {
    foo: 1,
    bar: { a: 1 },
    ownerReferences: [{ apiVersion: "v1", kind: "K", name: "n", uid: "u", z: 1 }],
  },
  nulls: { labels: null, annotations: { a: null }, finalizers: null, creationTimestamp: null },
  "labels that are no text": { labels: { a: 1 } },
  "labels that are a list": { labels: [] },
  "a name that is no text": { name: 1 },
  "a generation that is no integer": { generation: 1.5 },
  "an owner that is no object": { ownerReferences: { a: 1 } },
  "a controller that is no boolean": { ownerReferences: [{ controller: "yes" }] },
  "finalizers that are no text": { finalizers: [1] },
};
