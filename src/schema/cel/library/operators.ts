// SPDX-License-Identifier: Apache-2.0
import { declare, type FunctionDeclaration, global, type Implementation, method } from "../declare.ts";
import { compare, equals } from "../equality.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapOf,
  optionalOf,
  param,
  STRING,
  TIMESTAMP,
  UINT,
} from "../types.ts";
import {
  CelError,
  type CelValue,
  concat,
  duration,
  isCelList,
  isCelMap,
  kindOf,
  NO_OVERLOAD,
  tagged,
  timestamp,
  typeName,
  uint,
} from "../values.ts";

const A = param("A");
const B = param("B");

/** The first and last seconds CEL has: years 1 to 9999. */
export const MIN_TIME = -62135596800n * 1_000_000_000n;
export const MAX_TIME = 253402300800n * 1_000_000_000n - 1n;

/** An integer that fits; CEL's integers do not wrap around. */
export function checkedInt(value: bigint, words = "integer overflow"): bigint {
  if (value !== BigInt.asIntN(64, value)) throw new CelError(words);
  return value;
}

function checkedUint(value: bigint): CelValue {
  if (value !== BigInt.asUintN(64, value)) throw new CelError("unsigned integer overflow");
  return uint(value);
}

function checkedTime(value: bigint): CelValue {
  if (value < MIN_TIME || value > MAX_TIME) throw new CelError("timestamp overflow");
  return timestamp(value);
}

const checkedDuration = (value: bigint): CelValue => duration(checkedInt(value, "duration overflow"));

type Arithmetic = (left: CelValue, right: CelValue) => CelValue | undefined;

function arithmetic(operation: Arithmetic): Implementation {
  return (left = null, right = null) => {
    const result = operation(left, right);
    if (result === undefined) throw new CelError(NO_OVERLOAD);
    return result;
  };
}

const add = arithmetic((left, right) => {
  if (typeof left === "bigint" && typeof right === "bigint") return checkedInt(left + right);
  if (typeof left === "number" && typeof right === "number") return left + right;
  if (typeof left === "string" && typeof right === "string") return left + right;
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.concat([left, right]);
  if (isCelList(left) && isCelList(right)) return left.special?.add(right) ?? concat(left, right);
  const unsigned = tagged(left, "uint");
  const other = tagged(right, "uint");
  if (unsigned !== undefined && other !== undefined) return checkedUint(unsigned.value + other.value);
  const [span, time] = kindOf(left) === "timestamp" ? [right, left] : [left, right];
  const nanoseconds = tagged(span, "duration")?.nanoseconds;
  if (nanoseconds === undefined) return undefined;
  const from = tagged(time, "timestamp")?.nanoseconds;
  if (from !== undefined) return checkedTime(from + nanoseconds);
  const second = tagged(time, "duration")?.nanoseconds;
  return second === undefined ? undefined : checkedDuration(nanoseconds + second);
});

const subtract = arithmetic((left, right) => {
  if (typeof left === "bigint" && typeof right === "bigint") return checkedInt(left - right);
  if (typeof left === "number" && typeof right === "number") return left - right;
  const unsigned = tagged(left, "uint");
  const other = tagged(right, "uint");
  if (unsigned !== undefined && other !== undefined) return checkedUint(unsigned.value - other.value);
  const span = tagged(right, "duration")?.nanoseconds;
  const time = tagged(left, "timestamp")?.nanoseconds;
  if (time !== undefined) {
    if (span !== undefined) return checkedTime(time - span);
    const since = tagged(right, "timestamp")?.nanoseconds;
    return since === undefined ? undefined : checkedDuration(time - since);
  }
  const first = tagged(left, "duration")?.nanoseconds;
  return first === undefined || span === undefined ? undefined : checkedDuration(first - span);
});

const multiply = arithmetic((left, right) => {
  if (typeof left === "bigint" && typeof right === "bigint") return checkedInt(left * right);
  if (typeof left === "number" && typeof right === "number") return left * right;
  const unsigned = tagged(left, "uint");
  const other = tagged(right, "uint");
  return unsigned === undefined || other === undefined ? undefined : checkedUint(unsigned.value * other.value);
});

const divide = arithmetic((left, right) => {
  if (typeof left === "number" && typeof right === "number") return left / right;
  return integerDivision(left, right, { words: "division by zero", divide: (first, second) => first / second });
});

const modulo = arithmetic((left, right) =>
  integerDivision(left, right, { words: "modulus by zero", divide: (first, second) => first % second }),
);

function integerDivision(
  left: CelValue,
  right: CelValue,
  { words, divide }: { words: string; divide: (first: bigint, second: bigint) => bigint },
): CelValue | undefined {
  const unsigned = tagged(left, "uint")?.value;
  const other = tagged(right, "uint")?.value;
  if (right === 0n || other === 0n) throw new CelError(words);
  if (typeof left === "bigint" && typeof right === "bigint") {
    // The one quotient that does not fit, which the server refuses for the remainder as well.
    if (left === -(2n ** 63n) && right === -1n) throw new CelError("integer overflow");
    return divide(left, right);
  }
  return unsigned === undefined || other === undefined ? undefined : uint(divide(unsigned, other));
}

const negate: Implementation = (value = null) => {
  if (typeof value === "bigint") return checkedInt(-value);
  if (typeof value === "number") return -value;
  throw new CelError(NO_OVERLOAD);
};

const isNumeric = (value: CelValue): boolean => ["int", "uint", "double"].includes(typeName(value));
const isAddable = (value: CelValue): boolean =>
  isNumeric(value) ||
  ["string", "bytes", "list", "google.protobuf.Duration", "google.protobuf.Timestamp"].includes(typeName(value));
const isOrdered = (value: CelValue): boolean => (isAddable(value) && !isCelList(value)) || typeof value === "boolean";
const isSubtractable = (value: CelValue): boolean => isOrdered(value) && typeof value !== "boolean" && !isText(value);
const isText = (value: CelValue): boolean => typeof value === "string" || value instanceof Uint8Array;

function comparison(name: string, holds: (order: number) => boolean): FunctionDeclaration {
  const numbers = [INT, UINT, DOUBLE];
  const mixed = numbers.flatMap((left) => numbers.map((right): [CelType, CelType] => [left, right]));
  const same = [BOOL, STRING, BYTES, TIMESTAMP, DURATION].map((type): [CelType, CelType] => [type, type]);
  const call: Implementation = (left = null, right = null) => holds(compare(left, right));
  return declare(
    name,
    [...mixed, ...same].map((params) => global(params, BOOL)),
    { whole: { accepts: isOrdered, call } },
  );
}

const isIn: Implementation = (item = null, collection = null) => {
  if (isCelMap(collection)) return collection.find(item) !== undefined;
  if (!isCelList(collection)) throw new CelError(NO_OVERLOAD);
  for (let at = 0; at < collection.size; at++) if (equals(collection.at(at), item)) return true;
  return false;
};

/** The operators. Those with arguments that are not always looked at have no implementation here. */
export const operators: readonly FunctionDeclaration[] = [
  declare("_&&_", [global([BOOL, BOOL], BOOL)]),
  declare("_||_", [global([BOOL, BOOL], BOOL)]),
  declare("_?_:_", [global([BOOL, A, A], A)]),
  declare("@not_strictly_false", [global([BOOL], BOOL)]),
  declare("_==_", [global([A, A], BOOL)]),
  declare("_!=_", [global([A, A], BOOL)]),
  declare("_[_]", [
    global([listOf(A), INT], A),
    global([mapOf(A, B), A], B),
    global([optionalOf(listOf(A)), INT], optionalOf(A)),
    global([optionalOf(mapOf(A, B)), A], optionalOf(B)),
  ]),
  declare("_[?_]", [
    global([listOf(A), INT], optionalOf(A)),
    global([optionalOf(listOf(A)), INT], optionalOf(A)),
    global([mapOf(A, B), A], optionalOf(B)),
    global([optionalOf(mapOf(A, B)), A], optionalOf(B)),
  ]),
  declare("!_", [global([BOOL], BOOL)], {
    whole: {
      accepts: () => true,
      call: (value = null) => {
        if (typeof value !== "boolean") throw new CelError(NO_OVERLOAD);
        return !value;
      },
    },
  }),
  declare("@in", [global([A, listOf(A)], BOOL), global([A, mapOf(A, B)], BOOL)], {
    whole: { accepts: () => true, call: isIn },
  }),
  declare(
    "_+_",
    [
      global([BYTES, BYTES], BYTES),
      global([DOUBLE, DOUBLE], DOUBLE),
      global([DURATION, DURATION], DURATION),
      global([DURATION, TIMESTAMP], TIMESTAMP),
      global([TIMESTAMP, DURATION], TIMESTAMP),
      global([INT, INT], INT),
      global([listOf(A), listOf(A)], listOf(A)),
      global([STRING, STRING], STRING),
      global([UINT, UINT], UINT),
    ],
    { whole: { accepts: isAddable, call: add } },
  ),
  declare(
    "_-_",
    [
      global([DOUBLE, DOUBLE], DOUBLE),
      global([DURATION, DURATION], DURATION),
      global([INT, INT], INT),
      global([TIMESTAMP, DURATION], TIMESTAMP),
      global([TIMESTAMP, TIMESTAMP], DURATION),
      global([UINT, UINT], UINT),
    ],
    { whole: { accepts: isSubtractable, call: subtract } },
  ),
  declare("_*_", [global([DOUBLE, DOUBLE], DOUBLE), global([INT, INT], INT), global([UINT, UINT], UINT)], {
    whole: { accepts: isNumeric, call: multiply },
  }),
  declare("_/_", [global([DOUBLE, DOUBLE], DOUBLE), global([INT, INT], INT), global([UINT, UINT], UINT)], {
    whole: { accepts: isNumeric, call: divide },
  }),
  declare("_%_", [global([INT, INT], INT), global([UINT, UINT], UINT)], {
    whole: { accepts: (value) => typeof value === "bigint" || kindOf(value) === "uint", call: modulo },
  }),
  declare("-_", [global([DOUBLE], DOUBLE), global([INT], INT)], {
    whole: { accepts: (value) => typeof value === "bigint" || typeof value === "number", call: negate },
  }),
  comparison("_<_", (order) => order < 0),
  comparison("_<=_", (order) => order <= 0),
  comparison("_>_", (order) => order > 0),
  comparison("_>=_", (order) => order >= 0),
  declare(
    "size",
    [BYTES, listOf(A), mapOf(A, B), STRING].flatMap((type) => [global([type], INT), method([type], INT)]),
    { whole: { accepts: (value) => isText(value) || isCelList(value) || isCelMap(value), call: size } },
  ),
];

function size(value: CelValue = null): CelValue {
  if (typeof value === "string") return BigInt([...value].length);
  if (value instanceof Uint8Array) return BigInt(value.length);
  if (isCelList(value) || isCelMap(value)) return BigInt(value.size);
  throw new CelError(NO_OVERLOAD);
}
