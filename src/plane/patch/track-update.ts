// SPDX-License-Identifier: Apache-2.0
import type { Schema } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import type { KubeObject } from "../types.ts";
import { capManagers } from "./cap-managers.ts";
import { difference, isEmpty, union } from "./fields/field-set.ts";
import { NEVER_OWNED } from "./fields/owned-fields.ts";
import { typeProblem } from "./fields/validate-fields.ts";
import { type JsonObject, jsonOf, metadataOf, outcomeOf, withManagedFields } from "./json-object.ts";
import {
  isReset,
  type Manager,
  type Managers,
  managerId,
  NO_MANAGERS,
  readManagers,
  rewritten,
  writeManagers,
} from "./managers.ts";
import { reconcileManagers, takeFields, type Versions, versionsOf } from "./ownership.ts";
import { isUnchanged } from "./unchanged.ts";

/** A write that was not an apply. */
export interface Update {
  /** The object as it is; undefined when it is being created. */
  readonly before: KubeObject | undefined;
  /** The object as the client wants it: read and defaulted, before a kind's own rules have filled anything in. */
  readonly after: KubeObject;
  /** Who writes; empty is `unknown`. */
  readonly manager: string;
  readonly schema: Schema;
  /** An object of the kind that nothing is in yet: built-in kinds have parts that are always there. */
  readonly empty?: KubeObject | undefined;
  /** Now, as in managedFields: `2026-01-31T12:00:00Z`. */
  readonly time: string;
  readonly subresource?: string | undefined;
  /** What this write cannot change: see `resetFields`. */
  readonly resetFields?: readonly string[] | undefined;
  /** Schemas of the kind's other versions. */
  readonly schemaOf?: ((apiVersion: string) => Schema | undefined) | undefined;
  readonly isCustom?: boolean | undefined;
}

/**
 * Gives the changed fields to the manager and takes them from the others: returns `after` with its managedFields brought up
 * to date. Where nothing at all changed it returns `before` itself, and there is nothing to write.
 */
export function trackUpdate(update: Update): KubeObject {
  const { before, after } = update;
  const managers = trackedManagers(update);
  const tracked = withManagedFields(jsonOf(after), managers === undefined ? [] : writeManagers(managers));
  const outcome = outcomeOf(tracked);
  if (before === undefined || !isUnchanged(before, outcome)) return outcome;
  const { resourceVersion = before.metadata.resourceVersion } = after.metadata;
  return resourceVersion === before.metadata.resourceVersion ? before : outcome;
}

function trackedManagers(update: Update): Managers | undefined {
  const { before, after, manager, time, subresource = "", empty, ...kind } = update;
  const known = knownManagers(before, after, subresource);
  // Who never was tracked is not tracked from now on either, until somebody applies.
  if (known.size === 0 && before?.metadata.uid !== undefined) return undefined;
  const versions = versionsOf({ ...kind, apiVersion: after.apiVersion });
  const nothing: JsonObject = empty === undefined ? { apiVersion: after.apiVersion, kind: after.kind } : jsonOf(empty);
  const live = before === undefined ? nothing : jsonOf(before);
  return updateManagers(known, { live, after: jsonOf(after), manager, time, subresource, versions });
}

/** What a client sends counts only where it can be read; forgetting managers by accident must not happen. */
function knownManagers(before: KubeObject | undefined, after: KubeObject, subresource: string): Managers {
  const live = readManagers(before === undefined ? undefined : metadataOf(jsonOf(before)).managedFields) ?? NO_MANAGERS;
  if (subresource !== "") return live;
  const { managedFields } = metadataOf(jsonOf(after));
  if (isReset(managedFields)) return NO_MANAGERS;
  if (before !== undefined && deepEqual(managedFields, metadataOf(jsonOf(before)).managedFields)) return live;
  const given = withoutEntries(readManagers(managedFields));
  return given === undefined || given.size === 0 ? live : given;
}

/** What a client wrote may be written in its own way: it is written again in ours. */
function withoutEntries(managers: Managers | undefined): Managers | undefined {
  if (managers === undefined) return undefined;
  return new Map([...managers].map(([id, manager]) => [id, { ...manager, entry: undefined, encoded: undefined }]));
}

/** An update, its objects as JSON. */
export interface ManagersUpdate {
  readonly live: JsonObject;
  readonly after: JsonObject;
  readonly manager: string;
  readonly time: string;
  readonly subresource: string;
  readonly versions: Versions;
}

/** The managers after an update. Undefined where types or versions do not fit: the server then tracks nothing. */
export function updateManagers(
  known: Managers,
  { live, after, manager, time, subresource, versions }: ManagersUpdate,
): Managers | undefined {
  const [was, is] = [withManagedFields(live, []), withManagedFields(after, [])];
  const allowDuplicates = { allowDuplicates: true };
  if (typeProblem(versions.type, is, allowDuplicates) !== undefined) return undefined;
  if (typeProblem(versions.type, was, allowDuplicates) !== undefined) return undefined;

  const reconciled = reconcileManagers(known, versions);
  if (typeof reconciled === "string") return undefined;
  const { comparison, managers } = takeFields(reconciled, { before: was, after: is, self: "" }, versions);
  const changed = difference(union(comparison.modified, comparison.added), NEVER_OWNED);
  if (!isEmpty(changed)) {
    const identity = { manager: manager || "unknown", operation: "Update", subresource } as const;
    const self: Manager = { ...identity, apiVersion: versions.apiVersion, time, fields: changed };
    const id = managerId(self);
    const fields = union(changed, managers.get(id)?.fields ?? changed);
    managers.set(id, rewritten({ ...self, fields }, known.get(id)));
  }
  return capManagers(managers);
}
