// SPDX-License-Identifier: Apache-2.0

/** A parameter of a path or a query. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly description: string;
  readonly required?: true;
  readonly schema: { readonly type: string; readonly uniqueItems: true };
}

function query(name: string, description: string, type = "string"): Parameter {
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}

function path(name: string, description: string): Parameter {
  return { name, in: "path", description, required: true, schema: { type: "string", uniqueItems: true } };
}

const dryRun = query("dryRun", "With All, everything is done but the write.");
const fieldManager = query("fieldManager", "Who makes the change; fields are recorded as this manager's.");
const fieldValidation = query(
  "fieldValidation",
  "What becomes of unknown and repeated fields: Ignore, Warn or Strict.",
);
const resourceVersion = query("resourceVersion", "How new the answer must be at least.");

/** Parameters by what they are for. */
export const parameters = {
  name: (kind: string) => path("name", `name of the ${kind}`),
  namespace: path("namespace", "The namespace of the objects."),
  pretty: query("pretty", "Whether the answer is laid out for people."),
  get: [resourceVersion],
  write: [dryRun, fieldManager, fieldValidation],
  patch: [
    dryRun,
    fieldManager,
    fieldValidation,
    query("force", "For applies: takes fields over from other managers.", "boolean"),
  ],
  delete: [
    dryRun,
    query("gracePeriodSeconds", "How long the object may take to end by itself; 0 deletes at once.", "integer"),
    query("orphanDependents", "Older than propagationPolicy, which is to be used instead.", "boolean"),
    query("propagationPolicy", "What becomes of dependents: Orphan, Background or Foreground."),
  ],
  list: [
    query("allowWatchBookmarks", "Whether a watch may send events that only carry a resourceVersion.", "boolean"),
    query("continue", "Where an earlier, shortened list ended."),
    query("fieldSelector", "Only objects whose fields have these values."),
    query("labelSelector", "Only objects whose labels meet these conditions."),
    query("limit", "How many objects to give at most.", "integer"),
    resourceVersion,
    query("resourceVersionMatch", "How resourceVersion is meant: Exact or NotOlderThan."),
    query("sendInitialEvents", "Whether a watch begins with what is there already.", "boolean"),
    query("timeoutSeconds", "When the call ends by itself.", "integer"),
    query("watch", "Gives changes as they happen instead of a list.", "boolean"),
  ],
} as const;
