// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../../schema/index.ts";
import { goString, goText, goType } from "./fields/go-values.ts";
import type { JsonObject } from "./json-object.ts";
import { PatchError } from "./patch-error.ts";

/** A value of the wrong type where the patch has to have another. */
export function badArgument(expected: string, actual: Json): PatchError {
  return new PatchError("internal", `expected a ${expected}, but received a ${goType(actual)}`);
}

/** An item of a merged list that does not say which it is. */
export function noMergeKey(item: JsonObject, mergeKey: string): PatchError {
  return new PatchError("internal", `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** A directive that is none. */
export function badDirective(directive: Json, item: JsonObject): PatchError {
  return new PatchError("internal", `unknown patch type: ${goString(directive)} in map: ${goText(item)}`);
}
