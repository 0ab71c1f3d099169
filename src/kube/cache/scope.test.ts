// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { scopeTest } from "./scope.ts";

function objectOf(labels: Record<string, string> | undefined) {
  const metadata = { name: "one", namespace: "a", ...(labels === undefined ? {} : { labels }) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

test("a scope takes what the server would take, and says so where only the server knows", () => {
  const labels = { app: "web", "example.com/tier": "", constructor: "x" };
  const cases: readonly [labelSelector: string, belongs: boolean | undefined][] = [
    ["", true],
    ["app=web", true],
    ["app==web,example.com/tier=", true],
    ["app = web , app", true],
    ["app!=web", false],
    ["app!=db", true],
    ["none!=web", true],
    ["none=web", false],
    ["toString", false],
    ["!toString,constructor", true],
    ["app,!app", false],
    ["app in (db, web),!none", true],
    ["app in (db)", false],
    ["app notin (db,web)", false],
    ["none notin (db)", true],
    ["example.com/tier in (,x)", true],
    ["size>3", undefined],
    ["app=db,size>3", false],
    ["((", undefined],
  ];
  for (const [labelSelector, belongs] of cases)
    assert.equal(scopeTest({ labelSelector })(objectOf(labels)), belongs, labelSelector);
  assert.equal(scopeTest({ labelSelector: "!app" })(objectOf(undefined)), true);
});

test("namespaces and names are known, other fields are the server's business", () => {
  const object = objectOf({});
  assert.equal(scopeTest({ namespace: "a" })(object), true);
  assert.equal(scopeTest({ namespace: "b", fieldSelector: "type=x" })(object), false);
  assert.equal(scopeTest({ fieldSelector: "metadata.name=one,metadata.namespace!=b" })(object), true);
  assert.equal(scopeTest({ fieldSelector: "metadata.name!=one" })(object), false);
  assert.equal(scopeTest({ fieldSelector: "type=Opaque" })(object), undefined);
});
