// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteOptions, integerOption, writeOptions } from "./options.ts";

const write = (query: string, userAgent?: string) =>
  writeOptions(new URLSearchParams(query), { kind: "UpdateOptions", userAgent });

test("who does not name a field manager is known by the first part of its user agent", () => {
  assert.equal(write("fieldManager=me", "kubectl/v1").manager, "me");
  assert.equal(write("", "kubectl/v1.36 (linux)").manager, "kubectl");
  assert.equal(write("", undefined).manager, "");
  assert.equal(write("", "a\u0007b/1").manager, "ab");
  assert.equal(write("", "é".repeat(100)).manager, "é".repeat(64));
});

test("unknown fields are warned about unless told otherwise, and dryRun is All or nothing", () => {
  const { fieldValidation, dryRun } = write("");
  assert.deepEqual({ fieldValidation, dryRun }, { fieldValidation: "Warn", dryRun: false });
  assert.equal(write("dryRun=All").dryRun, true);
  assert.throws(
    () => write("dryRun=All&dryRun=None"),
    /dryRun: Unsupported value: \["All","None"\]: supported values: "All"/,
  );
  assert.throws(() => write("fieldValidation=Never"), /fieldValidation: Unsupported value: "Never"/);
});

test("a delete is told how by its body, or else by its query", () => {
  const body = Buffer.from('{"gracePeriodSeconds":5,"preconditions":{"uid":"u"},"propagationPolicy":"Orphan"}');
  assert.deepEqual(deleteOptions(new URLSearchParams("propagationPolicy=Foreground"), body, "application/json"), {
    dryRun: false,
    gracePeriodSeconds: 5,
    propagationPolicy: "Orphan",
    preconditions: { uid: "u" },
  });
  const { propagationPolicy } = deleteOptions(
    new URLSearchParams("propagationPolicy=Foreground"),
    undefined,
    undefined,
  );
  assert.equal(propagationPolicy, "Foreground");
});

test("what a delete cannot be told is refused", () => {
  const refuse = (text: string, words: RegExp) =>
    assert.throws(() => deleteOptions(new URLSearchParams(), Buffer.from(text), "application/json"), words, text);
  refuse('{"kind":"Pod","apiVersion":"v1"}', /no kind "Pod" is registered for version "v1"/);
  refuse('{"gracePeriodSeconds":"5"}', /cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds/);
  refuse('{"propagationPolicy":"Slowly"}', /propagationPolicy: Unsupported value: "Slowly"/);
  refuse('{"propagationPolicy":"Orphan","orphanDependents":true}', /cannot be both set/);
  refuse("x", /json parse error: invalid character 'x'/);
});

test("an integer of a query is an integer", () => {
  const read = (text: string) => integerOption(new URLSearchParams({ limit: text }), "limit");
  assert.deepEqual([read("5"), read("-1"), read("")], [5, -1, undefined]);
  assert.throws(() => read("5a"), /strconv.ParseInt: parsing "5a": invalid syntax/);
});
