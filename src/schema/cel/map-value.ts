// SPDX-License-Identifier: Apache-2.0
import { equals } from "./equality.ts";
import { CelError, type CelMap, type CelValue, tagged } from "./values.ts";

interface OwnMap extends CelMap {
  readonly entries: Map<string, readonly [CelValue, CelValue]>;
}

/** Keys that are equal for CEL (1, 1u and 1.0) are one key. */
function keyText(key: CelValue): string | undefined {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "boolean") return `b${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (typeof key === "number") return Number.isInteger(key) ? `n${BigInt(key)}` : undefined;
  const unsigned = tagged(key, "uint");
  return unsigned === undefined ? undefined : `n${unsigned.value}`;
}

/** A map from key-value pairs. Of two equal keys the later one counts. Throws a CelError for keys CEL does not allow. */
export function mapValue(pairs: readonly (readonly [CelValue, CelValue])[]): CelMap {
  const entries = new Map<string, readonly [CelValue, CelValue]>();
  for (const [key, value] of pairs) {
    const text = keyText(key);
    if (text === undefined) throw new CelError("unsupported key type");
    entries.set(text, [key, value]);
  }
  return ownMap(entries);
}

function ownMap(entries: OwnMap["entries"]): OwnMap {
  return {
    kind: "map",
    entries,
    get size() {
      return entries.size;
    },
    find(key) {
      const text = keyText(key);
      return text === undefined ? undefined : entries.get(text)?.[1];
    },
    keys: () => Array.from(entries.values(), ([key]) => key),
  };
}

/** Adds an entry to a map that a loop gathers. The map given must not be used again. */
export function insertInto(map: CelMap, key: CelValue, value: CelValue): CelMap {
  const text = keyText(key);
  if (text === undefined) throw new CelError("unsupported key type");
  if (!isOwnMap(map)) return insertInto(mapValue(map.keys().map((at) => [at, map.find(at) ?? null])), key, value);
  const present = map.entries.get(text);
  if (present !== undefined && equals(present[0], key))
    throw new CelError(`insert failed: key ${String(key)} already exists`);
  map.entries.set(text, [key, value]);
  return map;
}

function isOwnMap(map: CelMap): map is OwnMap {
  return "entries" in map;
}
