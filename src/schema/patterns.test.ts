// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePattern } from "./patterns.ts";

test("a pattern is searched for anywhere in the text", () => {
  assert.ok(compilePattern("b+").test("abc"));
  assert.ok(!compilePattern("^b").test("abc"));
  assert.ok(!compilePattern("^a$").test("a\n"));
});

test("patterns have Go's syntax and Go's words for errors", () => {
  assert.ok(compilePattern("^[[:alpha:]]+\\z").test("abc"));
  assert.throws(() => compilePattern("(a"), { message: "error parsing regexp: missing closing ): `(a`" });
  assert.throws(() => compilePattern("(?=a)"), {
    message: "error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
  });
});

test("matches are found from left to right, empty ones only where Go finds them", () => {
  assert.equal(compilePattern("[0-9]+").find("a12b3"), "12");
  assert.equal(compilePattern("x").find("a"), "");
  assert.deepEqual(compilePattern("[0-9]+").findAll("a12b3", -1), ["12", "3"]);
  assert.deepEqual(compilePattern("[0-9]+").findAll("a12b3", 1), ["12"]);
  assert.deepEqual(compilePattern("b*").findAll("abb", -1), ["", "bb"]);
});

test("no pattern can take long on a long text", () => {
  const hostile = compilePattern("^(a+)+$");
  assert.ok(!hostile.test(`${"a".repeat(100_000)}!`));
});
