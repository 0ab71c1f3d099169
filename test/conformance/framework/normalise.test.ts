// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { normalise } from "./normalise.ts";
import type { Exchange, JsonObject } from "./types.ts";

function stable(exchanges: readonly Exchange[]) {
  return normalise(exchanges, { names: { n123: "{namespace}" }, managedFields: false });
}

function objectWith(metadata: JsonObject): Exchange {
  return { request: "GET /", status: 200, object: { kind: "ConfigMap", metadata } };
}

function metadataOf(exchange: Exchange | undefined): JsonObject {
  assert.ok(exchange);
  return (exchange.object as { metadata: JsonObject }).metadata;
}

test("versions of objects are numbered in the order of writing, not of reading", () => {
  const [late, early] = stable([objectWith({ resourceVersion: "205" }), objectWith({ resourceVersion: "99" })]);
  assert.equal(metadataOf(late).resourceVersion, "rv2");
  assert.equal(metadataOf(early).resourceVersion, "rv1");
});

test("versions of lists and bookmarks tell the last object they include", () => {
  const list = { kind: "ConfigMapList", metadata: { resourceVersion: "300" }, items: [] };
  const bookmark = { kind: "ConfigMap", metadata: { resourceVersion: "150" } };
  const [, , shown, marked] = stable([
    objectWith({ resourceVersion: "100" }),
    objectWith({ resourceVersion: "200" }),
    { object: list },
    { event: "BOOKMARK", object: bookmark },
  ]);
  assert.equal(metadataOf(shown).resourceVersion, "rv2+");
  assert.equal(metadataOf(marked).resourceVersion, "rv1+");
});

test("versions in messages are named like those of objects, those in queries like those of lists; a case's own stay", () => {
  const [, told] = stable([
    objectWith({ resourceVersion: "100" }),
    {
      request: "GET /?resourceVersion=100&resourceVersionMatch=Exact",
      message: 'too old resource version: 1 (120); {"resourceVersion":"100"}; Too large resource version: 999999999999',
    },
  ]);
  assert.equal(told?.request, "GET /?resourceVersion=rv1+&resourceVersionMatch=Exact");
  assert.equal(
    told?.message,
    'too old resource version: 1 (rv1+); {"resourceVersion":"rv1"}; Too large resource version: 999999999999',
  );
});

test("the same uid has the same name wherever it stands", () => {
  const uid = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const other = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
  const [first, second] = stable([objectWith({ uid }), { message: `${other} is not ${uid}` }]);
  assert.equal(metadataOf(first).uid, "uid1");
  assert.equal(second?.message, "uid2 is not uid1");
});

test("times of the run are replaced, those of a case's own stay", () => {
  const now = new Date().toISOString();
  const [exchange] = stable([
    objectWith({ creationTimestamp: now.replace(/\.\d+Z$/, "Z"), precise: now, old: "2001-02-03T04:05:06Z" }),
  ]);
  assert.deepEqual(metadataOf(exchange), {
    creationTimestamp: "{time}",
    old: "2001-02-03T04:05:06Z",
    precise: "{microtime}",
  });
});

test("generated names keep their beginning and tell how many characters are random", () => {
  const [exchange, later] = stable([
    objectWith({ generateName: "thing-", name: "thing-x2b4z" }),
    { message: '"thing-x2b4z" in n123 not found' },
  ]);
  assert.equal(metadataOf(exchange).name, "thing-{5 random}");
  assert.equal(later?.message, '"thing-{5 random}" in {namespace} not found');
});

test("causes are sorted, and so is the message that lists them", () => {
  const causes = [
    { field: "spec.b", message: 'Invalid value: "$\'"' },
    { field: "spec.a", message: "Required value" },
  ];
  const [exchange] = stable([
    { message: 'X "a" is invalid: [spec.b: Invalid value: "$\'", spec.a: Required value]', causes },
  ]);
  assert.equal(exchange?.message, 'X "a" is invalid: [spec.a: Required value, spec.b: Invalid value: "$\'"]');
  assert.deepEqual(
    exchange?.causes?.map(({ field }) => field),
    ["spec.a", "spec.b"],
  );
});

test("young ages, tokens and continue tokens are replaced", () => {
  const [exchange] = stable([
    {
      request: "GET /?limit=1&continue=abc123",
      object: {
        kind: "Table",
        metadata: { continue: "abc123" },
        rows: [{ cells: ["a", "7s", "5m"] }],
        token: "eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl",
      },
    },
  ]);
  assert.equal(exchange?.request, "GET /?limit=1&continue={continue}");
  assert.deepEqual(exchange?.object, {
    kind: "Table",
    metadata: { continue: "{continue}" },
    rows: [{ cells: ["a", "{age}", "5m"] }],
    token: "{token}",
  });
});
