// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readPlainScalar, readTaggedScalar, type ScalarValue, TagError } from "./yaml-scalar.ts";

// What sigs.k8s.io/yaml 1.6, which kubectl and the API server use, makes of each.
const plain: [string, ScalarValue][] = [
  ["yes", true],
  ["Y", true],
  ["y", true],
  ["On", true],
  ["tRUE", "tRUE"],
  ["yEs", "yEs"],
  ["OFF", false],
  ["n", false],
  ["", null],
  ["~", null],
  ["Null", null],
  ["nULL", "nULL"],
  ["52:54:00:12:34:56", "52:54:00:12:34:56"],
  ["190:20:30", "190:20:30"],
  ["1:30.5", "1:30.5"],
  ["2020-01-01", "2020-01-01"],
  ["2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"],
  ["0777", 511],
  ["-0777", -511],
  ["0o17", 15],
  ["0O7", 7],
  ["0o8", "0o8"],
  ["08", 8],
  ["09.5", 9.5],
  ["00", 0],
  ["-0", 0],
  ["0x1F", 31],
  ["-0x1F", -31],
  ["0x_1", 1],
  ["0x", "0x"],
  ["0x1p4", "0x1p4"],
  ["0b11", 3],
  ["0b-1", -1],
  ["0b", "0b"],
  ["+1", 1],
  ["1_000", 1000],
  ["1_", 1],
  ["_1", "_1"],
  ["1__0", 10],
  ["685_230.15", 685230.15],
  ["1e3", 1000],
  ["1E+3", 1000],
  ["1e1_0", 10_000_000_000],
  ["12e03", 12000],
  ["e3", "e3"],
  ["1e400", "1e400"],
  ["1e-400", 0],
  ["1.", 1],
  [".5", 0.5],
  [".5_0", 0.5],
  ["._7", "._7"],
  ["-.5", -0.5],
  [".", "."],
  ["1.2.3", "1.2.3"],
  ["10.0.0.0/16", "10.0.0.0/16"],
  ["18446744073709551616", 18446744073709552000],
  ["-9223372036854775809", -9223372036854776000],
  ["0xffffffffffffffffff", "0xffffffffffffffffff"],
  ["<<", "<<"],
  ["=", "="],
  ["infinity", "infinity"],
  [".inf", Number.POSITIVE_INFINITY],
  ["-.INF", Number.NEGATIVE_INFINITY],
  [".NaN", Number.NaN],
];

describe("unquoted scalars are read as Kubernetes reads them", () => {
  for (const [text, value] of plain) {
    test(`${JSON.stringify(text)} is ${typeof value === "string" ? "a string" : value}`, () => {
      assert.ok(Object.is(readPlainScalar(text), value), `${readPlainScalar(text)}`);
    });
  }
});

test("an explicit tag decides how a scalar is read", () => {
  const tag = (name: string): string => `tag:yaml.org,2002:${name}`;
  assert.equal(readTaggedScalar(tag("str"), "5"), "5");
  assert.equal(readTaggedScalar(tag("int"), "0x1f"), 31);
  assert.equal(readTaggedScalar(tag("float"), "5"), 5);
  assert.equal(readTaggedScalar(tag("bool"), "yes"), true);
  assert.equal(readTaggedScalar(tag("null"), ""), null);
  assert.equal(readTaggedScalar(tag("binary"), "aGVs\nbG8="), "hello");
  assert.equal(readTaggedScalar(tag("timestamp"), "2020-01-01"), "2020-01-01");
  assert.equal(readTaggedScalar("!", "yes"), "yes");
  assert.equal(readTaggedScalar("!mine", "5"), "5");
});

test("a scalar that does not fit its tag is refused without being quoted", () => {
  for (const [tag, text] of [
    ["int", "5.5"],
    ["int", "hunter2"],
    ["bool", "hunter2"],
    ["null", "hunter2"],
    ["float", "hunter2"],
    ["binary", "hunter2"],
  ] as const) {
    assert.throws(
      () => readTaggedScalar(`tag:yaml.org,2002:${tag}`, text),
      (error) => error instanceof TagError && !error.message.includes(text),
    );
  }
});
