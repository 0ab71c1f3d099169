// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ResourceType } from "../types.ts";
import { humanDuration } from "./columns.ts";
import { coreEvents, newEvents } from "./events.ts";
import { persistentVolumeClaims } from "./persistent-volume-claim.ts";
import { roleBindings } from "./role-bindings.ts";
import { storageClasses } from "./storage-class.ts";

const NOW = Date.UTC(2030, 0, 1);
const metadata = { name: "one", creationTimestamp: "2029-12-31T23:59:00Z" };

function cells({ columns }: ResourceType, fields: object): unknown[] {
  const object = { apiVersion: "v1", kind: "X", metadata, ...fields } as KubeObject;
  return columns.map(({ value }) => (typeof value === "string" ? value : value(object, NOW)));
}

test("ages have two units at most, the fewer the longer they are", () => {
  const rows: readonly (readonly [number, string])[] = [
    [-2, "<invalid>"],
    [-1, "0s"],
    [0, "0s"],
    [119, "119s"],
    [120, "2m"],
    [125, "2m5s"],
    [600, "10m"],
    [10_799, "179m"],
    [10_800, "3h"],
    [11_000, "3h3m"],
    [28_800, "8h"],
    [172_799, "47h"],
    [172_800, "2d"],
    [176_400, "2d1h"],
    [691_200, "8d"],
    [63_071_999, "729d"],
    [63_072_000, "2y"],
    [64_000_000, "2y10d"],
    [252_288_000, "8y"],
  ];
  for (const [seconds, text] of rows) assert.equal(humanDuration(seconds), text, String(seconds));
});

test("both groups print the same of an event", () => {
  const row = ["60s", "Normal", "R", "pod/x", "", "c, i", "m", "2m", 3, "one"];
  const involved = { kind: "Pod", name: "x" };
  const shared = { type: "Normal", reason: "R", series: { count: 3, lastObservedTime: "2029-12-31T23:59:00.000000Z" } };
  const eventTime = "2029-12-31T23:58:00.000000Z";
  assert.deepEqual(
    cells(coreEvents, {
      ...shared,
      eventTime,
      involvedObject: involved,
      message: " m\n",
      reportingComponent: "c",
      reportingInstance: "i",
    }),
    row,
  );
  assert.deepEqual(
    cells(newEvents, {
      ...shared,
      eventTime,
      regarding: involved,
      note: " m\n",
      reportingController: "c",
      reportingInstance: "i",
    }),
    row,
  );
});

test("an event without times was seen once, nobody knows when", () => {
  assert.deepEqual(cells(coreEvents, {}).slice(0, 9), ["<unknown>", "", "", "", "", "", "", "<unknown>", 1]);
});

test("a claim shows its volume once it has one", () => {
  const status = { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteMany", "ReadWriteOnce"] };
  const [, ...row] = cells(persistentVolumeClaims, { spec: { volumeName: "v", storageClassName: "c" }, status });
  assert.deepEqual(row, ["Bound", "v", "1Gi", "RWO,RWX", "c", "<unset>", "60s", "<unset>"]);
  assert.deepEqual(cells(persistentVolumeClaims, { spec: {}, status: { phase: "Pending" } }).slice(1, 5), [
    "Pending",
    "",
    "",
    "",
  ]);
});

test("a class shows that it is the default", () => {
  const annotated = { ...metadata, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } };
  assert.equal(cells(storageClasses, { metadata: annotated })[0], "one (default)");
  assert.equal(cells(storageClasses, {})[0], "one");
});

test("a binding shows its subjects by kind", () => {
  const subjects = [
    { kind: "User", name: "u" },
    { kind: "ServiceAccount", name: "s", namespace: "n" },
    { kind: "Group", name: "g" },
    { kind: "Group", name: "h" },
  ];
  const [, ...row] = cells(roleBindings, { subjects, roleRef: { kind: "Role", name: "r" } });
  assert.deepEqual(row, ["Role/r", "60s", "u", "g, h", "n/s"]);
});
