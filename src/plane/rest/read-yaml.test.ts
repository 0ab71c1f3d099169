// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../status-error.ts";
import { BodyError } from "./body.ts";
import { readYaml } from "./read-yaml.ts";

const MEBIBYTE = 1024 * 1024;

test("large bodies are read where they are ordinary: long texts and long definitions", () => {
  const text = "    a line of some text, with [brackets] and commas, as it stands in files\n";
  const { value } = readYaml(`kind: ConfigMap\ndata:\n  file: |\n${text.repeat((2 * MEBIBYTE) / text.length)}`);
  assert.ok(Object(value).data.file.length > 1.8 * MEBIBYTE);
  const field = (number: number) =>
    `      field${number}:\n        description: What this field is for, in words.\n        type: string\n`;
  const fields = Array.from({ length: MEBIBYTE / field(1000).length }, (_, number) => field(number));
  const { value: definition } = readYaml(`kind: Definition\nspec:\n  schema:\n    properties:\n${fields.join("")}`);
  assert.equal(Object.keys(Object(definition).spec.schema.properties).length, fields.length);
});

test("bodies of very many pieces are refused before they are parsed", () => {
  const half = MEBIBYTE / 2;
  for (const text of [`[${",".repeat(half)}]`, "- a\n".repeat(half), "! ".repeat(half), "...\n".repeat(half)])
    assert.throws(
      () => readYaml(text),
      (error) => error instanceof StatusError && error.status.code === 413,
    );
});

test("blank lines do not make a body slow", () => {
  const blank = "\n".repeat(100_000);
  assert.deepEqual(readYaml(`a: 1${blank}b: 2\n`).value, { a: 1, b: 2 });
});

test("what is no YAML is told in the words of the real server's parser", () => {
  const words: Readonly<Record<string, string>> = {
    "\ta: b": "yaml: found character that cannot start any token",
    "# x\n \ta: b": "yaml: line 2: found character that cannot start any token",
    '\t{"a":1}': "yaml: found character that cannot start any token",
    "a: b\n\tc: d\n": "yaml: line 2: found a tab character that violates indentation",
    "&&&\n": "yaml: did not find expected alphabetic or numeric character",
    "a: *b\n": "yaml: unknown anchor 'b' referenced",
    "a: 'b\n": "yaml: line 2: found unexpected end of stream",
    "a: b: c\n": "yaml: mapping values are not allowed in this context",
  };
  for (const [text, message] of Object.entries(words))
    assert.throws(
      () => readYaml(text),
      (error) => error instanceof BodyError && error.message === message,
      text,
    );
});

test("integers that would be rounded are told with the key that they belong to", () => {
  const { lostNumbers } = readYaml("a: 9007199254740993\nb: [0x20000000000001]\nc: 1\nd: '9007199254740993'\n");
  assert.deepEqual(lostNumbers.rounded, [
    { field: "a", text: "9007199254740993" },
    { field: "", text: "0x20000000000001" },
  ]);
});
