// SPDX-License-Identifier: Apache-2.0
import type { Json, Schema } from "../../src/schema/types.ts";
import type { Random } from "../seeded-random.ts";

type Container = { [key: string]: Json } | Json[];

/** A place in an object: the container, the key in it, and the schema of what stands or may stand there. */
interface Spot {
  parent: Container;
  key: string | number;
  schema: Schema;
}

/** Changes one to three places of an object, each a little, in ways that its schema may or may not allow. */
export function mutate(object: { [key: string]: Json }, schema: Schema, random: Random): void {
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const spots = [...spotsOf(object, schema)];
    if (spots.length === 0) return;
    change(random.pick(spots), random);
  }
}

/** Drops some fields that need not be there, so that objects differ in shape and not only in values. */
export function thin(object: { [key: string]: Json }, schema: Schema, random: Random): void {
  for (const { parent, key } of [...spotsOf(object, schema)]) {
    if (Array.isArray(parent) || typeof key === "number") continue;
    if (random.once(6) && !isRequired(object, schema, parent, key)) Reflect.deleteProperty(parent, key);
  }
}

function isRequired(root: Json, schema: Schema, owner: Container, key: string): boolean {
  if (root === owner) return schema.required?.includes(key) ?? false;
  if (typeof root !== "object" || root === null) return false;
  return Object.entries(root).some(([name, child]) => {
    const own = childSchema(schema, name);
    return own !== undefined && child !== undefined && isRequired(child, own, owner, key);
  });
}

function childSchema(schema: Schema, name: string): Schema | undefined {
  if (schema.items) return schema.items;
  const values = schema.additionalProperties;
  return schema.properties?.[name] ?? (typeof values === "object" ? values : undefined);
}

/** Every place that the schema knows: those that are filled, and the empty ones beside them. */
function* spotsOf(value: Json, schema: Schema): Generator<Spot> {
  if (typeof value !== "object" || value === null) return;
  const parent = value as Container;
  const keys = Array.isArray(parent)
    ? parent.keys()
    : new Set([...Object.keys(parent), ...Object.keys(schema.properties ?? {})]);
  for (const key of keys) {
    const own = childSchema(schema, String(key));
    if (own === undefined) continue;
    yield { parent, key, schema: own };
    yield* spotsOf(Reflect.get(parent, key) ?? null, own);
  }
}

const WRONG: readonly Json[] = ["text", 7, 1.5, true, null, [], {}, ["text"], { a: "b" }];
const TEXTS = [
  "",
  "a",
  "A",
  "-",
  "10.40.0.1",
  "10.40.0.0/24",
  "2001:db8::1",
  "999.1.1.1",
  "v1.2.3",
  "90s",
  "a/b",
  "ü",
  " a ",
  "x".repeat(70),
];

function change(spot: Spot, random: Random): void {
  const { parent, key, schema } = spot;
  const way = random.below(10);
  if (way === 0) remove(spot);
  else if (way === 1) set(spot, random.pick(WRONG));
  else if (way === 2 && !Array.isArray(parent))
    parent[random.pick(["surprise", `${key}s`, String(key).toUpperCase()])] = "unknown";
  else if (Array.isArray(parent) && random.once(3)) parent.push(structuredClone(parent[Number(key)] ?? null));
  else set(spot, nearby(schema, random));
}

/** A value of the right type at or just beyond the bounds of its schema. */
function nearby(schema: Schema, random: Random): Json {
  if (schema.enum && random.once(2)) return random.pick(schema.enum);
  const { minimum = 0, maximum = 2 ** 31 - 1 } = schema;
  if (schema.type === "integer")
    return random.pick([
      minimum - 1,
      minimum,
      minimum + 1,
      maximum - 1,
      maximum,
      maximum + 1,
      -1,
      0,
      1,
      2 ** 31,
      2 ** 40,
    ]);
  if (schema.type === "boolean") return random.once(2);
  if (schema["x-kubernetes-int-or-string"]) return random.pick([4, "16Gi", "500m", "1e3", "16 Gi", "", 1.5, "Gi"]);
  if (schema.format === "date-time")
    return random.pick(["2026-03-10T12:00:00Z", "2026-03-10T12:00:00+02:00", "2026-03-10", "2026-13-10T12:00:00Z", ""]);
  if (schema.type === "string") return random.pick([...TEXTS, "y".repeat((schema.maxLength ?? 40) + 1)]);
  if (schema.type === "array") return random.once(2) ? [] : [nearby(schema.items ?? {}, random)];
  return {};
}

function remove({ parent, key }: Spot): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}

function set({ parent, key }: Spot, value: Json): void {
  Reflect.set(parent, key, structuredClone(value));
}
