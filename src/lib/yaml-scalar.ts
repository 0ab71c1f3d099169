// SPDX-License-Identifier: Apache-2.0

/** What a scalar of a YAML document stands for. */
export type ScalarValue = null | boolean | number | string;

const words = new Map<string, ScalarValue>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(pairWith(true)),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(pairWith(false)),
  ...["", "~", "null", "Null", "NULL"].map(pairWith(null)),
  ...[".nan", ".NaN", ".NAN"].map(pairWith(Number.NaN)),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map(pairWith(Number.POSITIVE_INFINITY)),
  ...["-.inf", "-.Inf", "-.INF"].map(pairWith(Number.NEGATIVE_INFINITY)),
]);

const integerPattern = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/;
const oddBinaryPattern = /^0b([-+]?)([01]+)$/;
const floatPattern = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const smallestInteger = -(2n ** 63n);
const largestInteger = 2n ** 64n - 1n;
/** Far more than 64 bits have in any base; long texts take long to be read as numbers. */
const mostDigits = 1000;

function pairWith(value: ScalarValue): (word: string) => [string, ScalarValue] {
  return (word) => [word, value];
}

/**
 * Reads an unquoted scalar as Kubernetes does, that is, as go-yaml v2 does: YAML 1.1 words and octal numbers, but
 * neither base 60 numbers nor dates, so a MAC address and a time stamp stay strings. Integers beyond 2^53 lose digits; `integerOf` has them all.
 */
export function readPlainScalar(text: string): ScalarValue {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  const digits = withoutUnderscores(text);
  return readInteger(digits) ?? readFloat(digits) ?? text;
}

/** The integer that an unquoted scalar stands for, to the last digit; undefined where it stands for something else. */
export function integerOf(text: string): bigint | undefined {
  return exactInteger(withoutUnderscores(text));
}

function withoutUnderscores(text: string): string {
  return text.startsWith(".") ? text.replaceAll(/(?<=\d)_(?=\d)/g, "") : text.replaceAll("_", "");
}

function readInteger(digits: string): number | undefined {
  const value = exactInteger(digits);
  return value === undefined ? undefined : Number(value);
}

function exactInteger(digits: string): bigint | undefined {
  if (digits.length > mostDigits) return undefined;
  const match = integerPattern.exec(digits) ?? oddBinaryPattern.exec(digits);
  if (match === null) return undefined;
  const [, sign = "", body = ""] = match;
  const magnitude = BigInt(prefixed(digits, body));
  const value = sign === "-" ? -magnitude : magnitude;
  // Decimal numbers out of range are still numbers to the caller: they match the pattern of floats.
  return value < smallestInteger || value > largestInteger ? undefined : value;
}

function prefixed(digits: string, body: string): string {
  if (oddBinaryPattern.test(digits) && !body.startsWith("0b")) return `0b${body}`;
  return /^0[0-7]+$/.test(body) ? `0o${body.slice(1)}` : body.toLowerCase();
}

function readFloat(digits: string): number | undefined {
  if (!floatPattern.test(digits)) return undefined;
  const value = Number(digits);
  return Number.isFinite(value) ? value : undefined;
}

/** A scalar with an explicit tag that cannot be read as that tag demands; the message never quotes the scalar. */
export class TagError extends Error {}

const standardTags = "tag:yaml.org,2002:";

/**
 * Reads a scalar that carries an explicit tag: `!!str`, `!!int`, `!!float`, `!!bool`, `!!null` and `!!binary` as
 * their names say, any other tag as a string. Throws `TagError` when the text does not fit.
 */
export function readTaggedScalar(tag: string, text: string): ScalarValue {
  const name = tag.startsWith(standardTags) ? tag.slice(standardTags.length) : "";
  const value = readPlainScalar(text);
  switch (name) {
    case "binary":
      return decodeBase64(text);
    case "int":
      if (typeof value === "number" && !floatOnly(text)) return value;
      break;
    case "float":
      if (typeof value === "number") return value;
      break;
    case "bool":
      if (typeof value === "boolean") return value;
      break;
    case "null":
      if (value === null) return value;
      break;
    default:
      return text;
  }
  throw new TagError(`this value cannot be read as !!${name}`);
}

function floatOnly(text: string): boolean {
  return readInteger(text.replaceAll("_", "")) === undefined;
}

function decodeBase64(text: string): string {
  const packed = text.replaceAll(/[\r\n]/g, "");
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) {
    throw new TagError("this !!binary value is not base64");
  }
  return Buffer.from(packed, "base64").toString("utf8");
}
