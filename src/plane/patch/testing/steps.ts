// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import type { JsonObject } from "../json-object.ts";
import type { Step } from "./sequence.ts";

/** A create with this spec. */
export function creates(by: string, spec: JsonObject): Step {
  return { by, create: { spec } };
}

/** An apply of this spec. */
export function applies(by: string, spec: Json): Step {
  return { by, apply: { spec } };
}

/** The same, taking what others own. */
export function forces(by: string, spec: Json): Step {
  return { by, apply: { spec }, force: true };
}

/** A PUT of the live object with these fields of its spec set; undefined removes one. */
export function updates(by: string, fields: JsonObject): Step {
  return { by, update: (live) => ({ ...live, spec: { ...(isObject(live.spec) ? live.spec : {}), ...fields } }) };
}

/** A PUT of the live object with these fields of its metadata set. */
export function updatesMetadata(by: string, fields: JsonObject): Step {
  return {
    by,
    update: (live) => ({ ...live, metadata: { ...(isObject(live.metadata) ? live.metadata : {}), ...fields } }),
  };
}

/** A PUT of the live object as it is. */
export function updatesNothing(by: string): Step {
  return { by, update: (live) => live };
}

/** A merge patch of the spec. */
export function merges(by: string, spec: Json): Step {
  return { by, merge: { spec } };
}

/** A write to the status subresource, by PUT. */
export function setsStatus(by: string, status: Json): Step {
  return { by, subresource: "status", update: (live) => ({ ...live, status }) };
}

/** An apply through the status subresource. */
export function appliesStatus(by: string, status: Json): Step {
  return { by, subresource: "status", apply: { status } };
}
