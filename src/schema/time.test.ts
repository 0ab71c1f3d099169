// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { durationText, parseDate, parseGoDuration, parseLooseDuration, parseTime, timeText } from "./time.ts";

test("times are read to the nanosecond", () => {
  assert.equal(parseTime("1970-01-01T00:00:00.000000001Z"), 1n);
  assert.equal(parseTime("1970-01-01T01:00:00+01:00"), 0n);
  assert.equal(parseTime("1969-12-31T23:59:59.5Z"), -500_000_000n);
  for (const text of ["1970-01-01", "1970-02-30T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01T00:00:00", "x"])
    assert.equal(parseTime(text), undefined, text);
});

test("a time that is printed and read again is the same", () => {
  const range = { min: -62135596800n * 1_000_000_000n, max: 253402300799n * 1_000_000_000n };
  fc.assert(
    fc.property(fc.bigInt(range), (nanoseconds) => {
      assert.equal(parseTime(timeText(nanoseconds)), nanoseconds);
    }),
  );
});

test("dates must exist", () => {
  assert.equal(parseDate("1970-01-02"), 86_400_000_000_000n);
  assert.equal(parseDate("2021-02-29"), undefined);
  assert.equal(parseDate("21-02-01"), undefined);
});

test("durations are read as Go reads them", () => {
  for (const [text, nanoseconds] of [
    ["0", 0n],
    ["1h2m3.5s", 3_723_500_000_000n],
    ["-1.5ms", -1_500_000n],
    [".5s", 500_000_000n],
    ["1µs1ns", 1001n],
  ] as const)
    assert.equal(parseGoDuration(text), nanoseconds, text);
  for (const text of ["", "1", "1d", "1 s", "s", "1h-2m", "9999999999h"])
    assert.equal(parseGoDuration(text), undefined, text);
});

test("the duration format also takes words", () => {
  assert.equal(parseLooseDuration("3 days"), 3n * 86_400_000_000_000n);
  assert.equal(parseLooseDuration("in 2 weeks"), 14n * 86_400_000_000_000n);
  assert.equal(parseLooseDuration("soon"), undefined);
});

test("durations are printed in seconds", () => {
  assert.equal(durationText(5_400_000_000_000n), "5400s");
  assert.equal(durationText(-1_500_000n), "-0.0015s");
});
