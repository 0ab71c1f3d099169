// SPDX-License-Identifier: Apache-2.0

/** Which family of suffixes a quantity is written with: `12M`, `12Mi` or `12e6`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** A Kubernetes resource quantity: exactly `digits * 10^exponent`. Never changed in place. */
export interface Quantity {
  readonly format: QuantityFormat;
  readonly digits: bigint;
  readonly exponent: number;
  /**
   * Whether Kubernetes holds this number as a 64-bit integer times a power of ten. Only such quantities can be integers
   * to it: `1.0` and `3Ei` are not, and CEL rules can see that.
   */
  readonly fitsInt64: boolean;
}

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const DECIMAL_SUFFIXES = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const SUFFIXES = new Map<string, Suffix>([
  ...BINARY_SUFFIXES.map((text, index): [string, Suffix] => [
    text,
    { base: 2, exponent: 10 * index, format: "BinarySI" },
  ]),
  // After the binary ones: a number without a suffix is decimal.
  ...DECIMAL_SUFFIXES.map((text, index): [string, Suffix] => [
    text,
    { base: 10, exponent: 3 * index - 9, format: "DecimalSI" },
  ]),
]);
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
const NANO = -9;
/** Beyond this, numbers are compared by length and never written out: `1e2000000000` must not fill the memory. */
const MAX_SPREAD = 5000;

const PARTS = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)$/;
const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = "unable to parse numeric part of quantity";
const WRONG_SUFFIX = "unable to parse quantity's suffix";

/**
 * Reads a quantity as Kubernetes does: anything finer than a nano is rounded away from zero, binary quantities are capped
 * at 2^63-1. Throws an error with the API server's words for anything else.
 */
export function parseQuantity(text: string): Quantity {
  const parts = text === "" ? null : PARTS.exec(text);
  if (parts === null) throw new Error(WRONG_FORMAT);
  const [, sign = "", whole = "", fraction = "", suffixText = ""] = parts;
  const suffix = parseSuffix(suffixText);
  if (suffix === undefined) throw new Error(WRONG_SUFFIX);

  const significant = whole.replace(/^0+/, "") || "0";
  const negative = sign === "-";
  const small = parseSmall(significant, fraction, { ...suffix, negative });
  if (small !== undefined) return small;

  // A sign alone is zero to Kubernetes, and so is a suffix alone; only in this slower way of reading is a digit missed.
  if (whole === "" && fraction === "") throw new Error(WRONG_NUMBER);
  return parseLarge(significant, fraction, { ...suffix, negative });
}

/** Whether `parseQuantity` would accept this text. */
export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

function parseSuffix(text: string): Suffix | undefined {
  const known = SUFFIXES.get(text);
  if (known !== undefined) return known;
  if (!/^[eE][+-]?[0-9]+$/.test(text)) return undefined;
  const parsed = BigInt(text.slice(1).replace("+", ""));
  if (parsed > MAX_INT64 || parsed < MIN_INT64) return undefined;
  // Kubernetes keeps the lower 32 bits of an exponent.
  return { base: 10, exponent: Number(BigInt.asIntN(32, parsed)), format: "DecimalExponent" };
}

function parseSmall(whole: string, fraction: string, suffix: Suffix & { negative: boolean }): Quantity | undefined {
  let digits = BigInt(whole + fraction);
  let exponent = -fraction.length;
  if (suffix.base === 10) {
    if (whole.length + fraction.length > 18) return undefined;
    exponent += suffix.exponent;
  } else {
    if (fraction !== "" || whole.length + (suffix.exponent * 3) / 10 > 14) return undefined;
    digits <<= BigInt(suffix.exponent);
  }
  if (exponent < NANO || digits > MAX_INT64) return undefined;
  return { format: suffix.format, digits: suffix.negative ? -digits : digits, exponent, fitsInt64: true };
}

function parseLarge(whole: string, fraction: string, suffix: Suffix & { negative: boolean }): Quantity {
  let digits = BigInt(whole + fraction);
  let exponent = -fraction.length;
  let format = suffix.format;
  if (suffix.base === 10) exponent += suffix.exponent;
  else digits <<= BigInt(suffix.exponent);

  if (digits !== 0n && exponent <= MAX_SPREAD) {
    digits = atNanoRoundedUp(digits, exponent);
    exponent = NANO;
  }
  if (suffix.base === 2) {
    if (compareMagnitudes({ digits, exponent }, { digits: MAX_INT64, exponent: 0 }) > 0) {
      digits = MAX_INT64;
      exponent = 0;
    }
    if (digits !== 0n && compareMagnitudes({ digits, exponent }, { digits: 1n, exponent: 0 }) < 0) format = "DecimalSI";
  }
  return { format, digits: suffix.negative ? -digits : digits, exponent, fitsInt64: false };
}

function atNanoRoundedUp(digits: bigint, exponent: number): bigint {
  if (exponent >= NANO) return digits * 10n ** BigInt(exponent - NANO);
  const dropped = NANO - exponent;
  if (dropped > digits.toString().length) return 1n;
  const divisor = 10n ** BigInt(dropped);
  return (digits + divisor - 1n) / divisor;
}

/** -1, 0 or 1: whether `left` is less than, equal to or greater than `right`, whatever their formats. */
export function compareQuantities(left: Quantity, right: Quantity): -1 | 0 | 1 {
  const sign = quantitySign(left);
  const otherSign = quantitySign(right);
  if (sign !== otherSign) return sign < otherSign ? -1 : 1;
  const magnitude = compareMagnitudes(left, right);
  if (magnitude === 0) return 0;
  return magnitude > 0 === sign > 0 ? 1 : -1;
}

/** -1, 0 or 1. */
export function quantitySign(quantity: Quantity): -1 | 0 | 1 {
  if (quantity.digits === 0n) return 0;
  return quantity.digits < 0n ? -1 : 1;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function compareMagnitudes(left: Decimal, right: Decimal): -1 | 0 | 1 {
  const a = left.digits < 0n ? -left.digits : left.digits;
  const b = right.digits < 0n ? -right.digits : right.digits;
  if (a === 0n || b === 0n) return order(a, b);
  const lengthA = a.toString().length + left.exponent;
  const lengthB = b.toString().length + right.exponent;
  if (lengthA !== lengthB) return lengthA < lengthB ? -1 : 1;
  const exponent = Math.min(left.exponent, right.exponent);
  return order(
    atExponent({ digits: a, exponent: left.exponent }, exponent),
    atExponent({ digits: b, exponent: right.exponent }, exponent),
  );
}

function order(a: bigint, b: bigint): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function atExponent(decimal: Decimal, exponent: number): bigint {
  return decimal.digits * 10n ** BigInt(decimal.exponent - exponent);
}

/** The exact sum, in the format of `left`, or of `right` where `left` is zero. Throws where it would have thousands of digits. */
export function addQuantities(left: Quantity, right: Quantity): Quantity {
  const format = left.digits === 0n ? right.format : left.format;
  const areSmall = left.fitsInt64 && right.fitsInt64;
  if (areSmall && right.digits === 0n) return { ...left, format };
  if (areSmall && left.digits === 0n) return right;

  const exponent = Math.min(left.exponent, right.exponent);
  if (Math.max(left.exponent, right.exponent) - exponent > MAX_SPREAD) {
    throw new Error("quantities are too far apart to be added");
  }
  const a = atExponent(left, exponent);
  const b = atExponent(right, exponent);
  return { format, digits: a + b, exponent, fitsInt64: areSmall && [a, b, a + b].every(isInt64) };
}

/** The exact difference, with the format rule of `addQuantities`. */
export function subtractQuantities(left: Quantity, right: Quantity): Quantity {
  return addQuantities(left, { ...right, digits: -right.digits });
}

/** An integer as a quantity. */
export function quantityOfInteger(value: bigint, format: QuantityFormat): Quantity {
  return { format, digits: value, exponent: 0, fitsInt64: isInt64(value) };
}

function isInt64(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_INT64;
}

/** Whether Kubernetes takes it for an integer: held as 64 bits, written without a fraction, within 64 bits. */
export function isIntegerQuantity(quantity: Quantity): boolean {
  if (!quantity.fitsInt64 || quantity.exponent < 0) return false;
  if (quantity.digits === 0n) return true;
  return quantity.exponent <= 18 && isInt64(atExponent(quantity, 0));
}

/** The integer it is. Throws where `isIntegerQuantity` is false. */
export function quantityAsInteger(quantity: Quantity): bigint {
  if (!isIntegerQuantity(quantity)) throw new Error("cannot convert value to integer");
  return quantity.digits === 0n ? 0n : atExponent(quantity, 0);
}

/** The nearest float, up to the last bit or two: the same bits Kubernetes computes. */
export function quantityAsApproximateFloat(quantity: Quantity): number {
  const digits = Number(quantity.digits);
  return quantity.exponent === 0 ? digits : digits * powerOfTen(quantity.exponent);
}

/** Go multiplies two table entries, which is not always the nearest float; the same is done here. */
function powerOfTen(exponent: number): number {
  const size = Math.abs(exponent);
  if (exponent < -323) return 0;
  if (exponent > 308) return Number.POSITIVE_INFINITY;
  const coarse = size - (size % 32);
  return exponent < 0
    ? Number(`1e-${coarse}`) / Number(`1e${size % 32}`)
    : Number(`1e${coarse}`) * Number(`1e${size % 32}`);
}

/**
 * The canonical text: no fraction, the largest suffix that loses nothing, the format kept. A binary quantity below 1024 or
 * with a fraction is written in decimal. Reading it again gives an equal quantity.
 */
export function quantityText(quantity: Quantity): string {
  if (quantity.digits === 0n) return "0";
  const { digits, exponent } = withoutTrailingZeros(quantity);
  if (quantity.format === "BinarySI" && exponent >= 0) {
    const value = atExponent({ digits, exponent }, 0);
    if (value >= 1024n || value <= -1024n) return binaryText(value);
  }
  let scale = Math.floor(exponent / 3) * 3;
  if (quantity.format === "DecimalExponent") {
    return `${atExponent({ digits, exponent }, scale)}${scale === 0 ? "" : `e${scale}`}`;
  }
  // Kubernetes prints 1000E as "1", losing the suffix it has none for. We keep the value.
  scale = Math.min(scale, 18);
  return `${atExponent({ digits, exponent }, scale)}${DECIMAL_SUFFIXES[(scale - NANO) / 3]}`;
}

function withoutTrailingZeros(quantity: Quantity): Decimal {
  let { digits, exponent } = quantity;
  while (digits % 10n === 0n) {
    digits /= 10n;
    exponent += 1;
  }
  return { digits, exponent };
}

function binaryText(value: bigint): string {
  let rest = value;
  let power = 0;
  while (rest % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n;
    power += 1;
  }
  return `${rest}${BINARY_SUFFIXES[power]}`;
}
