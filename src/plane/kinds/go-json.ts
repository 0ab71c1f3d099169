// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import { scanJson } from "../rest/json-scan.ts";

/** Why Go cannot read a text as a JSON object, in its words; undefined when it can. */
export function jsonMapFault(text: string): string | undefined {
  const { error } = scanJson(text);
  if (error !== undefined) return error;
  const value: unknown = JSON.parse(text);
  if (value === null || isObject(value)) return undefined;
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}
