// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Fault, canonicalBase64 } from "./go-base64.ts";
import { readTime } from "./go-time.ts";

test("times are refused where and with the words that Go uses", () => {
  const layout = '"2006-01-02T15:04:05Z07:00"';
  const rows: readonly (readonly [string, string])[] = [
    ["x", `parsing time "x" as ${layout}: cannot parse "x" as "2006"`],
    ["", `parsing time "" as ${layout}: cannot parse "" as "2006"`],
    ["2020", `parsing time "2020" as ${layout}: cannot parse "" as "-"`],
    ["2020-1-01", `parsing time "2020-1-01" as ${layout}: cannot parse "1-01" as "01"`],
    ["2020-13-01T00:00:00Z", 'parsing time "2020-13-01T00:00:00Z": month out of range'],
    ["2020-02-30T00:00:00Z", 'parsing time "2020-02-30T00:00:00Z": day out of range'],
    ["2020-01-01T24:00:00Z", 'parsing time "2020-01-01T24:00:00Z": hour out of range'],
    ["2020-01-01 00:00:00Z", `parsing time "2020-01-01 00:00:00Z" as ${layout}: cannot parse " 00:00:00Z" as "T"`],
    ["2020-01-01T00:00:00", `parsing time "2020-01-01T00:00:00" as ${layout}: cannot parse "" as "Z07:00"`],
    ["2020-01-01T00:00:00Zx", 'parsing time "2020-01-01T00:00:00Zx": extra text: "x"'],
  ];
  for (const [text, words] of rows) assert.deepEqual(readTime(text, false), { words });
});

test("precise times have six digits, no more and no fewer", () => {
  assert.deepEqual(readTime("2020-01-01T00:00:00.000001Z", true), { text: "2020-01-01T00:00:00.000001Z" });
  for (const text of ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.1Z", "2020-01-01T00:00:00.1234567Z"])
    assert.ok("words" in readTime(text, true), text);
});

test("the zero time is no time", () => {
  assert.deepEqual(readTime("0001-01-01T00:00:00Z", false), { text: "" });
  assert.deepEqual(readTime("0001-01-01T00:00:00.000000Z", true), { text: "" });
});

test("base64 is refused at the byte where Go refuses it", () => {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ["", undefined],
    ["eA==", undefined],
    ["eHh4\r\neA==\n", undefined],
    ["%%", 0],
    ["eA", 0],
    ["eHh4eA", 4],
    ["eA=", 3],
    ["eA=x", 2],
    ["eA==x", 4],
    ["=", 0],
    ["e===", 1],
    ["eé==", 1],
  ];
  for (const [text, fault] of rows) assert.equal(base64Fault(text), fault, JSON.stringify(text));
  assert.equal(canonicalBase64("eHh4\r\neA==\n"), "eHh4eA==");
});
