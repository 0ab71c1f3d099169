// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";

/** What makes two moments differ without anything being different. */
const UNSTEADY = new Set([
  "resourceVersion",
  "managedFields",
  "creationTimestamp",
  "generation",
  "observedGeneration",
  "uid",
  "deletionGracePeriodSeconds",
]);
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/**
 * Every object as text, by kind and name. Ids, versions and times are left out, but not that something is on its way out.
 * Events are no part of it: they are news of what happened, and go by themselves.
 */
export function stateOf(objects: Iterable<KubeObject>): ReadonlyMap<string, string> {
  const state = lasting(objects).map((object): [string, string] => [stateKey(object), JSON.stringify(steady(object))]);
  return new Map(state.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The keys alone, in order. */
export function stateKeys(objects: Iterable<KubeObject>): readonly string[] {
  return lasting(objects).map(stateKey).sort();
}

function lasting(objects: Iterable<KubeObject>): KubeObject[] {
  return [...objects].filter(({ kind }) => kind !== "Event");
}

function stateKey({ kind, metadata: { namespace, name = "" } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (name === "deletionTimestamp") return [["isDeleting", true]];
    if (UNSTEADY.has(name) || (typeof inner === "string" && TIME.test(inner))) return [];
    return [[name, steady(inner)]];
  });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
