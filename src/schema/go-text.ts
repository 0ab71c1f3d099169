// SPDX-License-Identifier: Apache-2.0
import type { Json } from "./types.ts";

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Quotes text the way Go prints a string with %q: the form every API server message uses. */
export function quote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let quoted = "";
  for (const character of text) quoted += quoteCharacter(character);
  return `"${quoted}"`;
}

function quoteCharacter(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"; // a lone surrogate cannot be in a Go string
  if (PRINTABLE.test(character)) return character;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}

/** True for numbers a Go server decodes to int64; the others are float64 there. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** A number as Go prints it with %v: integers in full, other numbers shortest, with an exponent from 1e+06 on. */
export function numberText(value: number): string {
  return isInt64(value) ? BigInt(value).toString() : floatText(value);
}

/** A float64 as Go prints it with %v, also when it happens to be integral. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const exponent = value === 0 ? 0 : Number(value.toExponential().split("e")[1]);
  if (exponent >= -4 && exponent < 6) return plainDecimal(value);
  const [digits = "", power = ""] = value.toExponential().split("e");
  const sign = power.startsWith("-") ? "-" : "+";
  return `${digits}e${sign}${power.replace(/^[-+]/, "").padStart(2, "0")}`;
}

/** A finite number in decimal notation without an exponent, with as few digits as identify it. */
export function plainDecimal(value: number): string {
  if (Object.is(value, -0)) return "-0";
  const text = String(value);
  if (!text.includes("e")) return text;
  const [mantissa = "", power = "0"] = text.split("e");
  const negative = mantissa.startsWith("-");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = whole + fraction;
  const point = whole.length + Number(power);
  let plain: string;
  if (point <= 0) plain = `0.${"0".repeat(-point)}${digits}`;
  else if (point >= digits.length) plain = digits + "0".repeat(point - digits.length);
  else plain = `${digits.slice(0, point)}.${digits.slice(point)}`;
  return negative ? `-${plain}` : plain;
}

/** A value as Go's JSON encoder writes it: keys sorted, `<`, `>` and `&` escaped. */
export function jsonText(value: Json | undefined): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return jsonString(value);
  if (typeof value === "number") return isInt64(value) ? BigInt(value).toString() : String(value);
  if (typeof value === "boolean") return String(value);
  if (isList(value)) return `[${value.map(jsonText).join(",")}]`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([left], [right]) => compareText(left, right));
  return `{${entries.map(([key, item]) => `${jsonString(key)}:${jsonText(item)}`).join(",")}}`;
}

function jsonString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[<>&\u2028\u2029\u007f]/g, (character) =>
    character === "\u007f" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Orders text by code points, which is how Go orders its UTF-8 bytes; UTF-16 order differs beyond U+FFFF. */
export function compareText(left: string, right: string): -1 | 0 | 1 {
  if (left === right) return 0;
  let at = 0;
  while (at < left.length && at < right.length && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  if (at === left.length) return -1;
  if (at === right.length) return 1;
  return codePointRank(left, at) < codePointRank(right, at) ? -1 : 1;
}

function codePointRank(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** How many characters (code points) a text has. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(at + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--;
      at++;
    }
  }
  return count;
}

/** True for JSON lists; narrows read-only lists, which Array.isArray does not. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** True for JSON objects, not for lists and null. */
export function isObject(value: unknown): value is { readonly [key: string]: Json | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
