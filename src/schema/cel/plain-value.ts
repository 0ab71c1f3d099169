// SPDX-License-Identifier: Apache-2.0
import { isInt64, isList, isObject } from "../go-text.ts";
import { getOwn } from "../json.ts";
import type { Json } from "../types.ts";
import type { CelValue } from "./values.ts";

/** JSON as CEL sees it without a schema: numbers are integers when they can be. */
export function plainValue(json: Json): CelValue {
  if (typeof json === "number") return isInt64(json) ? BigInt(json) : json;
  if (isList(json)) return { kind: "list", size: json.length, at: (index) => plainValue(json[index] ?? null) };
  if (!isObject(json)) return json;
  return {
    kind: "map",
    size: Object.keys(json).length,
    find: (key: CelValue) => {
      const value = typeof key === "string" ? getOwn(json, key) : undefined;
      return value === undefined ? undefined : plainValue(value);
    },
    keys: () => Object.keys(json),
  };
}
