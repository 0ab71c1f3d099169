// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../schema/index.ts";
import { findValues } from "./find-values.ts";
import { parseJsonPath } from "./json-path.ts";

const OBJECT: Json = {
  spec: {
    name: "a",
    "a.b/c": "dotted",
    empty: null,
    list: [
      { type: "Ready", status: "True", size: 1 },
      { type: "Synced", status: "False", size: 2 },
      { type: "Other", size: 3 },
    ],
    mixed: [{ type: 1 }, { type: "x" }],
    map: { b: 2, a: 1 },
  },
};

function find(path: string): unknown {
  const parsed = parseJsonPath(path);
  return parsed === undefined ? "unreadable" : findValues(OBJECT, parsed);
}

test("a path leads to what it names", () => {
  const rows: [string, unknown][] = [
    [".spec.name", ["a"]],
    ["$.spec.name", ["a"]],
    [".spec['name']", ["a"]],
    [".spec['name','map']", ["a", { b: 2, a: 1 }]],
    [".spec.a\\.b/c", ["dotted"]],
    [".spec.list[0].type", ["Ready"]],
    [".spec.list[-1].type", ["Other"]],
    [".spec.list[0:2].type", ["Ready", "Synced"]],
    [".spec.list[::2].type", ["Ready", "Other"]],
    [".spec.list[*].type", ["Ready", "Synced", "Other"]],
    [".spec.map.*", [1, 2]],
    ["..status", ["True", "False"]],
    ['.spec.list[?(@.type=="Ready")].status', ["True"]],
    [".spec.list[?(@.type=='Ready')].status", ["True"]],
    ['.spec.list[?(@.type!="Ready")].type', ["Synced", "Other"]],
    [".spec.list[?(@.size>1)].type", ["Synced", "Other"]],
    [".spec.list[?(@.size<=1)].type", ["Ready"]],
    [".spec.list[?(@.status)].type", ["Ready", "Synced"]],
    ['.spec.list[?(@.type==")")].type', []],
    [".spec.empty", [null]],
    [".spec.empty.more", []],
    [".spec.missing", []],
    [".spec.name.more", []],
    [".", []],
  ];
  for (const [path, expected] of rows) assert.deepEqual(find(path), expected, path);
});

test("what the server cannot evaluate empties the whole result", () => {
  const paths = [
    ".spec.name[0]",
    ".spec.list[7]",
    ".spec.list[2:1]",
    ".spec.list[0:1:0]",
    '.spec.name[?(@.type=="x")]',
    '.spec.mixed[?(@.type=="x")]',
    ".spec.list[?(@.size>1.5)]",
    '.spec.list[?(@.type=<"x")]',
    "range",
  ];
  for (const path of paths) assert.equal(find(path), undefined, path);
});

test("what the server cannot read is no path", () => {
  const paths = [
    ".spec[",
    ".spec[x]",
    ".list[?(@.a==1]",
    ".a....b",
    ".a['",
    ".x['a\\q']'",
    "!",
    '"open',
    ".a[-]",
    "1.2.3",
  ];
  for (const path of paths) assert.equal(find(path), "unreadable", path);
});

test("any text is read or refused, and evaluated without an error", () => {
  const parts = [
    ".spec",
    ".list",
    "[0]",
    "[*]",
    "..",
    "[?(@.a",
    "==",
    '"x"',
    ")]",
    "[",
    "]",
    "'",
    ",",
    ":",
    "-1",
    "\\",
    "{",
    "}",
    "@",
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 }))), (pieces) => {
      find(pieces.join(""));
    }),
    { numRuns: 2000 },
  );
});
