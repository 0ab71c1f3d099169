// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../schema/index.ts";
import { jsonPatch, jsonPatchUnknownFields } from "./json-patch.ts";
import { PatchError } from "./patch-error.ts";
import { frozen, objectOf } from "./testing/objects.ts";

const UNPROCESSABLE = "the server rejected our request due to an error in our request";

/** Of `{spec: ...}`, what the operations make of the spec; `undefined` where they are refused. */
const table: readonly (readonly [string, Json, readonly Json[], Json | undefined])[] = [
  ["add", { a: 1 }, [{ op: "add", path: "/spec/b", value: 2 }], { a: 1, b: 2 }],
  ["add over what is there", { a: 1 }, [{ op: "add", path: "/spec/a", value: 2 }], { a: 2 }],
  ["add without a value adds null", {}, [{ op: "add", path: "/spec/a" }], { a: null }],
  ["add into a list", ["a", "b"], [{ op: "add", path: "/spec/1", value: "x" }], ["a", "x", "b"]],
  ["add at the end", ["a"], [{ op: "add", path: "/spec/-", value: "x" }], ["a", "x"]],
  ["add at the end by its index", ["a"], [{ op: "add", path: "/spec/1", value: "x" }], ["a", "x"]],
  ["add behind the end", ["a"], [{ op: "add", path: "/spec/2", value: "x" }], undefined],
  ["add before the last", ["a", "b"], [{ op: "add", path: "/spec/-1", value: "x" }], ["a", "b", "x"]],
  ["add below nothing", {}, [{ op: "add", path: "/spec/a/b", value: 1 }], undefined],
  ["remove", { a: 1, b: 2 }, [{ op: "remove", path: "/spec/a" }], { b: 2 }],
  ["remove nothing", { a: 1 }, [{ op: "remove", path: "/spec/b" }], undefined],
  ["remove from a list", ["a", "b", "c"], [{ op: "remove", path: "/spec/-2" }], ["a", "c"]],
  ["replace also adds", {}, [{ op: "replace", path: "/spec/a", value: 1 }], { a: 1 }],
  ["replace in a list", ["a"], [{ op: "replace", path: "/spec/0", value: "b" }], ["b"]],
  ["replace behind the end", ["a"], [{ op: "replace", path: "/spec/1", value: "b" }], undefined],
  ["move", { a: { x: 1 } }, [{ op: "move", from: "/spec/a/x", path: "/spec/b" }], { a: {}, b: 1 }],
  ["move into itself", { a: {} }, [{ op: "move", from: "/spec/a", path: "/spec/a/b" }], undefined],
  [
    "copy",
    { a: [1] },
    [
      { op: "copy", from: "/spec/a", path: "/spec/b" },
      { op: "add", path: "/spec/b/-", value: 2 },
    ],
    { a: [1], b: [1, 2] },
  ],
  ["copy of nothing is null", {}, [{ op: "copy", from: "/spec/a", path: "/spec/b" }], { b: null }],
  [
    "test",
    { a: [1, { b: null }] },
    [{ op: "test", path: "/spec/a", value: [1, { b: null }] }],
    { a: [1, { b: null }] },
  ],
  ["test of nothing", {}, [{ op: "test", path: "/spec/a", value: null }], {}],
  [
    "a test that fails undoes what was before",
    { a: 1 },
    [
      { op: "remove", path: "/spec/a" },
      { op: "test", path: "/spec/b", value: 1 },
    ],
    undefined,
  ],
  [
    "escaped keys",
    { "a/b": 1, "c~d": 2 },
    [
      { op: "remove", path: "/spec/a~1b" },
      { op: "remove", path: "/spec/c~0d" },
    ],
    {},
  ],
  [
    "a key of the prototype",
    {},
    [{ op: "add", path: "/spec/__proto__", value: { x: 1 } }],
    JSON.parse('{"__proto__":{"x":1}}'),
  ],
  ["through the prototype", {}, [{ op: "add", path: "/spec/__proto__/x", value: 1 }], undefined],
  ["an operation that is none", {}, [{ op: "increment", path: "/spec" }], undefined],
  ["an operation without a path", {}, [{ op: "add", value: 1 }], undefined],
];

for (const [name, spec, operations, expected] of table) {
  test(`json patch: ${name}`, () => {
    const object = frozen(objectOf({ spec }));
    const run = () => jsonPatch(object, frozen(operations));
    if (expected === undefined) assert.throws(run, new PatchError("unprocessable", UNPROCESSABLE));
    else assert.deepEqual(run(), objectOf({ spec: expected }));
  });
}

test("values of the patch are never changed by later operations", () => {
  const operations = frozen([
    { op: "add", path: "/spec/a", value: { list: [1] } },
    { op: "add", path: "/spec/a/list/-", value: 2 },
  ]);
  assert.deepEqual(jsonPatch(objectOf({ spec: {} }), operations).spec, { a: { list: [1, 2] } });
});

test("copies are bounded: doubling a value again and again is refused, quickly", () => {
  const operations = Array.from({ length: 64 }, () => ({ op: "copy", from: "/spec", path: "/spec/x" }));
  const copies = operations.map((operation, index) => ({ ...operation, path: `/spec/x${index}` }));
  assert.throws(() => jsonPatch(objectOf({ spec: { a: "x".repeat(100) } }), copies), { reason: "unprocessable" });
});

test("what is nested too deep is refused and does not end the process", () => {
  let deep: Json = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  assert.throws(() => jsonPatch(objectOf({}), [{ op: "add", path: "/spec", value: deep }]), { reason: "badRequest" });
});

test("fields that no operation has are named for a warning", () => {
  const operations = [
    { op: "add", path: "/a", value: 1 },
    { op: "remove", path: "/a", foo: 1, bar: 2 },
  ];
  assert.deepEqual(jsonPatchUnknownFields(operations), [
    'json patch unknown field "[1].foo"',
    'json patch unknown field "[1].bar"',
  ]);
});
