// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { requestInfo } from "./request-info.ts";
import { parseTarget } from "./request-target.ts";

/** Method and path, then verb, group/version, namespace, resource/name/subresource. */
const CASES: readonly (readonly [string, string])[] = [
  ["GET /api/v1/namespaces", "list /v1 '' namespaces//"],
  ["GET /api/v1/namespaces/a", "get /v1 a namespaces/a/"],
  ["PUT /api/v1/namespaces/a/finalize", "update /v1 a namespaces/a/finalize"],
  ["GET /api/v1/namespaces/a/status", "get /v1 a namespaces/a/status"],
  ["GET /api/v1/namespaces/a/configmaps", "list /v1 a configmaps//"],
  ["GET /api/v1/namespaces/a/configmaps/b", "get /v1 a configmaps/b/"],
  ["HEAD /api/v1/namespaces/a/configmaps/b", "get /v1 a configmaps/b/"],
  ["GET /api/v1/namespaces/a/configmaps?watch=true", "watch /v1 a configmaps//"],
  ["GET /api/v1/namespaces/a/configmaps?watch=0", "list /v1 a configmaps//"],
  ["GET /api/v1/namespaces/a/configmaps/b?watch=true", "get /v1 a configmaps/b/"],
  ["GET /api/v1/watch/namespaces/a/configmaps", "watch /v1 a configmaps//"],
  ["GET /api/v1/configmaps?fieldSelector=metadata.name%3Db", "list /v1 '' configmaps/b/"],
  ["POST /apis/example.com/v1/namespaces/a/widgets", "create example.com/v1 a widgets//"],
  ["PATCH /apis/example.com/v1/namespaces/a/widgets/b/status", "patch example.com/v1 a widgets/b/status"],
  ["DELETE /apis/example.com/v1/widgets/b", "delete example.com/v1 '' widgets/b/"],
  ["DELETE /apis/example.com/v1/namespaces/a/widgets", "deletecollection example.com/v1 a widgets//"],
  ["BREW /apis/example.com/v1/namespaces/a/widgets", " example.com/v1 a widgets//"],
  ["GET /api/v1/namespaces/a/configmaps/%62", "get /v1 a configmaps/b/"],
];

test("verb, group, namespace, resource and name are those that Kubernetes derives", () => {
  for (const [request, expected] of CASES) {
    const [method = "", path = ""] = request.split(" ");
    const { verb, group, version, namespace, plural, name, subresource } = requestInfo(method, path);
    const said = `${verb} ${group}/${version} ${namespace || "''"} ${plural}/${name}/${subresource}`;
    assert.equal(said, expected, request);
  }
});

test("what is no resource keeps its method as the verb", () => {
  for (const path of [
    "/",
    "/livez",
    "/api",
    "/api/v1",
    "/apis/example.com",
    "/apis/example.com/v1",
    "/other/a/b/c/d",
  ]) {
    const { isResource, verb } = requestInfo("GET", path);
    assert.deepEqual({ isResource, verb }, { isResource: false, verb: "get" }, path);
  }
});

test("a path that cannot be decoded is no resource", () => {
  assert.equal(requestInfo("GET", "/api/v1/namespaces/%zz").isResource, false);
});

test("a target may name the server; one that cannot be decoded is none, and such a parameter was not given", () => {
  const parsed = (target: string) => {
    const found = parseTarget(target);
    return found === undefined ? undefined : `${found.path}?${found.query}`;
  };
  assert.equal(parsed("https://x:1/readyz?verbose"), "/readyz?verbose=");
  assert.equal(parsed("http:///a"), "/a?");
  assert.equal(parsed("//x/a"), "//x/a?");
  assert.equal(parsed("/a%2"), undefined);
  assert.equal(parsed("/%ff"), "/\ufffd?");
  assert.equal(parsed("/a?limit=%zz&b=1;c=2&d=%20"), "/a?d=+");
});
