// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import { pathsOf } from "../fields/field-set.ts";
import { decodeFields } from "../fields/fields-v1.ts";
import { printElement } from "../fields/path-element.ts";
import type { JsonObject } from "../json-object.ts";
import type { Answer, Refusal } from "./sequence.ts";

/** How a sequence ended, short enough to be kept and read. */
export interface Outcome {
  /** By step, counted from 1, what was refused. */
  readonly refused?: { readonly [step: string]: string };
  /** The object without what every server makes up by itself; none where nothing was created. */
  readonly object?: JsonObject;
  /** By manager, operation, subresource and the step that it wrote in last: what it owns. */
  readonly owners?: { readonly [manager: string]: string };
}

/** An answer and when it was given, as managedFields tell times. */
export interface TimedAnswer {
  readonly answer: Answer;
  readonly time: string;
}

/** Sums up the answers to a sequence on the object of this name. */
export function outcomeOfSequence(answers: readonly TimedAnswer[], name: string): Outcome {
  const refused: { [step: string]: string } = {};
  const steps = new Map<string, number>();
  let object: JsonObject | undefined;
  for (const [index, { answer, time }] of answers.entries()) {
    if ("object" in answer) object = answer.object;
    else refused[index + 1] = wordsOf(answer.refusal, name);
    if ("object" in answer && timesOf(answer.object).includes(time)) steps.set(time, index + 1);
  }
  return {
    ...(Object.keys(refused).length === 0 ? {} : { refused }),
    ...(object === undefined ? {} : { object: plain(object, name), owners: ownersOf(object, steps) }),
  };
}

/** What validation says is not ours to keep. */
function wordsOf({ code, message }: Refusal, name: string): string {
  const words = message.replace(/^(\S.* is invalid): .*$/s, "$1");
  return `${code} ${words.replaceAll(name, "x")}`;
}

function plain(object: JsonObject, name: string): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  const { labels, annotations, finalizers, ownerReferences } = Object(metadata);
  const own = JSON.parse(JSON.stringify({ labels, annotations, finalizers, ownerReferences }).replaceAll(name, "x"));
  return { ...(Object.keys(own).length === 0 ? {} : { metadata: own }), ...JSON.parse(JSON.stringify(sorted(rest))) };
}

function sorted(value: Json | undefined): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined).map(([key, item]) => [key, sorted(item)]));
}

function ownersOf(object: JsonObject, steps: ReadonlyMap<string, number>): { [manager: string]: string } {
  const owners: { [manager: string]: string } = {};
  for (const { manager, operation, subresource = "", time, fieldsV1 } of entriesOf(object)) {
    const step = time === undefined ? "never" : (steps.get(time) ?? time);
    const paths = [...pathsOf(decodeFields(fieldsV1) ?? new Map())].map((path) =>
      path.map((element) => printElement(element)).join(""),
    );
    owners[[manager, operation, subresource, step].filter((part) => part !== "").join(" ")] = paths.join(" ");
  }
  return owners;
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1: Json;
}

function entriesOf(object: JsonObject): readonly Entry[] {
  return Object(object.metadata).managedFields ?? [];
}

function timesOf(object: JsonObject): (string | undefined)[] {
  return entriesOf(object).map(({ time }) => time);
}
