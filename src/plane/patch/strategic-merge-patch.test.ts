// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../schema/index.ts";
import type { PatchSchema } from "./fields/object-meta-schema.ts";
import { strategicMergePatch } from "./strategic-merge-patch.ts";
import { frozen, objectOf } from "./testing/objects.ts";

const byName: PatchSchema = {
  type: "array",
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": "name",
  items: {
    type: "object",
    properties: {
      name: { type: "string" },
      value: { type: "string" },
      settings: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
      names: { type: "array", items: { type: "string" }, "x-kubernetes-patch-strategy": "merge" } as PatchSchema,
    },
  },
};

const spec: PatchSchema = {
  type: "object",
  properties: {
    items: byName,
    names: { type: "array", items: { type: "string" }, "x-kubernetes-patch-strategy": "merge" } as PatchSchema,
    list: { type: "array", items: { type: "string" } },
    map: { type: "object", additionalProperties: { type: "string" } },
    union: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
    whole: { type: "object", properties: { a: {} }, "x-kubernetes-patch-strategy": "replace" } as PatchSchema,
  },
};

const n = (name: string, more: { [key: string]: Json } = {}) => ({ name, ...more });
const names = (...all: string[]) => all.map((name) => n(name));

const table: readonly (readonly [string, Json, Json, Json])[] = [
  ["merges maps", { map: { a: "1", b: "2" } }, { map: { b: null, c: "3" } }, { map: { a: "1", c: "3" } }],
  ["replaces plain lists", { list: ["a", "b"] }, { list: ["c"] }, { list: ["c"] }],
  ["adds to lists of scalars", { names: ["a", "b"] }, { names: ["b", "c"] }, { names: ["a", "b", "c"] }],
  [
    "deletes from lists of scalars",
    { names: ["a", "b", "c"] },
    { "$deleteFromPrimitiveList/names": ["b", "x"] },
    { names: ["a", "c"] },
  ],
  [
    "orders lists of scalars",
    { names: ["a", "b", "c"] },
    { "$setElementOrder/names": ["c", "a"] },
    { names: ["b", "c", "a"] },
  ],
  [
    "merges items by key",
    { items: [n("a", { value: "1" }), n("b")] },
    { items: [n("b", { value: "2" }), n("c")] },
    { items: [n("a", { value: "1" }), n("b", { value: "2" }), n("c")] },
  ],
  [
    "merges inside of items",
    { items: [n("a", { settings: { a: "1" }, names: ["x"] })] },
    { items: [n("a", { settings: { b: "2" }, names: ["y"] })] },
    { items: [n("a", { settings: { a: "1", b: "2" }, names: ["y", "x"] })] },
  ],
  [
    "deletes items",
    { items: names("a", "b", "c") },
    { items: [n("b", { $patch: "delete" })] },
    { items: names("a", "c") },
  ],
  ["replaces all items", { items: names("a", "b") }, { items: [{ $patch: "replace" }, n("c")] }, { items: names("c") }],
  [
    "orders items",
    { items: names("a", "b", "c") },
    { "$setElementOrder/items": names("c", "a") },
    { items: names("b", "c", "a") },
  ],
  [
    "orders items and adds one",
    { items: names("a", "b") },
    { items: names("x"), "$setElementOrder/items": names("x", "b") },
    { items: names("x", "a", "b") },
  ],
  [
    "an added item takes a deleted one's place",
    { items: names("a", "b", "c") },
    { items: [n("x"), n("a", { $patch: "delete" })], "$setElementOrder/items": names("x", "c") },
    { items: names("b", "x", "c") },
  ],
  ["retains keys", { union: { a: "1" } }, { union: { $retainKeys: ["b"], b: "2" } }, { union: { b: "2" } }],
  ["replaces a map by directive", { map: { a: "1" } }, { map: { $patch: "replace", b: "2" } }, { map: { b: "2" } }],
  [
    "deletes a map by directive",
    { map: { a: "1" }, list: ["x"] },
    { map: { $patch: "delete" } },
    { map: {}, list: ["x"] },
  ],
  ["replaces by strategy", { whole: { a: 1 } }, { whole: { b: 2 } }, { whole: { b: 2 } }],
  [
    "drops directives that have nothing to work on",
    {},
    { map: { $patch: "delete", a: "1" }, items: [n("a"), n("b", { $patch: "delete" })] },
    { items: names("a") },
  ],
  ["drops nulls of what is new", {}, { map: { a: null, b: "1" } }, { map: { b: "1" } }],
];

for (const [name, before, patch, after] of table) {
  test(`strategic merge patch ${name}`, () => {
    const object = frozen(objectOf({ spec: before }));
    const schema = { type: "object", properties: { spec } } as const;
    assert.deepEqual(strategicMergePatch(object, frozen({ spec: patch }), schema), objectOf({ spec: after }));
  });
}

test("deleting many items by directive looks at each a few times only", () => {
  let looks = 0;
  const item = (at: number, more: object) => ({
    get name() {
      looks += 1;
      return `item-${at}`;
    },
    ...more,
  });
  const many = (more: object) => Array.from({ length: 2000 }, (_, at) => item(at, more));
  const schema = { type: "object", properties: { spec } } as const;
  const object = objectOf({ spec: { items: many({}) } });
  const patched = strategicMergePatch(object, { spec: { items: many({ $patch: "delete" }) } }, schema);
  assert.deepEqual(patched, objectOf({ spec: { items: [] } }));
  assert.ok(looks < 2000 * 20, `${looks}`);
});
