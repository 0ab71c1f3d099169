// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "./go-text.ts";
import type { Json, Schema } from "./types.ts";

/** An object under construction: our own copy, so it may be changed. */
export type MutableObject = { [key: string]: MutableJson | undefined };
export type MutableJson = null | boolean | number | string | MutableJson[] | MutableObject;

/** Deeper values are refused: recursion stays far from the end of the stack, and no real manifest comes near. */
export const MAX_DEPTH = 500;

/** True when a value nests deeper than `limit` levels. Needs no recursion itself. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= limit; depth++) {
    const next: unknown[] = [];
    for (const item of level) {
      if (isList(item)) for (const element of item) next.push(element);
      else if (isObject(item)) for (const key of Object.keys(item)) next.push(item[key]);
    }
    if (next.length === 0) return false;
    level = next;
  }
  return true;
}

/** A deep copy that may be changed freely. Keys with undefined values are left out, as JSON would. */
export function copyJson(value: Json | undefined): MutableJson {
  if (isList(value)) return value.map(copyJson);
  if (!isObject(value)) return value ?? null;
  const copy: MutableObject = {};
  for (const [key, item] of Object.entries(value)) if (item !== undefined) setOwn(copy, key, copyJson(item));
  return copy;
}

/** Sets a property by any name; plain assignment would change the prototype for `__proto__`. */
export function setOwn<T>(target: { [key: string]: T }, key: string, value: T): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** A property of an object by any name, never an inherited one. */
export function getOwn<T>(target: { readonly [key: string]: T } | undefined, key: string): T | undefined {
  return target !== undefined && Object.hasOwn(target, key) ? target[key] : undefined;
}

/** The schema of a named property, undefined when the schema does not name it. */
export function propertySchema(schema: Schema | undefined, name: string): Schema | undefined {
  return getOwn(schema?.properties, name);
}

/** The schema of the values of a map, undefined when there is none or it is only true or false. */
export function valueSchema(schema: Schema | undefined): Schema | undefined {
  const additional = schema?.additionalProperties;
  return typeof additional === "object" ? additional : undefined;
}

/** Whether two JSON values are the same, whatever the order of keys. */
export function deepEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false;
    return left.every((item, index) => deepEqual(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key], right[key]));
}
