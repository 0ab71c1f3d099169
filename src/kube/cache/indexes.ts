// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../types.ts";
import type { Change, Entry } from "./collection.ts";

/** The values under which an object is found. Pure, and depends on nothing but the object. */
export type IndexFunction<T extends KubeObject> = (object: T) => Iterable<string>;

/** Finds objects by values. */
export interface Index<T extends KubeObject> {
  /** Throws nothing: an object whose function fails is found under no value. */
  change(change: Change<T>): void;
  /** Keys, in no order. */
  keys(value: string): Iterable<string>;
}

/** An index, filled with what is there already. */
export function createIndex<T extends KubeObject>(
  valuesOf: IndexFunction<T>,
  entries: ReadonlyMap<string, Entry<T>>,
  onProblem: (error: unknown) => void,
): Index<T> {
  const keysByValue = new Map<string, Set<string>>();
  /** Kept, so that an object that somebody changed in place is still taken out where it was put. */
  const valuesByKey = new Map<string, readonly string[]>();
  const change = ({ key, new: now }: Pick<Change<T>, "key" | "new">) => {
    for (const value of valuesByKey.get(key) ?? []) {
      const keys = keysByValue.get(value);
      keys?.delete(key);
      if (keys?.size === 0) keysByValue.delete(value);
    }
    valuesByKey.delete(key);
    if (now === undefined) return;
    let values: readonly string[] = [];
    try {
      values = [...new Set(valuesOf(now.object))];
    } catch (error) {
      onProblem(error);
    }
    if (values.length === 0) return;
    valuesByKey.set(key, values);
    for (const value of values) {
      const keys = keysByValue.get(value);
      if (keys === undefined) keysByValue.set(value, new Set([key]));
      else keys.add(key);
    }
  };
  for (const [key, entry] of entries) change({ key, new: entry });
  return { change, keys: (value) => keysByValue.get(value) ?? [] };
}
