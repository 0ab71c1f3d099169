// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addQuantities,
  compareQuantities,
  isIntegerQuantity,
  isQuantity,
  parseQuantity,
  quantityAsApproximateFloat,
  quantityAsInteger,
  quantityOfInteger,
  quantitySign,
  quantityText,
  subtractQuantities,
} from "./quantity.ts";

/** What Kubernetes' own library makes of each text. */
const CANONICAL: readonly (readonly [string, string])[] = [
  ["0", "0"],
  ["00", "0"],
  ["0Ki", "0"],
  ["-0", "0"],
  ["+5", "5"],
  ["1", "1"],
  ["1.", "1"],
  [".001", "1m"],
  ["1000", "1k"],
  ["1000m", "1"],
  ["1.5", "1500m"],
  ["0.5", "500m"],
  ["1.08", "1080m"],
  ["1080000000n", "1080m"],
  ["1234567M", "1234567M"],
  ["0.001T", "1G"],
  ["10.035M", "10035k"],
  ["100.035k", "100035"],
  ["1Ki", "1Ki"],
  ["1024Mi", "1Gi"],
  ["1025024Mi", "1001Gi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Mi", "512Ki"],
  ["0.5Ki", "512"],
  ["1025Ki", "1025Ki"],
  ["100.035Ki", "102435840m"],
  ["0.05Gi", "53687091200m"],
  ["-1Gi", "-1Gi"],
  ["9Ei", "9223372036854775807"],
  ["9223372036854775807Ki", "9223372036854775807"],
  ["12E", "12E"],
  ["1E", "1E"],
  ["1E6", "1e6"],
  ["1e14", "100e12"],
  ["1.2e3", "1200"],
  ["1.3E+6", "1300e3"],
  ["1E-3", "1e-3"],
  ["0.5e-9", "1e-9"],
  [".001e12", "1e9"],
  ["3.001n", "4n"],
  ["0.9n", "1n"],
  ["0.0000000001", "1n"],
  ["-0.0000000001", "-1n"],
  ["0.00000012345", "124n"],
  ["0.000000000001Ki", "2n"],
  ["123456789012345678901234567890", "123456789012345678901234567890"],
  [".", "0"],
  ["-", "0"],
  ["M", "0"],
];

test("texts are read and written as Kubernetes does", () => {
  for (const [text, canonical] of CANONICAL) assert.equal(quantityText(parseQuantity(text)), canonical, text);
});

test("what Kubernetes refuses is refused in its words", () => {
  const format = /^quantities must match the regular expression/;
  const suffix = /^unable to parse quantity's suffix$/;
  for (const text of ["", " 1", "1 ", "1.1.M", "1+1.0M", "aoeu", "0x10", "1_000", "١"]) {
    assert.throws(() => parseQuantity(text), { message: format }, text);
  }
  for (const text of ["1i", ".5i", "1mi", "1kK", "1e", "-3.01e-", "1+5", "1Ei5", "1e99999999999999999999"]) {
    assert.throws(() => parseQuantity(text), { message: suffix }, text);
  }
  assert.throws(() => parseQuantity(".e-20"), { message: "unable to parse numeric part of quantity" });
  assert.equal(isQuantity("1i"), false);
  assert.equal(isQuantity("1Gi"), true);
});

test("an integer is what Kubernetes holds as one: written without a fraction and within its 64 bits", () => {
  for (const [text, value] of [
    ["0", 0n],
    ["50000000G", 50_000_000_000_000_000n],
    ["1Ki", 1024n],
    ["-2k", -2000n],
    ["9E", 9n * 10n ** 18n],
  ] as const) {
    assert.equal(quantityAsInteger(parseQuantity(text)), value, text);
  }
  for (const text of ["1.0", "1000m", "1.5", "3Ei", "0.5Mi", "10E", "9999999999999999999", "1e2000000000"]) {
    assert.equal(isIntegerQuantity(parseQuantity(text)), false, text);
    assert.throws(() => quantityAsInteger(parseQuantity(text)), { message: "cannot convert value to integer" }, text);
  }
  assert.equal(isIntegerQuantity(quantityOfInteger(2n ** 63n, "DecimalSI")), false);
});

test("floats are as close as Kubernetes makes them", () => {
  for (const [text, value] of [
    ["50k", 50_000],
    ["0.1", 0.1],
    ["1.1Ki", 1126.4],
    ["-1e3", -1000],
    ["1e400", Number.POSITIVE_INFINITY],
    ["0e-20", 0],
  ] as const) {
    assert.equal(quantityAsApproximateFloat(parseQuantity(text)), value, text);
  }
});

test("numbers with absurd exponents are compared without being written out", () => {
  const huge = parseQuantity("1e2000000000");
  assert.equal(compareQuantities(huge, parseQuantity("1e1999999999")), 1);
  assert.equal(compareQuantities(parseQuantity("-1e2000000000"), parseQuantity("1n")), -1);
  assert.equal(compareQuantities(parseQuantity("12345678901234567890e2000000000"), huge), 1);
  assert.equal(quantityText(parseQuantity("1e-2000000000")), "1e-9");
  assert.equal(quantityText(huge), "100e1999999998");
  assert.throws(() => addQuantities(huge, parseQuantity("1")), /too far apart/);
});

test("a value that has no suffix large enough is still written whole", () => {
  assert.equal(quantityText(parseQuantity("1000E")), "1000E");
  const most = parseQuantity("8Ei");
  assert.equal(compareQuantities(parseQuantity(quantityText(addQuantities(most, most))), most), 1);
});

test("a sum keeps the format of its first part, or of the second where the first is zero", () => {
  const sum = (left: string, right: string) => quantityText(addQuantities(parseQuantity(left), parseQuantity(right)));
  assert.equal(sum("1Gi", "1Mi"), "1025Mi");
  assert.equal(sum("0", "1Gi"), "1Gi");
  assert.equal(sum("1Gi", "0"), "1Gi");
  assert.equal(sum("1G", "1Gi"), "2073741824");
  assert.equal(sum("1e3", "1k"), "2e3");
  assert.equal(quantityText(subtractQuantities(parseQuantity("0"), parseQuantity("1Gi"))), "-1Gi");
});

const quantityTexts = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.bigInt({ min: 0n, max: 10n ** 24n }).map(String),
    fc.option(fc.stringMatching(/^[0-9]{0,12}$/)),
    fc.constantFrom(
      "",
      "n",
      "u",
      "m",
      "k",
      "M",
      "G",
      "T",
      "P",
      "E",
      "Ki",
      "Mi",
      "Gi",
      "Ti",
      "e3",
      "E-4",
      "e+2",
      "e-11",
    ),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${suffix}`);
const quantities = quantityTexts.map(parseQuantity);

test("the canonical text reads back as the same value, and is its own canonical text", () => {
  fc.assert(
    fc.property(quantities, (quantity) => {
      const text = quantityText(quantity);
      const again = parseQuantity(text);
      assert.doesNotMatch(text, /\./);
      assert.equal(compareQuantities(again, quantity), 0);
      assert.equal(quantityText(again), text);
    }),
  );
});

test("comparing is an order, and agrees with subtraction", () => {
  fc.assert(
    fc.property(quantities, quantities, quantities, (a, b, c) => {
      assert.equal(compareQuantities(a, a), 0);
      assert.equal(compareQuantities(a, b), 0 - compareQuantities(b, a));
      assert.equal(compareQuantities(a, b), quantitySign(subtractQuantities(a, b)));
      if (compareQuantities(a, b) <= 0 && compareQuantities(b, c) <= 0) assert.ok(compareQuantities(a, c) <= 0);
    }),
  );
});

test("what is added can be taken away again", () => {
  fc.assert(
    fc.property(quantities, quantities, (a, b) => {
      assert.equal(compareQuantities(subtractQuantities(addQuantities(a, b), b), a), 0);
      assert.equal(compareQuantities(addQuantities(a, b), addQuantities(b, a)), 0);
    }),
  );
});

test("an integer that is one equals itself as a quantity", () => {
  fc.assert(
    fc.property(quantities, (quantity) => {
      if (!isIntegerQuantity(quantity)) return;
      const value = quantityAsInteger(quantity);
      assert.equal(compareQuantities(quantityOfInteger(value, "DecimalSI"), quantity), 0);
    }),
  );
});
