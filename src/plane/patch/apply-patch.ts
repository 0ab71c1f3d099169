// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import type { Schema } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import type { KubeObject } from "../types.ts";
import { type Conflict, conflictError, conflictsOf } from "./conflicts.ts";
import { difference, hasPath, isEmpty, NO_FIELDS, recursiveDifference } from "./fields/field-set.ts";
import { mergeFields } from "./fields/merge-fields.ts";
import { claimedFields, NEVER_OWNED } from "./fields/owned-fields.ts";
import { typeProblem } from "./fields/validate-fields.ts";
import {
  expectShallow,
  type JsonObject,
  jsonKind,
  jsonOf,
  metadataOf,
  outcomeOf,
  withManagedFields,
} from "./json-object.ts";
import { KUBECTL, lastAppliedFields, withLastApplied } from "./last-applied.ts";
import { type Managers, managerId, readManagers, rewritten, writeManagers } from "./managers.ts";
import { reconcileManagers, takeFields, typeMismatch, type Versions, versionsOf } from "./ownership.ts";
import { PatchError } from "./patch-error.ts";
import { pruneFields } from "./prune-fields.ts";
import { updateManagers } from "./track-update.ts";
import { isUnchanged } from "./unchanged.ts";

/** A server-side apply. */
export interface Apply {
  /** The object as it is; undefined when this apply creates it. */
  readonly live: KubeObject | undefined;
  /** What the client wants to be so, as it was sent; of the version and kind that the request is for. */
  readonly config: unknown;
  readonly manager: string;
  /** Whether to take fields that others own. */
  readonly force: boolean;
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

/** What an apply led to. */
export interface Applied {
  /** Not defaulted yet. The live object itself where nothing at all changed, and there is nothing to write. */
  readonly object: KubeObject;
}

/**
 * Lays a configuration over the live object, removes what the manager applied before and does not any more, and keeps track
 * of who owns what. Throws the conflicts where others own fields that it would change, unless forced.
 */
export function applyPatch(apply: Apply): Applied {
  const { time, manager, subresource = "" } = apply;
  const config = readConfig(apply);
  const { apiVersion, kind } = config;
  const nothing: JsonObject = apply.empty === undefined ? { apiVersion, kind } : jsonOf(apply.empty);
  const live = apply.live === undefined ? nothing : jsonOf(apply.live);
  const versions = versionsOf({ ...apply, apiVersion });
  const known = readManagers(metadataOf(live).managedFields);
  if (known === undefined) throw new PatchError("internal", "failed to decode managed fields");
  const untracked = { live: nothing, after: live, manager: "before-first-apply", time, subresource, versions };
  // An object that nobody was tracked of: all that is there belongs to one manager from now on.
  const managers = known.size > 0 ? known : (updateManagers(known, untracked) ?? known);

  const outcome = mergeUnlessConflicting({ apply, live, config, managers, versions });
  const written = withManagedFields(withoutNullMetadata(outcome.object), writeManagers(outcome.managers));
  const object = outcomeOf(manager === KUBECTL ? withLastApplied(written, config) : written);
  return { object: apply.live !== undefined && isUnchanged(apply.live, object) ? apply.live : object };
}

/** Metadata is read into its known fields, which a null leaves as they are when nothing is said of them. */
function withoutNullMetadata(object: JsonObject): JsonObject {
  const entries = Object.entries(metadataOf(object));
  const given = entries.filter(([, value]) => value !== null);
  return given.length === entries.length ? object : { ...object, metadata: Object.fromEntries(given) };
}

function readConfig({
  config: given,
  live,
}: Apply): JsonObject & { readonly apiVersion: string; readonly kind: string } {
  const config = given ?? {};
  if (!isObject(config)) {
    const words = `json: cannot unmarshal ${jsonKind(config)} into Go value of type map[string]interface {}`;
    throw new PatchError("badRequest", `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${words}`);
  }
  expectShallow(config);
  const { apiVersion, kind } = config;
  const isOfLive = live === undefined || (apiVersion === live.apiVersion && kind === live.kind);
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isOfLive)
    throw new PatchError("badRequest", `invalid object type: ${kindText(config)}`);
  if (Array.isArray(metadataOf(config).managedFields))
    throw new PatchError("badRequest", "metadata.managedFields must be nil");
  return { ...config, apiVersion, kind };
}

/** An object's type as the server prints it: `group/version, Kind=kind`. */
function kindText({ apiVersion, kind }: JsonObject): string {
  const parts = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  if (parts.length > 2) return "/, Kind=";
  const [version = "", group = ""] = parts.reverse();
  return `${group}/${version}, Kind=${typeof kind === "string" ? kind : ""}`;
}

interface Step {
  readonly apply: Apply;
  readonly live: JsonObject;
  readonly config: JsonObject & { readonly apiVersion: string };
  readonly managers: Managers;
  readonly versions: Versions;
}

interface StepOutcome {
  readonly object: JsonObject;
  readonly managers: Managers;
  readonly conflicts: readonly Conflict[];
}

function mergeUnlessConflicting(step: Step): StepOutcome {
  const { apply, live, versions } = step;
  const outcome = merge(step);
  if (apply.force || outcome.conflicts.length === 0) return outcome;
  // What client-side apply set is no conflict for kubectl: it only goes over to the server's side.
  const allowed = apply.manager === KUBECTL ? lastAppliedFields(live, versions) : undefined;
  const remaining = outcome.conflicts.filter(({ path }) => allowed === undefined || !hasPath(allowed, path));
  if (remaining.length > 0) throw conflictError(remaining);
  return outcome;
}

function merge({ apply, live, config, managers: known, versions }: Step): StepOutcome {
  const { type } = versions;
  const problem = typeProblem(type, config);
  if (problem !== undefined) throw typeMismatch(`failed to create typed patch object (${nameOf(config)})`, problem);
  const liveProblem = typeProblem(type, live, { allowDuplicates: true });
  if (liveProblem !== undefined)
    throw typeMismatch(`failed to create typed live object (${nameOf(live)})`, liveProblem);

  const managers = reconcileManagers(known, versions);
  if (typeof managers === "string") throw new PatchError("internal", managers);
  const { manager, time, subresource = "" } = apply;
  const identity = { manager, operation: "Apply", apiVersion: config.apiVersion, subresource } as const;
  const self = managerId(identity);
  const last = managers.get(self);
  const claimed = recursiveDifference(claimedFields(type, config), versions.resetFields);
  managers.set(self, { ...identity, time: last?.time, fields: claimed });
  const merged = pruneFields(mergeFields(type, live, config), { last, claimed, managers, versions });
  const object = isObject(merged) ? merged : {};

  const { managers: left, taken } = takeFields(managers, { before: live, after: object, self }, versions);
  const fields = difference(left.get(self)?.fields ?? NO_FIELDS, NEVER_OWNED);
  if (isEmpty(fields)) left.delete(self);
  else left.set(self, rewritten({ ...identity, time: deepEqual(object, live) ? last?.time : time, fields }, last));
  return { object, managers: left, conflicts: conflictsOf(taken, managers) };
}

/** Which object it is, as messages name it. */
function nameOf(object: JsonObject): string {
  const { namespace, name } = metadataOf(object);
  return `${namespace ?? ""}/${name ?? ""}; ${kindText(object)}`;
}
