// SPDX-License-Identifier: Apache-2.0
import { isInt64, isList, isObject, quote } from "./go-text.ts";
import { deepEqual, getOwn, propertySchema, valueSchema } from "./json.ts";
import type { Json, Schema } from "./types.ts";

/**
 * A value and the old value that stands for the same thing: the same property, the same map key, the same key of a
 * list-type map. Children that cannot be told to be the same as an old one are undefined.
 */
export interface Correlation {
  property(name: string): Correlation | undefined;
  item(at: number): Correlation | undefined;
  isUnchanged(): boolean;
}

/** Correlates a value with its old value by their schema. */
export function correlate(schema: Schema, value: Json, old: Json): Correlation {
  const children = new Map<string | number, Correlation>();
  let oldItems: OldItems | undefined;
  let unchanged: boolean | undefined;
  const remember = (at: string | number, made: Correlation): Correlation => {
    children.set(at, made);
    return made;
  };
  const correlation: Correlation = {
    property(name) {
      const known = children.get(name);
      if (known !== undefined) return known;
      if (!isObject(value) || !isObject(old)) return undefined;
      const now = getOwn(value, name);
      const before = getOwn(old, name);
      const schemaOfIt = propertySchema(schema, name) ?? valueSchema(schema);
      if (now === undefined || before === undefined || schemaOfIt === undefined) return undefined;
      return remember(name, correlate(schemaOfIt, now, before));
    },
    item(at) {
      const known = children.get(at);
      if (known !== undefined) return known;
      if (!isList(value) || !isList(old) || schema["x-kubernetes-list-type"] !== "map") return undefined;
      oldItems ??= oldItemsByKey(schema, old);
      const now = value[at];
      const before = now === undefined ? undefined : oldItems.find(now);
      if (now === undefined || before === undefined || schema.items === undefined) return undefined;
      return remember(at, correlate(schema.items, now, before));
    },
    isUnchanged() {
      unchanged ??= isEqual();
      return unchanged;
    },
  };
  const isEqual = (): boolean => {
    if (isList(value) && isList(old)) {
      if (value.length !== old.length) return false;
      if (schema["x-kubernetes-list-type"] !== "map") return deepEqual(value, old);
      return value.every((_, at) => correlation.item(at)?.isUnchanged() ?? false);
    }
    if (isObject(value) && isObject(old)) {
      const names = Object.keys(value);
      if (names.length !== Object.keys(old).length) return false;
      return names.every((name) => correlation.property(name)?.isUnchanged() ?? false);
    }
    return deepEqual(value, old);
  };
  return correlation;
}

/** The old items of a list-type map, found by the keys of a new one. */
export interface OldItems {
  find(item: Json): Json | undefined;
}

/** Indexes the items of a list by the schema's map keys; finds nothing for lists of other types. */
export function oldItemsByKey(schema: Schema, items: readonly Json[]): OldItems {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (schema.type !== "array" || schema["x-kubernetes-list-type"] !== "map" || keys.length === 0)
    return { find: () => undefined };
  const byKey = new Map<string, Json>();
  for (const item of items) {
    const composite = compositeKey(item, keys);
    if (composite !== undefined && !byKey.has(composite)) byKey.set(composite, item);
  }
  return {
    find: (item) => {
      const composite = compositeKey(item, keys);
      return composite === undefined ? undefined : byKey.get(composite);
    },
  };
}

function compositeKey(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const parts: string[] = [];
  for (const name of keys) {
    const value = getOwn(item, name);
    if (typeof value === "string") parts.push(quote(value));
    else if (typeof value === "boolean") parts.push(String(value));
    else if (typeof value === "number") parts.push(isInt64(value) ? `${BigInt(value)}` : value.toFixed(6));
    else return undefined;
  }
  return parts.join("\0");
}
