// SPDX-License-Identifier: Apache-2.0
import { compareText, isInt64, isList, isObject, numberText, quote } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import type { JsonObject } from "../json-object.ts";

/** A value as Go prints it with %v: `map[a:1 b:[x y]]`. */
export function goText(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return numberText(value);
  if (isList(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return String(value);
  return `map[${sorted(value)
    .map(([key, item]) => `${key}:${goText(item)}`)
    .join(" ")}]`;
}

/** A value as Go prints it with %#v: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return quote(value);
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return String(value);
  return `map[string]interface {}{${sorted(value)
    .map(([key, item]) => `${quote(key)}:${goSyntax(item)}`)
    .join(", ")}}`;
}

/** A value as Go prints it with %s, which is meant for text and says so of numbers and booleans. */
export function goString(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  return typeof value === "number" || typeof value === "boolean"
    ? `%!s(${goType(value)}=${goText(value)})`
    : goText(value);
}

/** The Go type that a server decodes a value to. */
export function goType(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return isInt64(value) ? "int64" : "float64";
  if (isList(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : "string";
}

function sorted(value: JsonObject): [string, Json][] {
  return Object.entries(value)
    .map(([key, item]): [string, Json] => [key, item ?? null])
    .sort(([left], [right]) => compareText(left, right));
}
