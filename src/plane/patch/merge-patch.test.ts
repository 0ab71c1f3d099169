// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../schema/index.ts";
import { mergePatch } from "./merge-patch.ts";
import { frozen, objectOf } from "./testing/objects.ts";

/** The examples of RFC 7386 that are about objects, and where the server differs from it. */
const table: readonly (readonly [string, Json, Json, Json])[] = [
  ["replaces", { a: "b" }, { a: "c" }, { a: "c" }],
  ["adds", { a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  ["removes", { a: "b", b: "c" }, { a: null }, { b: "c" }],
  ["removes what is not there", { a: "b" }, { x: null }, { a: "b" }],
  ["replaces a list", { a: ["b"] }, { a: "c" }, { a: "c" }],
  ["replaces by a list", { a: "c" }, { a: ["b"] }, { a: ["b"] }],
  ["merges objects", { a: { b: "c", x: 1 } }, { a: { b: "d", c: null } }, { a: { b: "d", x: 1 } }],
  ["does not merge lists", { a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  ["takes nulls out of what is new", {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ["takes nulls out of objects in new lists", {}, { a: [{ b: null, c: 1 }, null] }, { a: [{ c: 1 }, null] }],
  ["keeps them where the list replaces an object", { a: { x: 1 } }, { a: [{ b: null }] }, { a: [{ b: null }] }],
  ["replaces a null", { a: null }, { a: { b: null } }, { a: {} }],
  ["sets a key of the prototype", {}, JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":1}}')],
];

for (const [name, spec, patch, expected] of table) {
  test(`merge patch: ${name}`, () => {
    const object = frozen(objectOf({ spec }));
    assert.deepEqual(mergePatch(object, frozen({ spec: patch })), objectOf({ spec: expected }));
  });
}

test("what a merge patch does not touch is shared, not copied", () => {
  const object = objectOf({ spec: { a: { b: 1 }, c: 2 } });
  const { spec } = mergePatch(object, { spec: { c: 3 } });
  assert.equal(Object(spec).a, Object(object.spec).a);
});

test("a merge patch that is nested too deep is refused and does not end the process", () => {
  let deep: Json = {};
  for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
  assert.throws(() => mergePatch(objectOf({}), deep), { reason: "badRequest" });
});
