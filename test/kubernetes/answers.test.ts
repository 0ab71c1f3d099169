// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { unknownFieldsIn } from "./crds.ts";
import { parseWarnings } from "./request.ts";

test("warning headers are read, one or many, quotes and commas kept", () => {
  assert.deepEqual(parseWarnings(undefined), []);
  assert.deepEqual(parseWarnings('299 - "unknown field \\"spec.a\\""'), ['unknown field "spec.a"']);
  assert.deepEqual(parseWarnings(['299 - "one, two"', '299 - "three"']), ["one, two", "three"]);
  assert.deepEqual(parseWarnings('299 - "one", 299 - "back\\\\slash"'), ["one", "back\\slash"]);
});

test("unknown fields are found wherever the server names them, each once", () => {
  const refusal =
    'W in version "v1" cannot be handled as a W: strict decoding error: duplicate field "spec.x", unknown field "spec.a[0].b", unknown field "spec.a, b"';
  assert.deepEqual(unknownFieldsIn([refusal, 'unknown field "spec.a[0].b"']), ["spec.a[0].b", "spec.a, b"]);
  assert.deepEqual(unknownFieldsIn(["metadata.name: Required value"]), []);
});
