// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../../schema/index.ts";
import { difference, type FieldSet, intersection, isEmpty, union, unionOfAll } from "./fields/field-set.ts";
import type { FieldType } from "./fields/field-type.ts";
import { claimedFields, withNamedFields } from "./fields/owned-fields.ts";
import { removeFields } from "./fields/remove-fields.ts";
import type { Manager, Managers } from "./managers.ts";
import type { Versions } from "./ownership.ts";

/** What removes fields: what a manager applied the last time and now, and everybody's fields by now, its own included. */
export interface Pruning {
  readonly last: Manager | undefined;
  readonly claimed: FieldSet;
  readonly managers: Managers;
  readonly versions: Versions;
}

/** Removes what a manager applied the last time, does not apply any more, and nobody else owns. */
export function pruneFields(merged: Json, { last, claimed, managers, versions }: Pruning): Json {
  const type = last === undefined ? undefined : versions.typeOf(last.apiVersion);
  if (last === undefined || type === undefined || isEmpty(last.fields)) return merged;
  // Most applies only add or change.
  if (last.apiVersion === versions.apiVersion && isEmpty(difference(last.fields, claimed))) return merged;
  const lastFields = withNamedFields(last.fields, type);
  let pruned = removeFields(type, merged, lastFields);

  // What others own, or the new configuration, comes back, parent by parent; each version by its own schema.
  for (const [apiVersion, fields] of fieldsByVersion(managers, last.apiVersion)) {
    const typeThere = versions.typeOf(apiVersion);
    if (typeThere !== undefined) pruned = addBack(typeThere, merged, { pruned, owned: fields });
  }

  // What the manager never owned, though it stood inside something it did, comes back as well.
  const gone = difference(namedFieldsOf(type, merged), namedFieldsOf(type, pruned));
  return removeFields(type, merged, intersection(gone, lastFields));
}

function namedFieldsOf(type: FieldType, value: Json): FieldSet {
  return withNamedFields(claimedFields(type, value), type);
}

function addBack(type: FieldType, merged: Json, { pruned, owned }: { pruned: Json; owned: FieldSet }): Json {
  const kept = union(namedFieldsOf(type, pruned), withNamedFields(owned, type));
  return removeFields(type, merged, difference(namedFieldsOf(type, merged), kept));
}

/** Everybody's fields together, by version; the given one first. */
function fieldsByVersion(managers: Managers, first: string): Map<string, FieldSet> {
  const found = new Map<string, FieldSet[]>([[first, []]]);
  for (const { apiVersion, fields } of managers.values()) {
    const known = found.get(apiVersion) ?? [];
    known.push(fields);
    found.set(apiVersion, known);
  }
  return new Map([...found].map(([apiVersion, sets]) => [apiVersion, unionOfAll(sets)]));
}
