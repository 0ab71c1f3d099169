// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../json-object.ts";
import { pathsOf } from "./field-set.ts";
import { decodeFields, encodeFields } from "./fields-v1.ts";
import { compareSortKeys, keyElement, printElement, readElement, sortKey, valueElement } from "./path-element.ts";

const written: JsonObject = {
  "f:metadata": { "f:labels": { ".": {}, "f:a.b/c": {} } },
  "f:spec": {
    "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {} } },
    "f:set": { 'v:"x"': {}, "v:1": {} },
    "f:list": { "i:0": {} },
  },
};

test("FieldsV1 is read as paths: those that end in a place before those below it", () => {
  const paths = [...pathsOf(decodeFields(written) ?? new Map())].map((path) =>
    path.map((element) => printElement(element)).join(""),
  );
  assert.deepEqual(paths, [
    ".metadata.labels",
    ".metadata.labels.a.b/c",
    ".spec.list[0]",
    '.spec.ports[port=80,protocol="TCP"]',
    '.spec.ports[port=80,protocol="TCP"].name',
    ".spec.set[=1]",
    '.spec.set[="x"]',
  ]);
});

test("FieldsV1 is written in one order, whatever order it was read in", () => {
  const shuffled: JsonObject = {
    "f:spec": { 'k:{"b":1,"a":2}': {}, "f:b": { "f:c": {}, ".": {} }, "f:a": {}, "v:10": {}, "v:9": {} },
  };
  const text = '{"f:spec":{"f:a":{},"f:b":{".":{},"f:c":{}},"k:{\\"a\\":2,\\"b\\":1}":{},"v:9":{},"v:10":{}}}';
  assert.equal(JSON.stringify(encodeFields(decodeFields(shuffled) ?? new Map())), text);
});

test("steps of a kind we do not know are dropped, malformed ones refuse the whole", () => {
  assert.deepEqual(encodeFields(decodeFields({ "f:a": {}, "x:future": { "f:b": {} } }) ?? new Map()), { "f:a": {} });
  for (const key of ["", "f", "fa", "k:", "k:[]", "k:{", "v:", "v:{", "i:x"])
    assert.equal(decodeFields({ [key]: {} }), undefined, key);
  for (const value of ["text", 1, [], true]) assert.equal(decodeFields({ "f:a": value }), undefined);
});

test("fields that are nested too deep are refused and do not end the process", () => {
  let deep: JsonObject = {};
  for (let level = 0; level < 100_000; level += 1) deep = { "f:a": deep };
  assert.equal(decodeFields(deep), undefined);
});

test("equal steps are equal texts", () => {
  assert.equal(keyElement({ b: 1, a: "x" }), keyElement({ a: "x", b: 1 }));
  assert.equal(readElement('k:{ "b" : 1.0, "a":"\\u0078" }'), keyElement({ a: "x", b: 1 }));
  assert.equal(valueElement("<&>"), 'v:"\\u003c\\u0026\\u003e"');
  assert.equal(valueElement("\b\f\n"), 'v:"\\u0008\\u000c\\n"');
});

test("fields come before keys, values and places; numbers are ordered as numbers", () => {
  const sorted = [
    "f:Z",
    "f:a",
    "f:é",
    'k:{"a":2}',
    'k:{"a":10}',
    'k:{"a":"1"}',
    'k:{"b":1}',
    "v:2",
    "v:10",
    'v:"1"',
    "v:true",
    "i:2",
    "i:10",
  ];
  assert.deepEqual(
    [...sorted]
      .reverse()
      .map(sortKey)
      .sort(compareSortKeys)
      .map(({ element }) => element),
    sorted,
  );
});
