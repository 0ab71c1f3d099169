// SPDX-License-Identifier: Apache-2.0
import { isKnownFormat } from "./formats.ts";
import { isInt64, isList, quote } from "./go-text.ts";
import { isNearlyInteger } from "./numbers.ts";
import { openApiLocation } from "./outcome.ts";
import { dottedOf, type Place } from "./place.ts";
import { typeInvalid } from "./problems.ts";
import type { Json, Problem, Schema } from "./types.ts";

/** The types a schema allows; none when it does not say. */
export function typesOf(schema: Schema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"]) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

/** The format as far as the server enforces it: formats it does not know for the type are ignored. */
export function effectiveFormat(schema: Schema): string {
  const format = schema.format ?? "";
  if (format === "") return "";
  const types = typesOf(schema);
  const type = types.length === 1 ? types[0] : undefined;
  if (type === "integer") return format === "int32" || format === "int64" ? format : "";
  if (type === "number") return format === "float" || format === "double" ? format : "";
  if (type === undefined || type === "string") return isKnownFormat(format) ? format : "";
  return "";
}

/** What is wrong with the type of a value; undefined when nothing is. */
export function typeProblem(schema: Schema, value: Json, place: Place): Problem | undefined {
  const types = typesOf(schema);
  const wrong = (expected: string, found: string): Problem => {
    const detail = `${dottedOf(place)} in body must be of type ${expected}: ${quote(found)}`;
    return typeInvalid(openApiLocation(place), found, detail);
  };
  if (value === null) return types.length > 0 && !schema.nullable ? wrong(types.join(","), "null") : undefined;
  const format = effectiveFormat(schema);
  const found = jsonType(value);
  const isIntegralFloat = typeof value === "number" && types.includes("integer") && isNearlyInteger(value);
  const isNumberAnyway = found.type === "integer" && types.includes("number");
  if (types.includes(found.type) || isIntegralFloat || isNumberAnyway) return undefined;
  const isTextOrList = typeof value === "string" || isList(value);
  if (format !== "" && !isTextOrList && format !== found.format) return wrong(format, found.format);
  const isNumeric = types.includes("number") || types.includes("integer");
  // A quirk: text and lists pass here when a format other than a number's is given.
  if (format !== "" && isTextOrList && !isNumeric) return undefined;
  return wrong(types.join(","), found.type);
}

function jsonType(value: Json): { type: string; format: string } {
  if (typeof value === "boolean") return { type: "boolean", format: "" };
  if (typeof value === "string") return { type: "string", format: "" };
  if (typeof value !== "number") return { type: isList(value) ? "array" : "object", format: "" };
  return isInt64(value) ? { type: "integer", format: "int64" } : { type: "number", format: "float64" };
}
