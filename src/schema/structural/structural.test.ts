// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "../types.ts";
import { structuralProblems } from "./index.ts";

const spec = (schema: Schema): Schema => ({ type: "object", properties: { spec: schema } });

test("a structural schema has no problems", () => {
  assert.deepEqual(structuralProblems(spec({ type: "object", properties: { a: { type: "string" } } })), []);
});

test("problems stand where the caller says the schema stands", () => {
  const at = ["spec", "versions", 1, "schema", "openAPIV3Schema"];
  const [problem] = structuralProblems(spec({}), { at });
  assert.deepEqual(problem, {
    reason: "FieldValueRequired",
    path: [...at, "properties", "spec", "type"],
    field: "spec.versions[1].schema.openAPIV3Schema.properties[spec].type",
    message: "Required value: must not be empty for specified object fields",
  });
});

test("a schema that is nested too deeply is one problem, not a crash", () => {
  let schema: Schema = { type: "string" };
  for (let level = 0; level < 10_000; level++) schema = { type: "object", properties: { a: schema } };
  assert.equal(structuralProblems(schema).length, 1);
});
