// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import { parseYaml } from "./yaml.ts";
import { printYaml, printYamlStream } from "./yaml-print.ts";

const hostile = [
  ...[
    "yes",
    "no",
    "on",
    "y",
    "N",
    "true",
    "null",
    "~",
    "",
    " ",
    "=",
    "<<",
    "-",
    "?",
    ":",
    "#",
    "!",
    "&a",
    "*a",
    "|",
    ">",
  ],
  ...["1e3", "0x1f", "0o17", "0777", "08", "1_000", "0b1", ".5", "1.", "+1", "-", ".inf", ".NaN", "1:30", "12:30:45"],
  ...["52:54:00:12:34:56", "2020-01-01", "2020-01-01T00:00:00Z", "a: b", "a:", "a #b", "#a", "- a", "'a'", '"a"', "@a"],
  ...[
    "`a`",
    "%a",
    "[a]",
    "{a}",
    "a]",
    ", a",
    "---",
    "...",
    "--- a",
    "\ta",
    "a\t",
    " a",
    "a ",
    "\n",
    "a\n",
    "a\nb",
    "a\nb\n",
  ],
  ...[
    "a\nb\n\n",
    "\na\nb",
    " a\nb",
    "a\n b\n",
    "a\n\n\nb",
    "a\n  \nb",
    "a\r\nb",
    "a\rb",
    "\u0085",
    "a\u2028b",
    "\uFEFFa",
  ],
  ...[
    "a\u0000b",
    "\u007F",
    "\u0080",
    "é",
    "日本",
    "😀",
    "\\",
    "\\n",
    '\\"',
    "__proto__",
    "a\n---\nb",
    "a\n#b",
    "\u00A0",
  ],
];

const text = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    fc.integer(),
    number,
    text,
    tie("list"),
    tie("map"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  map: fc.dictionary(text, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));

test("what is printed is read back the same, as Kubernetes reads it", () => {
  fc.assert(
    fc.property(value, (wanted) => {
      const [document, ...others] = parseYaml(printYaml(wanted));
      assert.deepEqual(document?.problems, []);
      assert.deepEqual(document?.value, wanted);
      assert.deepEqual(others, []);
    }),
    { numRuns: 500 },
  );
});

test("what is printed is read back the same by readers of YAML 1.1 and of YAML 1.2", () => {
  fc.assert(
    fc.property(value, (wanted) => {
      const printed = printYaml(wanted);
      assert.deepEqual(parse(printed, { version: "1.2" }), wanted);
      assert.deepEqual(parse(printed, { version: "1.1", merge: true }), wanted);
    }),
    { numRuns: 500 },
  );
});

test("keys keep their order, lists stand under their key, undefined members are left out", () => {
  const printed = printYaml({ z: 1, a: { list: [1, { b: "x", c: ["w"] }, [], [[2], {}]], none: undefined }, m: {} });
  assert.equal(
    printed,
    [
      "z: 1",
      "a:",
      "  list:",
      "  - 1",
      "  - b: x",
      "    c:",
      "    - w",
      "  - []",
      "  - - - 2",
      "    - {}",
      "m: {}",
      "",
    ].join("\n"),
  );
});

test("text of several lines is a literal block, a long line is never folded", () => {
  const long = "word ".repeat(100).trim();
  assert.equal(
    printYaml({ a: "one\n  two\n\nthree", b: "x\ny\n", c: long }),
    `a: |-\n  one\n    two\n\n  three\nb: |\n  x\n  y\nc: ${long}\n`,
  );
});

test("ordinary text needs no quotes, doubtful text has them", () => {
  for (const plain of [
    "web-1",
    "v1.31.0",
    "10.0.0.0/16",
    "/dev/vda",
    "^[a-z]+$",
    "https://a.b:8006",
    "20m",
    "what: no",
  ]) {
    const expected = plain === "what: no" ? '"what: no"' : plain;
    assert.equal(printYaml(plain), `${expected}\n`);
  }
  for (const doubtful of ["yes", "1e3", "0x1f", "0o17", "1_0", "52:54:00:12:34:56", "2020-01-01", "12:30"]) {
    assert.equal(printYaml(doubtful), `"${doubtful}"\n`);
  }
});

test("a very long key is printed so that readers find its colon", () => {
  const wanted = { list: [{ ["k".repeat(2000)]: { a: 1 }, b: 2 }] };
  assert.deepEqual(parseYaml(printYaml(wanted))[0]?.value, wanted);
});

test("what JSON cannot carry is refused", () => {
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1]) assert.throws(() => printYaml(bad), TypeError);
});

test("a stream has one document for each value", () => {
  assert.equal(printYamlStream([{ a: 1 }, "x"]), "---\na: 1\n---\nx\n");
});
