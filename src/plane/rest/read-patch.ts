// SPDX-License-Identifier: Apache-2.0
import { badRequest, failure, type StatusError, unsupportedMediaType } from "../status-error.ts";
import type { PlaneRequest, ResourceType } from "../types.ts";
import { BodyError } from "./body.ts";
import { mediaTypeOf, readJson, textOf } from "./decode.ts";
import { type LostNumbers, roundedWords, tooLargeWords } from "./json-numbers.ts";
import type { Patch } from "./objects.ts";
import { readYaml } from "./read-yaml.ts";

const PATCH_TYPES: ReadonlyMap<string, Patch["type"]> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"],
]);

/** A patch as a request carries it, and what strict decoding objects to. */
export interface GivenPatch {
  readonly patch: Patch;
  readonly strictErrors: readonly string[];
}

/** What kind of patch a request says it is. Throws 415 for others; custom resources have no strategic merge patch. */
export function patchTypeOf({ isCustom }: Pick<ResourceType, "isCustom">, { headers }: PlaneRequest): Patch["type"] {
  const patchType = PATCH_TYPES.get(mediaTypeOf(headers["content-type"]));
  if (patchType !== undefined && !(patchType === "strategic" && isCustom)) return patchType;
  throw isCustom
    ? unsupportedMediaType([...PATCH_TYPES.keys()].filter((name) => PATCH_TYPES.get(name) !== "strategic"))
    : unsupportedByRoute();
}

/** For built-in kinds the real server's router says no before anything else looks. */
function unsupportedByRoute(): StatusError {
  const message = "415: Unsupported Media Type";
  return failure({ code: 415, reason: "UnsupportedMediaType", message, details: {} });
}

/** Reads the patch in a body. */
export function readPatch(patchType: Patch["type"], { body }: PlaneRequest, force: boolean): GivenPatch {
  const text = textOf(body);
  try {
    if (patchType === "apply") {
      const { value, strictErrors, lostNumbers } = readYaml(text);
      refuseLost(lostNumbers);
      return { patch: { type: patchType, body: value, force }, strictErrors };
    }
    const { value, strictErrors, lostNumbers } = readJson(text);
    refuseLost(lostNumbers, patchType === "json");
    if (patchType !== "json") return { patch: { type: patchType, body: value }, strictErrors };
    const lines = strictErrors.map((line) => `json patch ${line}`);
    return { patch: { type: patchType, operations: value }, strictErrors: lines };
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    if (patchType === "apply") throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
    throw badRequest(patchType === "strategic" ? error.message : `error decoding patch: ${error.message}`);
  }
}

/** A number that cannot be kept as it was written is as bad as one that cannot be read. */
function refuseLost({ tooLarge, rounded: [first] }: LostNumbers, isOperation = false): void {
  if (tooLarge !== undefined) {
    const words = tooLargeWords(tooLarge);
    throw new BodyError(isOperation ? words.replace("value of", "struct field jsonPatchOp.value of") : words, "");
  }
  if (first !== undefined) throw new BodyError(roundedWords(first), "");
}
