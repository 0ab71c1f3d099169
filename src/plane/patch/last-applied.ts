// SPDX-License-Identifier: Apache-2.0
import { isObject, jsonText } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { compareFields } from "./fields/compare-fields.ts";
import { difference, type FieldSet } from "./fields/field-set.ts";
import { claimedFields } from "./fields/owned-fields.ts";
import { typeProblem } from "./fields/validate-fields.ts";
import { type JsonObject, metadataOf } from "./json-object.ts";
import type { Versions } from "./ownership.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** The manager whose applies go on from what `kubectl apply` did on the client's side. */
export const KUBECTL = "kubectl";

/**
 * The fields that client-side apply set and that still are as it set them: kubectl may take those without a conflict.
 * Undefined where there is no such annotation, or none that can be read.
 */
export function lastAppliedFields(live: JsonObject, { type, apiVersion }: Versions): FieldSet | undefined {
  const config = parse(lastAppliedOf(live));
  if (!isObject(config) || config.apiVersion !== apiVersion) return undefined;
  if (typeProblem(type, live) !== undefined || typeProblem(type, config) !== undefined) return undefined;
  const { added, modified, removed } = compareFields(type, config, live);
  return [modified, added, removed].reduce(difference, claimedFields(type, config));
}

/** The object with the annotation, where it has one, brought in line with what was applied just now. */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  if (lastAppliedOf(object) === "") return object;
  const metadata = metadataOf(object);
  const annotations = { ...annotationsOf(object), [LAST_APPLIED]: `${jsonText(withoutLastApplied(config))}\n` };
  const { [LAST_APPLIED]: _, ...others } = annotations;
  const isTooLarge = bytesOf(annotations) > MAX_ANNOTATIONS_BYTES;
  return { ...object, metadata: { ...metadata, annotations: isTooLarge ? others : annotations } };
}

function withoutLastApplied(config: JsonObject): JsonObject {
  const { annotations, ...metadata } = metadataOf(config);
  if (!isObject(annotations)) return config;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  const rest = Object.keys(others).length === 0 ? {} : { annotations: others };
  return { ...config, metadata: { ...metadata, ...rest } };
}

function annotationsOf(object: JsonObject): JsonObject {
  const { annotations } = metadataOf(object);
  return isObject(annotations) ? annotations : {};
}

function lastAppliedOf(object: JsonObject): string {
  const text = annotationsOf(object)[LAST_APPLIED];
  return typeof text === "string" ? text : "";
}

function bytesOf(annotations: JsonObject): number {
  let sum = 0;
  for (const [key, value] of Object.entries(annotations))
    sum += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  return sum;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
