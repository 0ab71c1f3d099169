// SPDX-License-Identifier: Apache-2.0
import { type Random, seededRandom } from "../../../../test/seeded-random.ts";
import { isList, isObject } from "../../../schema/go-text.ts";
import type { Json, Schema } from "../../../schema/index.ts";
import type { JsonObject } from "../json-object.ts";
import type { Sequence, Step } from "./sequence.ts";
import { thing } from "./thing.ts";

const MANAGERS = ["a", "b", "c"];

/** Sequences of random applies, updates and patches by three managers. The same seed gives the same ones. */
export function randomSequences(seed: number, count: number, length: number): Sequence[] {
  return Array.from({ length: count }, (_, index) => {
    const random = seededRandom(seed * 1000 + index);
    const steps = Array.from({ length }, (_, at) => randomStep(random, at === 0));
    return { name: `random ${seed}/${index}`, subject: thing, steps };
  });
}

const { spec: SPEC = {}, status: STATUS = {} } = thing.schema.properties ?? {};

function randomStep(random: Random, isFirst: boolean): Step {
  const by = random.pick(MANAGERS);
  if (isFirst) return random.once(2) ? { by, create: randomObject(random) } : { by, apply: randomObject(random) };
  if (random.once(5)) return randomStatusStep(random, by);
  if (random.once(2)) return { by, apply: randomObject(random), force: !random.once(3) };
  return randomUpdate(random, by);
}

function randomUpdate(random: Random, by: string): Step {
  const spec = randomValue(SPEC, random);
  if (random.once(3)) return { by, merge: { spec: withNulls(spec, random) } };
  if (random.once(3)) return { by, update: (live) => ({ ...live, spec }) };
  const seed = random.below(1_000_000);
  return { by, update: (live) => ({ ...live, spec: changed(live.spec ?? {}, SPEC, seededRandom(seed)) }) };
}

function randomStatusStep(random: Random, by: string): Step {
  const status = randomValue(STATUS, random);
  if (random.once(2)) return { by, subresource: "status", apply: { status }, force: true };
  return { by, subresource: "status", update: (live) => ({ ...live, status }) };
}

function randomObject(random: Random): JsonObject {
  const labels = { x: random.pick(["1", "2"]), ...(random.once(2) ? { y: "1" } : {}) };
  const metadata = random.once(3) ? { metadata: { labels } } : {};
  return { ...metadata, spec: randomValue(SPEC, random) };
}

/** A value of a schema, made of so few texts and numbers that two of them often agree. */
function randomValue(schema: Schema, random: Random): Json {
  if (schema["x-kubernetes-embedded-resource"] === true) return randomEmbedded(random);
  switch (schema.type) {
    case "object":
      return randomMap(schema, random);
    case "array":
      return randomList(schema, random);
    case "integer":
    case "number":
      return random.below(3) + 1;
    case "boolean":
      return random.once(2);
    case "string":
      if (schema.format === "date-time") return "2026-01-01T00:00:00Z";
      return schema.nullable === true && random.once(4) ? null : random.pick(["p", "q", "r"]);
    default:
      return random.once(2) ? 1 : "1";
  }
}

function randomEmbedded(random: Random): Json {
  const labels = { [random.pick(["k", "l"])]: random.pick(["1", "2"]) };
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "x", labels }, ...Object(randomOpen(random, 2)) };
}

function randomMap(schema: Schema, random: Random): Json {
  const map: { [key: string]: Json } = {};
  const required = new Set(schema.required);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (required.has(name) || random.once(schema === SPEC ? 4 : 2)) map[name] = randomValue(property, random);
  }
  const { additionalProperties: values } = schema;
  if (typeof values === "object")
    for (const key of ["k", "l", "m"]) if (random.once(2)) map[key] = randomValue(values, random);
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) Object.assign(map, randomOpen(random, 3));
  return map;
}

/** What may stand in an open struct: anything. */
function randomOpen(random: Random, depth: number): Json {
  const open: { [key: string]: Json } = {};
  for (const key of ["u", "v"]) {
    if (random.once(2)) continue;
    const leaves: Json[] = [1, "1", true, [], {}, [1, { a: 2 }], [{ a: 1 }]];
    open[key] = depth > 0 && random.once(2) ? randomOpen(random, depth - 1) : random.pick(leaves);
  }
  return open;
}

function randomList({ items = {}, ...schema }: Schema, random: Random): Json {
  const list = Array.from({ length: random.below(4) }, () => randomValue(items, random));
  if (schema["x-kubernetes-list-type"] === "set") return [...new Set(list)];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length === 0) return list;
  const idOf = (item: Json) => JSON.stringify(keys.map((key) => Object(item)[key] ?? items.properties?.[key]?.default));
  return [...new Map(list.map((item) => [idOf(item), item])).values()];
}

/** A merge patch that also removes. */
function withNulls(value: Json, random: Random): Json {
  if (!isObject(value)) return value;
  const names = [...new Set([...Object.keys(value), "text", "map", "set", "items", "open", "k", "u"])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const item = value[name];
      if (item === undefined) return random.once(4) ? [[name, null]] : [];
      return [[name, withNulls(item, random)]];
    }),
  );
}

/** A value with some of its parts made anew, gone or in another order. */
function changed(value: Json, schema: Schema, random: Random): Json {
  if (random.once(6)) return randomValue(schema, random);
  if (isList(value)) {
    const kept = value.filter(() => !random.once(4)).map((item) => keyedChange(item, schema, random));
    return random.once(3) ? kept.reverse() : kept;
  }
  if (!isObject(value)) return value;
  const required = new Set(schema.required);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item = null]) => {
      if (!required.has(name) && random.once(5)) return [];
      const property = schema.properties?.[name];
      return [[name, property === undefined ? item : changed(item, property, random)]];
    }),
  );
}

function keyedChange(item: Json, { items = {}, ...schema }: Schema, random: Random): Json {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length === 0 || !isObject(item)) return item;
  const own = Object.fromEntries(keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])));
  return { ...Object(changed(item, items, random)), ...own };
}
