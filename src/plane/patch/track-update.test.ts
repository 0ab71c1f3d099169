// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, Schema } from "../../schema/index.ts";
import type { KubeObject } from "../types.ts";
import { frozen, objectOf } from "./testing/objects.ts";
import { thing } from "./testing/thing.ts";
import { trackUpdate } from "./track-update.ts";
import { isUnchanged } from "./unchanged.ts";

const TIME = "2026-01-01T00:00:01Z";
const LATER = "2026-01-01T00:00:02Z";

const created = created1({ text: "x", map: { k: "v" } });

function created1(spec: Json): KubeObject {
  const after = objectOf({ spec });
  return frozen(trackUpdate({ before: undefined, after, manager: "u", schema: thing.schema, time: TIME }));
}

function withVersion(object: KubeObject, resourceVersion: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

test("an update that changes nothing returns the object that is there, so that nothing is written", () => {
  const before = frozen(withVersion(created, "5"));
  const again = { ...structuredClone(before) };
  const update = { manager: "v", schema: thing.schema, time: LATER };
  assert.equal(trackUpdate({ ...update, before, after: again }), before);
  const { managedFields: _, resourceVersion: __, ...metadata } = before.metadata;
  assert.equal(trackUpdate({ ...update, before, after: { ...before, metadata } }), before, "without managedFields");
});

test("an update of another version of the object is never taken for none", () => {
  const before = withVersion(created, "5");
  const after = withVersion(created, "4");
  const tracked = trackUpdate({ before, after, manager: "v", schema: thing.schema, time: LATER });
  assert.equal(tracked.metadata.resourceVersion, "4");
});

test("entries of managers that lose nothing are kept as they are, their times too", () => {
  const after = frozen({ ...created, spec: { text: "x", map: { k: "v" }, number: 1 } });
  const { managedFields } = trackUpdate({
    before: created,
    after,
    manager: "v",
    schema: thing.schema,
    time: LATER,
  }).metadata;
  assert.equal(managedFields?.[0], created.metadata.managedFields?.[0]);
  assert.deepEqual(managedFields?.[1], {
    manager: "v",
    operation: "Update",
    apiVersion: thing.apiVersion,
    time: LATER,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:number": {} } },
  });
});

test("only times in managedFields and the resourceVersion do not count as a change", () => {
  const [entry] = created.metadata.managedFields ?? [];
  assert.ok(entry);
  const aged = { ...created, metadata: { ...created.metadata, managedFields: [{ ...entry, time: LATER }] } };
  assert.ok(isUnchanged(created, withVersion(aged, "7")));
  const other = { ...created, metadata: { ...created.metadata, managedFields: [{ ...entry, manager: "w" }] } };
  assert.ok(!isUnchanged(created, other));
  assert.ok(!isUnchanged(created, { ...created, spec: { text: "y" } }));
  assert.ok(!isUnchanged(created, { ...created, status: {} }));
});

test("what a write cannot change is nobody's by it", () => {
  const before = created;
  const after = { ...created, spec: { text: "y" }, status: { phase: "P" } };
  const { managedFields } = trackUpdate({
    before,
    after,
    manager: "v",
    schema: thing.schema,
    time: LATER,
    subresource: "status",
    resetFields: ["metadata", "spec"],
  }).metadata;
  assert.deepEqual(managedFields?.[1]?.fieldsV1, { "f:status": { ".": {}, "f:phase": {} } });
  assert.equal(managedFields?.[1]?.subresource, "status");
  assert.deepEqual(managedFields?.[0], before.metadata.managedFields?.[0]);
});

/** A version in which the list is one thing, and one in which its items are each their own. */
const inVersion = (listType: "set" | "atomic"): Schema => ({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { list: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": listType } },
    },
  },
});

test("managers keep the version they wrote in, and lose fields by its schema", () => {
  const schemas: { readonly [apiVersion: string]: Schema } = { "g/v1": inVersion("set"), "g/v2": inVersion("atomic") };
  const inV1 = { ...objectOf({ spec: { list: ["a"] } }), apiVersion: "g/v1" };
  const update = { schemaOf: (apiVersion: string) => schemas[apiVersion], isCustom: true };
  const before = trackUpdate({
    ...update,
    schema: inVersion("set"),
    before: undefined,
    after: inV1,
    manager: "u",
    time: TIME,
  });
  const after = { ...before, apiVersion: "g/v2", spec: { list: ["a", "b"] } };
  const tracked = trackUpdate({
    ...update,
    schema: inVersion("atomic"),
    before: { ...before, apiVersion: "g/v2" },
    after,
    manager: "v",
    time: LATER,
  });
  const owned = tracked.metadata.managedFields?.map(({ manager, apiVersion, fieldsV1 }) => [
    manager,
    apiVersion,
    fieldsV1,
  ]);
  assert.deepEqual(owned, [
    ["u", "g/v1", { "f:spec": { ".": {}, "f:list": { ".": {}, 'v:"a"': {} } } }],
    ["v", "g/v2", { "f:spec": { "f:list": {} } }],
  ]);
});

test("a version that a custom kind does not have ends the tracking, of a built-in kind only its managers", () => {
  const [entry] = created.metadata.managedFields ?? [];
  assert.ok(entry);
  const managedFields = [entry, { ...entry, manager: "old", apiVersion: "patch.example.com/v0" }];
  const after = { ...created, metadata: { ...created.metadata, managedFields } };
  const update = { before: created, after, manager: "v", schema: thing.schema, time: LATER };
  assert.equal(trackUpdate({ ...update, isCustom: true }).metadata.managedFields, undefined);
  assert.deepEqual(trackUpdate(update).metadata.managedFields, [entry]);
});

test("an empty object of a built-in kind has parts that nobody comes to own by creating it", () => {
  const empty = { ...objectOf({ spec: {} }), metadata: {} };
  const after = objectOf({ spec: { text: "x" } });
  const tracked = trackUpdate({ before: undefined, after, manager: "u", schema: thing.schema, time: TIME, empty });
  assert.deepEqual(tracked.metadata.managedFields?.[0]?.fieldsV1, { "f:spec": { "f:text": {} } });
});
