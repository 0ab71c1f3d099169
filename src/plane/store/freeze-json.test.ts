// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { freezeJson } from "./freeze-json.ts";

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}

test("whatever JSON can say is frozen to the last leaf and counts as exact", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (made) => {
      const value: unknown = JSON.parse(JSON.stringify(made));
      assert.equal(freezeJson(value), true);
      assert.ok(isDeeplyFrozen(value));
    }),
  );
});

test("the inside of what was frozen on the outside only is frozen too", () => {
  const value = Object.freeze({ list: [{ a: 1 }] });
  assert.equal(freezeJson(value), true);
  assert.ok(isDeeplyFrozen(value));
});

const unfaithful: readonly [string, unknown][] = [
  ["an undefined field", { a: undefined }],
  ["an undefined item", [undefined]],
  ["a hole in an array", new Array(1)],
  ["NaN", [Number.NaN]],
  ["an infinite number", { a: Number.POSITIVE_INFINITY }],
  ["negative zero", { a: -0 }],
  ["a date", { a: new Date(0) }],
  ["a function", { a: () => 1 }],
  ["a map", { a: new Map() }],
  ["something with its own idea of its text", { a: { toJSON: () => "b" } }],
];
for (const [name, value] of unfaithful) {
  test(`${name} is not exactly what its text says`, () => assert.equal(freezeJson(value), false));
}
