// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import type { Json } from "../../../schema/index.ts";
import type { JsonObject } from "../json-object.ts";
import type { Answer, Subject } from "./sequence.ts";

/** Fails where two answers to one step differ in more than what a server makes up by itself. */
export function expectSameAnswer(
  ours: Answer,
  theirs: Answer,
  { subject, what }: { subject: Subject; what: string },
): void {
  assert.deepEqual(comparable(ours, subject), comparable(theirs, subject), what);
}

function comparable(answer: Answer, { isFilledIn = false, type }: Subject): unknown {
  if ("refusal" in answer) {
    const { causes, message, code } = answer.refusal;
    // What validation says is not ours to compare, only of what; and a server goes through managers in no particular order.
    if (message.includes(" is invalid: ") && !message.startsWith(" ")) return { code, fields: fieldsOf(causes) };
    return { code, message, causes: causes.map((cause) => JSON.stringify(sorted(cause))).sort() };
  }
  const { metadata, ...rest } = answer.object;
  const { uid: _, resourceVersion: __, creationTimestamp: ___, generation: ____, namespace, ...own } = Object(metadata);
  if (isFilledIn || type !== undefined) return { managedFields: own.managedFields };
  return withoutUndefined({ ...rest, metadata: own });
}

function fieldsOf(causes: readonly Json[]): string[] {
  return causes.map((cause) => `${Object(cause).field}: ${Object(cause).reason}`).sort();
}

function sorted(value: Json): Json {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function withoutUndefined(object: JsonObject): unknown {
  return JSON.parse(JSON.stringify(object));
}
