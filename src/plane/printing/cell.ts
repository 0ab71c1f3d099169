// SPDX-License-Identifier: Apache-2.0
import { isInt64, isObject, jsonText, numberText } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { parseTime } from "../../schema/time.ts";
import { humanDuration } from "../kinds/columns.ts";
import type { KubeObject } from "../types.ts";
import { type Found, findValues } from "./find-values.ts";
import type { JsonPath } from "./json-path.ts";

/**
 * What a table shows of an object: the first value the path leads to, in the column's type, or null where there is none
 * or it has another type. Dates become ages.
 */
export function cellOf(object: KubeObject, path: JsonPath, { type, nowMs }: { type: string; nowMs: number }): Json {
  const value = isObject(object) ? findValues(object, path)?.[0] : undefined;
  if (value === undefined) return null;
  switch (type) {
    case "string":
      return textOf(value);
    case "integer":
      return typeof value === "number" ? int64Of(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageOf(value, nowMs) : null;
    default:
      return null;
  }
}

/** What is too large for the server's integers becomes its smallest one. */
function int64Of(value: number): number {
  // Adding 0 makes -0 a 0.
  return isInt64(Math.trunc(value)) ? Math.trunc(value) + 0 : -(2 ** 63);
}

function textOf(value: Found): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  return value === null ? "<no value>" : jsonText(value);
}

function ageOf(text: string, nowMs: number): string {
  if (text === "" || text === "null") return "<unknown>";
  const nanoseconds = parseTime(text);
  if (nanoseconds === undefined) return "<invalid>";
  return humanDuration(Math.trunc(nowMs / 1000 - Number(nanoseconds) / 1e9));
}
