// SPDX-License-Identifier: Apache-2.0
import { floatText } from "../../go-text.ts";
import { durationText, floorDivide, parseGoDuration, parseTime, timeText } from "../../time.ts";
import { declare, type FunctionDeclaration, global } from "../declare.ts";
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, param, STRING, TIMESTAMP, typeOf, UINT } from "../types.ts";
import { CelError, type CelValue, duration, isCelList, tagged, timestamp, typeName, uint } from "../values.ts";
import { checkedInt, MAX_TIME, MIN_TIME } from "./operators.ts";

const A = param("A");
const SECOND = 1_000_000_000n;

const refuse = (from: string, to: string): CelError => new CelError(`type conversion error from '${from}' to '${to}'`);

const identity = (value: CelValue = null): CelValue => value;

function toInt(value: CelValue = null): CelValue {
  if (typeof value === "number") return doubleToInt(value);
  if (typeof value === "string") {
    const number = /^[+-]?\d+$/.test(value) ? BigInt(value.replace(/^\+/, "")) : undefined;
    if (number === undefined || number !== BigInt.asIntN(64, number)) throw refuse("string", "int");
    return number;
  }
  const unsigned = tagged(value, "uint")?.value;
  if (unsigned !== undefined) return checkedInt(unsigned);
  const time = tagged(value, "timestamp")?.nanoseconds;
  if (time !== undefined) return floorDivide(time, SECOND);
  return tagged(value, "duration")?.nanoseconds ?? value;
}

function doubleToInt(value: number): bigint {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) throw new CelError("integer overflow");
  return BigInt(Math.trunc(value));
}

function toUint(value: CelValue = null): CelValue {
  const overflow = () => new CelError("unsigned integer overflow");
  if (typeof value === "bigint") {
    if (value < 0n) throw overflow();
    return uint(value);
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) throw overflow();
    return uint(BigInt(Math.trunc(value)));
  }
  if (typeof value !== "string") return value;
  if (!/^\d+$/.test(value) || BigInt(value) >= 2n ** 64n) throw refuse("string", "uint");
  return uint(BigInt(value));
}

const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)$/i;

function toDouble(value: CelValue = null): CelValue {
  if (typeof value === "bigint") return Number(value);
  const unsigned = tagged(value, "uint")?.value;
  if (unsigned !== undefined) return Number(unsigned);
  if (typeof value !== "string") return value;
  if (!FLOAT.test(value)) throw refuse("string", "double");
  if (/nan/i.test(value)) return Number.NaN;
  if (/inf/i.test(value)) return value.startsWith("-") ? -Infinity : Infinity;
  const number = Number(value);
  if (!Number.isFinite(number)) throw refuse("string", "double");
  return number;
}

function toBool(value: CelValue = null): CelValue {
  if (typeof value !== "string") return value;
  if (["1", "t", "T", "true", "TRUE", "True"].includes(value)) return true;
  if (["0", "f", "F", "false", "FALSE", "False"].includes(value)) return false;
  throw refuse("string", "bool");
}

function toDuration(value: CelValue = null): CelValue {
  if (typeof value === "bigint") return duration(value);
  if (typeof value !== "string") return value;
  const nanoseconds = parseGoDuration(value);
  if (nanoseconds === undefined) throw refuse("string", "google.protobuf.Duration");
  return duration(nanoseconds);
}

function toTimestamp(value: CelValue = null): CelValue {
  const checked = (nanoseconds: bigint): CelValue => {
    if (nanoseconds < MIN_TIME || nanoseconds > MAX_TIME) throw new CelError("timestamp overflow");
    return timestamp(nanoseconds);
  };
  if (typeof value === "bigint") return checked(value * SECOND);
  if (typeof value !== "string") return value;
  const nanoseconds = parseTime(value);
  if (nanoseconds === undefined) throw refuse("string", "google.protobuf.Timestamp");
  return checked(nanoseconds);
}

/** A value as `string()` writes it. Throws a CelError for values that have no text. */
export function toText(value: CelValue = null): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return floatText(value);
  if (value instanceof Uint8Array) {
    const text = Buffer.from(value).toString();
    if (Buffer.compare(Buffer.from(text), value) !== 0)
      throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
    return text;
  }
  const unsigned = tagged(value, "uint")?.value;
  if (unsigned !== undefined) return String(unsigned);
  const time = tagged(value, "timestamp")?.nanoseconds;
  if (time !== undefined) return timeText(time);
  const span = tagged(value, "duration")?.nanoseconds;
  if (span !== undefined) return durationText(span);
  const type = tagged(value, "type")?.name;
  if (type !== undefined) return type;
  throw refuse(isCelList(value) ? "list" : typeName(value), "string");
}

/** Conversions between types. `string` of addresses comes with their own library. */
export const conversions: readonly FunctionDeclaration[] = [
  declare("type", [global([A], typeOf(A))], {
    whole: { accepts: () => true, call: (value = null) => ({ kind: "type", name: typeName(value) }) },
  }),
  declare("dyn", [global([A], DYN)], { whole: { accepts: () => true, call: identity } }),
  declare("bool", [global([BOOL], BOOL, identity), global([STRING], BOOL, toBool)]),
  declare("bytes", [
    global([BYTES], BYTES, identity),
    global([STRING], BYTES, (text = null) => Buffer.from(String(text))),
  ]),
  declare("double", [
    global([DOUBLE], DOUBLE, identity),
    ...[INT, STRING, UINT].map((type) => global([type], DOUBLE, toDouble)),
  ]),
  declare("duration", [
    global([DURATION], DURATION, identity),
    ...[INT, STRING].map((type) => global([type], DURATION, toDuration)),
  ]),
  declare("int", [
    global([INT], INT, identity),
    ...[DOUBLE, DURATION, STRING, TIMESTAMP, UINT].map((type) => global([type], INT, toInt)),
  ]),
  declare(
    "string",
    [STRING, BOOL, BYTES, DOUBLE, DURATION, INT, TIMESTAMP, UINT].map((type) => global([type], STRING, toText)),
  ),
  declare("timestamp", [
    global([TIMESTAMP], TIMESTAMP, identity),
    ...[INT, STRING].map((type) => global([type], TIMESTAMP, toTimestamp)),
  ]),
  declare("uint", [
    global([UINT], UINT, identity),
    ...[DOUBLE, INT, STRING].map((type) => global([type], UINT, toUint)),
  ]),
];
