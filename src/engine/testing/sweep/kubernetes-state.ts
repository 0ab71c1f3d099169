// SPDX-License-Identifier: Apache-2.0
import type { Plane } from "../../../plane/plane.ts";
import { INSTALLATION, SYSTEM_NAMESPACE } from "../../names.ts";
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

/** What a manager leaves behind for good: its id, which the marks of its machines carry. With another one it would know none of them. */
const KEPT = new Set([`ConfigMap ${SYSTEM_NAMESPACE}/${INSTALLATION}`]);

/** Whose status a manager writes while nobody asks it for anything: what it found out about something that people made. */
const TOLD_OF = /^ProviderConfig /;

/** A state without what a manager may leave behind for good. Everything else is as it was before the first one started. */
export function withoutTraces(state: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const kept = [...state].filter(([key]) => !KEPT.has(key));
  return new Map(kept.map(([key, text]) => [key, TOLD_OF.test(key) ? withoutStatus(text) : text]));
}

function withoutStatus(text: string): string {
  const { status: _status, ...rest }: { readonly status?: unknown } = JSON.parse(text);
  return JSON.stringify(rest);
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
