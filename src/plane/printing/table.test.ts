// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInTypes } from "../kinds/index.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { customColumns, partialMetadata, tableOf } from "./index.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const [first] = builtInTypes();

function typeWith(columns: ResourceType["columns"]): ResourceType {
  assert.ok(first !== undefined);
  return { ...first, columns };
}

const object: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "one", resourceVersion: "7", creationTimestamp: "2026-11-15T11:30:00Z" },
  spec: { text: "t", number: 1234567.5, flag: true, list: [1, "<a>"], empty: null, time: "2020-01-01T00:00:00Z" },
};

function cells(columns: [type: string, jsonPath: string][]): unknown {
  const declared = columns.map(([type, jsonPath]) => ({ name: "x", type, jsonPath }));
  const table = tableOf(typeWith(customColumns(declared)), [{ object }], { nowMs: NOW, metadata: {} });
  return table.rows[0]?.cells.slice(1);
}

test("cells have the type of their column, or are empty", () => {
  assert.deepEqual(
    cells([
      ["string", ".spec.text"],
      ["string", ".spec.number"],
      ["string", ".spec.flag"],
      ["string", ".spec.list"],
      ["integer", ".spec.number"],
      ["number", ".spec.number"],
      ["boolean", ".spec.flag"],
      ["integer", ".spec.text"],
      ["number", ".spec.flag"],
      ["boolean", ".spec.text"],
      ["date", ".spec.number"],
      ["string", ".spec.missing"],
    ]),
    ["t", "1.2345675e+06", "true", '[1,"\\u003ca\\u003e"]', 1234567, 1234567.5, true, null, null, null, null, null],
  );
});

test("dates are ages", () => {
  assert.deepEqual(
    cells([
      ["date", ".metadata.creationTimestamp"],
      ["date", ".spec.time"],
      ["date", ".spec.text"],
    ]),
    ["30m", "6y320d", "<invalid>"],
  );
});

test("a custom resource without columns shows name and age", () => {
  const table = tableOf(typeWith(customColumns(undefined)), [{ object }], { nowMs: NOW, metadata: {} });
  assert.deepEqual(
    table.columnDefinitions?.map(({ name, type, format, priority }) => [name, type, format, priority]),
    [
      ["Name", "string", "name", 0],
      ["Age", "date", "", 0],
    ],
  );
  assert.deepEqual(table.rows[0]?.cells, ["one", "30m"]);
});

test("a column that cannot be read ends the columns", () => {
  const declared = [
    { name: "a", type: "string", jsonPath: ".a" },
    { name: "b", type: "string", jsonPath: ".b[" },
    { name: "c", type: "string", jsonPath: ".c" },
  ];
  assert.deepEqual(
    customColumns(declared).map(({ name }) => name),
    ["Name", "a"],
  );
});

test("rows carry the object, its metadata or nothing", () => {
  const type = typeWith(customColumns(undefined));
  const rowOf = (includeObject?: "None" | "Metadata" | "Object") =>
    tableOf(type, [{ object }], { nowMs: NOW, metadata: {}, ...(includeObject && { includeObject }) }).rows[0]?.object;
  assert.equal(rowOf("None"), null);
  assert.equal(rowOf("Object"), object);
  assert.deepEqual(rowOf("Metadata"), partialMetadata(object));
  assert.deepEqual(rowOf(), partialMetadata(object));
});

test("later events of a watch leave the columns out", () => {
  const options = { nowMs: NOW, metadata: { resourceVersion: "7" }, withoutColumns: true, version: "v1beta1" } as const;
  const table = tableOf(typeWith(customColumns(undefined)), [{ object }], options);
  assert.equal(table.columnDefinitions, null);
  assert.equal(table.apiVersion, "meta.k8s.io/v1beta1");
  assert.equal(Object(table.rows[0]?.object).apiVersion, "meta.k8s.io/v1beta1");
});
