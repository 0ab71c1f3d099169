// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { lease, namespace, secret } from "../core.ts";
import { collectionPath, objectPath, query } from "./paths.ts";

test("paths are those of the API: core and groups, in a namespace, in all, cluster-wide, subresources", () => {
  assert.equal(collectionPath(secret, "team-a"), "/api/v1/namespaces/team-a/secrets");
  assert.equal(collectionPath(secret, undefined), "/api/v1/secrets");
  assert.equal(collectionPath(namespace, undefined), "/api/v1/namespaces");
  const key = { namespace: "a", name: "b" };
  assert.equal(objectPath(lease, key), "/apis/coordination.k8s.io/v1/namespaces/a/leases/b");
  assert.equal(objectPath(lease, key, "status"), "/apis/coordination.k8s.io/v1/namespaces/a/leases/b/status");
  assert.equal(objectPath(namespace, { name: "a" }), "/api/v1/namespaces/a");
});

test("names that are legal in RBAC stay what they are on their way through a path", () => {
  const path = objectPath(secret, { namespace: "a", name: "system:node:ü?#x" });
  assert.equal(path, "/api/v1/namespaces/a/secrets/system%3Anode%3A%C3%BC%3F%23x");
  assert.equal(new URL(path, "http://host").pathname, path);
});

test("a name cannot lead to another path", () => {
  for (const name of ["", ".", "..", "../x", "a/b", "a%2fb"]) {
    assert.throws(() => objectPath(secret, { namespace: "a", name }), TypeError, name);
    assert.throws(() => objectPath(secret, { namespace: name, name: "a" }), TypeError, name);
    assert.throws(() => collectionPath(secret, name), TypeError, name);
  }
});

test("a key must fit the kind's scope", () => {
  assert.throws(() => objectPath(secret, { name: "a" }), /namespace is missing/);
  assert.throws(() => objectPath(namespace, { namespace: "a", name: "a" }), /cluster-wide/);
});

test("a query has what is defined, encoded", () => {
  assert.equal(query({ limit: undefined }), "");
  assert.equal(
    query({ labelSelector: "a in (b,c),d!=e", limit: 5, watch: true, continue: undefined }),
    "?labelSelector=a%20in%20(b%2Cc)%2Cd!%3De&limit=5&watch=true",
  );
});
