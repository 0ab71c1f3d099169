// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_JSON_DEPTH, parseScanned, scanJson } from "./json-scan.ts";

test("what is no JSON is told in the words of Go's decoder", () => {
  const words: Readonly<Record<string, string>> = {
    "": "unexpected end of JSON input",
    xyz: "invalid character 'x' looking for beginning of value",
    '{"a":': "unexpected end of JSON input",
    "{a:1}": "invalid character 'a' looking for beginning of object key string",
    '{"a" 1}': "invalid character '1' after object key",
    '{"a":1 "b":2}': "invalid character '\"' after object key:value pair",
    "[1 2]": "invalid character '2' after array element",
    "{} x": "invalid character 'x' after top-level value",
    '"\n"': "invalid character '\\n' in string literal",
    '"\\x"': "invalid character 'x' in string escape code",
    '"\\u12g4"': "invalid character 'g' in \\u hexadecimal character escape",
    "-x": "invalid character 'x' in numeric literal",
    "1.x": "invalid character 'x' after decimal point in numeric literal",
    "1ex": "invalid character 'x' in exponent of numeric literal",
    "01": "invalid character '1' after top-level value",
    truE: "invalid character 'E' in literal true (expecting 'e')",
    "{'a':1}": "invalid character '\\'' looking for beginning of object key string",
  };
  for (const [text, message] of Object.entries(words)) assert.equal(scanJson(text).error, message, text);
});

test("keys that stand twice are told with their place, in the order of the text", () => {
  const text = '{"a":1,"b":{"c":1,"c":2},"d":[{"e":1},{"e":1,"e":2,"\\u0065":3}],"a":2}';
  const { error, duplicates } = scanJson(text);
  assert.deepEqual({ error, duplicates }, { error: undefined, duplicates: ["b.c", "d[1].e", "d[1].e", "a"] });
});

test("JSON that is nested too deeply is refused", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.equal(scanJson(nested(MAX_JSON_DEPTH)).error, undefined);
  assert.equal(scanJson(nested(MAX_JSON_DEPTH + 2)).error, "exceeded max depth");
  assert.equal(scanJson("[".repeat(1_000_000)).error, "exceeded max depth");
});

test("a text is JSON here exactly when it is for JSON.parse", () => {
  const broken = fc.tuple(fc.json(), fc.nat(), fc.constantFrom("", "{", '"', ",", "]", "x", "\\", "0", ":", "\u0001"));
  const texts = fc.oneof(
    fc.json(),
    fc.string(),
    broken.map(
      ([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1),
    ),
  );
  fc.assert(
    fc.property(texts, (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      assert.equal(scanJson(text).error === undefined, isJson, text);
    }),
    { numRuns: 2000 },
  );
});

test("numbers that are too large or would be rounded are told with their place, others are not", () => {
  const lost = (number: string) => scanJson(`{"a":[{"b":${number}}]}`).lostNumbers;
  for (const kept of ["0", "-1", "9007199254740992", "1000000000000000000", "1e308", "1e-400", "9223372036854775808"])
    assert.deepEqual(lost(kept), { tooLarge: undefined, rounded: [] }, kept);
  for (const text of ["9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775809"])
    assert.deepEqual(lost(text), { tooLarge: undefined, rounded: [{ field: "a[0].b", text }] }, text);
  for (const text of ["1e400", "-1e400", "9".repeat(400)])
    assert.deepEqual(lost(text), { tooLarge: { field: "a[0].b", text }, rounded: [] }, text);
});

test("an integer that is not told is written again as it was", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
      const text = String(integer);
      const isTold = scanJson(text).lostNumbers.rounded.length > 0;
      assert.equal(isTold || JSON.stringify(JSON.parse(text)) === text, true);
    }),
  );
});

test("half a character becomes a replacement character, in keys as in values", () => {
  const text = '{"a\\ud800":["\\udc00x","\\ud83d\\ude00"]}';
  const scan = scanJson(text);
  assert.deepEqual(parseScanned(text, scan), { "a\ufffd": ["\ufffdx", "\u{1f600}"] });
  assert.deepEqual(scanJson('{"\\ud800":1,"\\ud801":2}').duplicates, ["\ufffd"]);
});
