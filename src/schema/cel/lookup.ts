// SPDX-License-Identifier: Apache-2.0
import { plainValue } from "./plain-value.ts";
import { CelError, type CelValue, isCelList, isCelMap, isTagged, NO_OVERLOAD, NONE, optional } from "./values.ts";

/**
 * What stands under a field, key or index. With `isOptional`, and in optional operands, the answer is optional and
 * nothing is missing; otherwise throws a CelError when it is not there.
 */
export function findIn(operand: CelValue, key: CelValue, isOptional: boolean): CelValue {
  if (isTagged(operand, "optional")) {
    if (operand.value === undefined) return NONE;
    const found = seek(unwrapped(operand.value), key);
    return found === undefined ? NONE : optional(found);
  }
  const found = seek(operand, key);
  if (isOptional) return found === undefined ? NONE : optional(found);
  if (found !== undefined) return found;
  throw new CelError(isCelList(operand) ? `index out of bounds: ${keyText(key)}` : `no such key: ${keyText(key)}`);
}

/** Whether `has(operand.field)` holds. */
export function isPresent(operand: CelValue, field: string): boolean {
  if (isTagged(operand, "optional"))
    return operand.value !== undefined && seek(unwrapped(operand.value), field) !== undefined;
  return seek(operand, field) !== undefined;
}

/** A quirk of CEL: an object that is reached through an optional loses its schema. */
function unwrapped(value: CelValue): CelValue {
  if ((isCelMap(value) || isCelList(value)) && value.raw !== undefined) return plainValue(value.raw);
  return value;
}

function seek(operand: CelValue, key: CelValue): CelValue | undefined {
  if (isCelMap(operand)) return operand.find(key);
  if (!isCelList(operand)) return undefined;
  const at = indexOf(key);
  return at >= 0 && at < operand.size ? operand.at(at) : undefined;
}

function indexOf(key: CelValue): number {
  if (typeof key === "bigint") return key < 0n || key > BigInt(Number.MAX_SAFE_INTEGER) ? -1 : Number(key);
  if (typeof key === "number" && Number.isInteger(key)) return key;
  if (isTagged(key, "uint")) return Number(key.value);
  throw new CelError(NO_OVERLOAD);
}

function keyText(key: CelValue): string {
  if (isTagged(key, "uint")) return String(key.value);
  return typeof key === "object" ? "" : String(key);
}
