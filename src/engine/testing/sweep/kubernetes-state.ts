// SPDX-License-Identifier: Apache-2.0
import type { Plane } from "../../../plane/plane.ts";
import type { SimulatedAccess } from "../simulator.ts";

/** What makes two moments differ without anything being different. */
const UNSTEADY = new Set([
  "resourceVersion",
  "managedFields",
  "creationTimestamp",
  "uid",
  "generation",
  "observedGeneration",
]);
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** News and who leads: both come and go by themselves. */
const PASSING = new Set(["Event", "Lease"]);

/**
 * Every object as text, by kind and name, without times, versions and ids, and without events and leases. Credentials that are as they
 * were given are told as such: they differ from world to world.
 */
export function kubernetesState(
  { dump }: Pick<Plane, "dump">,
  given: Pick<SimulatedAccess, "secret"> = { secret: {} },
): ReadonlyMap<string, string> {
  const known = Object.values(given.secret).map((value) => JSON.stringify(Buffer.from(value).toString("base64")));
  const state = new Map<string, string>();
  for (const object of dump().values()) {
    const { namespace, name = "" } = object.metadata;
    if (PASSING.has(object.kind)) continue;
    const text = JSON.stringify(steady(object));
    state.set(
      `${object.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`,
      known.reduce((masked, value) => masked.replaceAll(value, '"as given"'), text),
    );
  }
  return state;
}

function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value === "string") return UUID.test(value) ? "an id" : value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (name === "deletionTimestamp") return [["isDeleting", true]];
    if (UNSTEADY.has(name) || (typeof inner === "string" && TIME.test(inner))) return [];
    return [[name, name === "conditions" && Array.isArray(inner) ? byType(inner) : steady(inner)]];
  });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Conditions are known by their types: which comes first means nothing. */
function byType(conditions: readonly unknown[]): unknown {
  return conditions.map((condition) => JSON.stringify(steady(condition))).sort();
}
