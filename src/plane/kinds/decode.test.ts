// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../schema/index.ts";
import { decode } from "./decode.ts";
import {
  anything,
  boolean,
  bytes,
  int32,
  list,
  map,
  microTime,
  named,
  needed,
  nullable,
  of,
  optional,
  pointer,
  quantity,
  shown,
  struct,
  text,
  time,
} from "./fields.ts";

const inner = struct("example.v1.Inner", "inner", {
  name: needed(text, "name"),
  size: optional(int32, "size"),
});
const thing = struct("example.v1.Thing", "thing", {
  title: optional(text, "title"),
  color: pointer(named("v1.Color"), "color"),
  isOpen: optional(boolean, "isOpen"),
  data: optional(map(bytes), "data"),
  tags: optional(list(text), "tags"),
  parts: optional(list(of(inner)), "parts"),
  main: shown(of(inner), "main"),
  amount: pointer(quantity, "amount"),
  at: shown(time, "at"),
  since: pointer(microTime, "since"),
  group: nullable(text, "group"),
  raw: pointer(anything, "raw"),
});
const EMPTY = { main: { name: "" }, at: null, group: null };

function read(value: Json): unknown {
  const { object, malformed } = decode(value, thing);
  return malformed === undefined ? object : malformed.words;
}

test("empty fields are left out, kept or null, as each wants it", () => {
  assert.deepEqual(read({}), EMPTY);
  assert.deepEqual(read({ title: "", isOpen: false, tags: [], data: {}, color: "" }), { ...EMPTY, color: "" });
  assert.deepEqual(read({ title: null, color: null, main: null, tags: null }), EMPTY);
});

test("null is the empty value inside of lists and maps", () => {
  assert.deepEqual(read({ tags: [null, "a"], data: { a: null }, parts: [null] }), {
    ...EMPTY,
    tags: ["", "a"],
    data: { a: "" },
    parts: [{ name: "" }],
  });
});

test("times, quantities and bytes are written in one way", () => {
  const object = read({
    at: "2020-01-01T01:00:00.5+01:00",
    since: "2020-01-01T01:00:00.123456+01:00",
    amount: "1.5Gi",
    data: { a: "eHh4\neHg=" },
  });
  assert.deepEqual(object, {
    ...EMPTY,
    at: "2020-01-01T00:00:00Z",
    since: "2020-01-01T00:00:00.123456Z",
    amount: "1536Mi",
    data: { a: "eHh4eHg=" },
  });
});

test("fields have the order of the struct, whatever order they came in", () => {
  assert.deepEqual(Object.keys(Object(read({ raw: [1], group: "g", title: "t" }))), [
    "title",
    "main",
    "at",
    "group",
    "raw",
  ]);
});

test("what is of the wrong type is named with the innermost struct, the whole path and the Go type", () => {
  const words = (found: string, field: string, type: string) =>
    `json: cannot unmarshal ${found} into Go struct field ${field} of type ${type}`;
  assert.equal(read({ title: 1 }), words("number", "Thing.title", "string"));
  assert.equal(read({ color: [] }), words("array", "Thing.color", "v1.Color"));
  assert.equal(read({ isOpen: {} }), words("object", "Thing.isOpen", "bool"));
  assert.equal(read({ data: true }), words("bool", "Thing.data", "map[string][]uint8"));
  assert.equal(read({ tags: "x" }), words("string", "Thing.tags", "[]string"));
  assert.equal(read({ parts: ["x"] }), words("string", "Thing.parts", "v1.Inner"));
  assert.equal(read({ parts: [{ size: 2 ** 31 }] }), words("number 2147483648", "Inner.parts.size", "int32"));
  assert.equal(read({ main: { size: 1.5 } }), words("number 1.5", "Inner.main.size", "int32"));
});

test("the first fault counts, unless a value that reads itself fails", () => {
  assert.match(String(read({ title: 1, isOpen: 2 })), /Thing\.title/);
  assert.match(String(read({ title: 1, at: "x" })), /^parsing time "x"/);
  assert.match(String(read({ title: 1, amount: "x" })), /^quantities must match/);
});

test("fields that the struct does not have are found, in order, and not kept", () => {
  const { object, unknownFields } = decode({ b: 1, parts: [{ name: "n", c: 1 }], a: {} }, thing);
  assert.deepEqual(
    unknownFields.map(({ field }) => field),
    ["b", "parts[0].c", "a"],
  );
  assert.deepEqual(object, { ...EMPTY, parts: [{ name: "n" }] });
});

test("names of JavaScript's own do no harm", () => {
  const { object, unknownFields } = decode(
    JSON.parse('{"__proto__": 1, "constructor": 2, "data": {"__proto__": "eA=="}}'),
    thing,
  );
  assert.equal(unknownFields.length, 2);
  assert.deepEqual(Object.entries(Object(object.data)), [["__proto__", "eA=="]]);
});
