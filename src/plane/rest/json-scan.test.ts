// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_JSON_DEPTH, scanJson } from "./json-scan.ts";

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
  assert.deepEqual(scanJson(text), { error: undefined, duplicates: ["b.c", "d[1].e", "d[1].e", "a"] });
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
