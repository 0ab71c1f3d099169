// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRequestUri, parseRequestUri, parseUrl, queryValues } from "./go-url.ts";

test("a URL is taken apart as Go takes it apart", () => {
  const url = parseUrl("HTTPS://user:pass@[::1]:8443/a b/%41?x=1#part");
  assert.equal(url.scheme, "https");
  assert.equal(url.host, "[::1]:8443");
  assert.equal(url.hostname, "::1");
  assert.equal(url.port, "8443");
  assert.equal(url.escapedPath, "/a%20b/A");
  assert.equal(url.rawQuery, "x=1");
});

test("absolute URLs and absolute paths are request URIs, nothing else", () => {
  for (const text of ["https://x", "/x", "mailto:a@b", "*", "http://a/%20"]) assert.ok(isRequestUri(text), text);
  for (const text of ["", "x", "../x", "http://a b", "http://a:b", "http://%zz", "1x:y", "http://x/\n"])
    assert.ok(!isRequestUri(text), text);
});

test("refusals are in Go's words", () => {
  assert.throws(() => parseRequestUri("x"), { message: 'parse "x": invalid URI for request' });
  assert.throws(() => parseRequestUri("http://a:b"), { message: 'parse "http://a:b": invalid port ":b" after host' });
  assert.throws(() => parseRequestUri("http://%zz"), { message: 'parse "http://%zz": invalid URL escape "%zz"' });
});

test("a parameter keeps all its values, and broken ones are left out", () => {
  assert.deepEqual(
    [...queryValues("a=1&b&a=%202&c=%zz&d;e")],
    [
      ["a", ["1", " 2"]],
      ["b", [""]],
    ],
  );
});
