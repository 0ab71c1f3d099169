// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { codePointCount, compareText, floatText, jsonText, numberText, quote } from "./go-text.ts";

test("text is quoted as Go quotes it", () => {
  assert.equal(quote("plain 'text'"), `"plain 'text'"`);
  assert.equal(quote('a"b\\c\n\t\u0007\u0000\u007f'), '"a\\"b\\\\c\\n\\t\\a\\x00\\x7f"');
  assert.equal(quote("é😀\u200b\u00a0\u{e0001}"), '"é😀\\u200b\\u00a0\\U000e0001"');
});

test("numbers are printed as Go prints them", () => {
  assert.equal(numberText(5_000_000_000), "5000000000");
  assert.equal(numberText(-0), "0");
  assert.equal(numberText(1.5), "1.5");
  for (const [value, text] of [
    [100000, "100000"],
    [1000000, "1e+06"],
    [1234567.5, "1.2345675e+06"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e21, "1e+21"],
    [Number.POSITIVE_INFINITY, "+Inf"],
  ] as const)
    assert.equal(floatText(value), text);
});

test("JSON has sorted keys and no characters that HTML would read", () => {
  assert.equal(
    jsonText({ b: [1, 1.5, null], a: "<&>\u2028" }),
    '{"a":"\\u003c\\u0026\\u003e\\u2028","b":[1,1.5,null]}',
  );
  assert.equal(jsonText({ a: undefined, b: 1 }), '{"b":1}');
});

/** Any characters, those beyond U+FFFF as often as the others. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff })), { maxLength: 6 })
  .map((codes) => String.fromCodePoint(...codes));

test("text is ordered as its UTF-8 bytes are", () => {
  fc.assert(
    fc.property(anyText, anyText, (left, right) => {
      assert.equal(compareText(left, right), Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right))));
    }),
  );
});

test("characters are counted, not UTF-16 units", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.equal(codePointCount(text), [...text].length);
    }),
  );
});
