// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createLineSplitter } from "./json-lines.ts";

function split(chunks: readonly Buffer[]): { lines: string[]; hasRest: boolean } {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line));
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, hasRest: splitter.hasRest };
}

test("lines come out whole wherever the chunks end, inside a character too", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme" }).map((text) => JSON.stringify({ text }))),
      fc.array(fc.nat(40)),
      (lines, cuts) => {
        let rest = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const chunks: Buffer[] = [];
        for (const cut of cuts) {
          chunks.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        chunks.push(rest);
        assert.deepEqual(split(chunks), { lines, hasRest: false });
      },
    ),
  );
});

test("empty lines are left out, and what follows the last newline is noticed", () => {
  assert.deepEqual(split([Buffer.from('\n\r\n{"a":1}\n{"b"')]), { lines: ['{"a":1}'], hasRest: true });
});

test("a line of a megabyte in chunks of sixteen bytes is copied once, not once per chunk", () => {
  const line = "x".repeat(1024 * 1024);
  const whole = Buffer.from(`${line}\n`);
  const chunks = Array.from({ length: Math.ceil(whole.length / 16) }, (_, at) => whole.subarray(at * 16, at * 16 + 16));
  const concat = Buffer.concat;
  let copies = 0;
  Buffer.concat = (...given) => {
    copies += 1;
    return concat(...given);
  };
  try {
    assert.equal(split(chunks).lines[0]?.length, line.length);
  } finally {
    Buffer.concat = concat;
  }
  assert.equal(copies, 1);
});

test("a line that never ends is refused before it fills the memory", () => {
  const splitter = createLineSplitter(() => {}, 100);
  splitter.push(Buffer.alloc(100, "x"));
  assert.throws(() => splitter.push(Buffer.from("x")), RangeError);
});
