// SPDX-License-Identifier: Apache-2.0
import { compareText, quote } from "../../go-text.ts";
import { durationText, timeText } from "../../time.ts";
import { CelError, type CelMap, type CelValue, isCelList, isCelMap, itemsOf, tagged, typeName } from "../values.ts";
import { toText } from "./conversions.ts";

/** Fills the clauses of a format text (`%s`, `%d`, `%.2f`, ...) with arguments. Throws a CelError when they do not fit. */
export function formatText(format: string, args: readonly CelValue[]): string {
  let used = 0;
  return format.replace(/%(?:%|(\.\d*)?(.?))/gsu, (clause, precision: string | undefined, verb: string | undefined) => {
    if (clause === "%%") return "%";
    if (used >= args.length) throw new CelError(`index ${used} out of range`);
    if (verb === undefined || verb === "") throw new CelError("unexpected end of string");
    const value = args[used++] ?? null;
    return formatClause(verb, value, precision === undefined ? undefined : Number(precision.slice(1)));
  });
}

function formatClause(verb: string, value: CelValue, precision: number | undefined): string {
  switch (verb) {
    case "s":
      return formatString(value);
    case "d":
      return formatInteger(value, { base: 10, name: "decimal clause", allowed: "integers" });
    case "f":
      return formatFixed(value, precision ?? 6);
    case "e":
      return formatScientific(value, precision ?? 6);
    case "b":
      return typeof value === "boolean"
        ? String(Number(value))
        : formatInteger(value, {
            base: 2,
            name: "binary clause",
            allowed: "integers and bools",
            only: "can be formatted as binary",
          });
    case "o":
      return formatInteger(value, { base: 8, name: "octal clause", allowed: "integers" });
    case "x":
    case "X": {
      const hex = formatHex(value);
      return verb === "X" ? hex.toUpperCase() : hex;
    }
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

const failed = (words: string): CelError => new CelError(`error during formatting: ${words}`);

function integerOf(value: CelValue): bigint | undefined {
  return typeof value === "bigint" ? value : tagged(value, "uint")?.value;
}

interface IntegerClause {
  readonly base: number;
  readonly name: string;
  readonly allowed: string;
  readonly only?: string;
}

function formatInteger(value: CelValue, { base, name, allowed, only }: IntegerClause): string {
  const integer = integerOf(value);
  if (integer !== undefined) return integer.toString(base);
  if (only !== undefined) throw failed(`only ${allowed} ${only}, was given ${typeName(value)}`);
  throw failed(`${name} can only be used on ${allowed}, was given ${typeName(value)}`);
}

function doubleOf(value: CelValue, name: string): number {
  if (typeof value === "number") return value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity" || value === "-Infinity") return Number(value);
  throw failed(`${name} clause can only be used on doubles, was given ${typeName(value)}`);
}

function formatFixed(value: CelValue, precision: number): string {
  const number = doubleOf(value, "fixed-point");
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "-∞";
  return fixed(number, precision, true);
}

/** More digits than any double has. */
const MAX_DIGITS = 100;

/** Rounds ties to the even digit, as Go does; toFixed does not. */
function fixed(number: number, precision: number, isGrouped: boolean): string {
  const digits = Math.min(precision, MAX_DIGITS);
  return number.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: isGrouped,
    roundingMode: "halfEven",
  });
}

function formatScientific(value: CelValue, precision: number): string {
  const number = doubleOf(value, "scientific");
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "-∞";
  const [digits = "", power = "0"] = number.toExponential(Math.min(precision, MAX_DIGITS)).split("e");
  const exponent = power.replace(/^[+-]/, "").padStart(2, "0");
  return `${digits}×10${superscript(power.startsWith("-") ? `-${exponent}` : exponent)}`;
}

function superscript(text: string): string {
  return text.replace(/./g, (digit) => (digit === "-" ? "⁻" : ("⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? digit)));
}

function formatHex(value: CelValue): string {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  const integer = integerOf(value);
  if (integer !== undefined) return integer.toString(16);
  throw failed(`only integers, byte buffers, and strings can be formatted as hex, was given ${typeName(value)}`);
}

/** The `%s` of a value; lists and maps look like CEL literals. */
function formatString(value: CelValue): string {
  if (value === null) return "null";
  if (isCelList(value)) return `[${itemsOf(value).map(formatMember).join(", ")}]`;
  if (isCelMap(value)) return formatMap(value);
  if (["optional_type", "unknown"].includes(typeName(value)) || typeName(value).includes(".")) {
    const isTime = typeName(value).startsWith("google.protobuf.");
    if (!isTime)
      throw failed(
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, " +
          `and timestamps, was given ${typeName(value)}`,
      );
  }
  return toText(value);
}

function formatMap(map: CelMap): string {
  const pairs = map.keys().map((key) => {
    const value = map.find(key);
    if (value === undefined) throw failed(`could not find key: ${quote(String(key))}`);
    return [formatMember(key), formatMember(value)] as const;
  });
  pairs.sort(([left], [right]) => compareText(left, right));
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

function formatMember(value: CelValue): string {
  if (typeof value === "string") return quote(value);
  if (value instanceof Uint8Array) return `b${quote(toText(value))}`;
  if (typeof value === "number") return Number.isFinite(value) ? fixed(value, 6, false) : quote(floatName(value));
  const time = tagged(value, "timestamp")?.nanoseconds;
  if (time !== undefined) return `timestamp(${quote(timeText(time))})`;
  const span = tagged(value, "duration")?.nanoseconds;
  if (span !== undefined) return `duration(${quote(durationText(span))})`;
  return formatString(value);
}

function floatName(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}
