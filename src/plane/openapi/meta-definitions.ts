// SPDX-License-Identifier: Apache-2.0
import type { Schema } from "../../schema/index.ts";
import { boolean, int32, int64, list, of, optional, pointer, type Struct, struct, text } from "../kinds/fields.ts";
import { objectMeta } from "../kinds/metadata.ts";
import { schemaOf } from "../kinds/struct-schema.ts";

/** The package of what all kinds share. */
export const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

const typeMeta = {
  apiVersion: optional(text, "Group and version of this object."),
  kind: optional(text, "Kind of this object."),
};

const listMeta = struct(`${META}.ListMeta`, "What is known of every list.", {
  continue: optional(text, "Sent back to the server, it gives the rest of the list."),
  remainingItemCount: pointer(int64, "How many items the rest of the list has, where that is known."),
  resourceVersion: optional(text, "The version of the whole list; a watch from there misses nothing."),
  selfLink: optional(text, "No longer filled in."),
});

const preconditions = struct(`${META}.Preconditions`, "What must hold for a deletion to happen.", {
  resourceVersion: pointer(text, "The version that the object must have."),
  uid: pointer(text, "The identity that the object must have."),
});

const deleteOptions = struct(`${META}.DeleteOptions`, "How to delete.", {
  ...typeMeta,
  dryRun: optional(list(text), "With All, everything is done but the deletion."),
  gracePeriodSeconds: pointer(int64, "How long the object may take to end by itself; 0 deletes at once."),
  orphanDependents: pointer(boolean, "Older than propagationPolicy, which is to be used instead."),
  preconditions: pointer(of(preconditions), "What must hold for the deletion to happen."),
  propagationPolicy: pointer(text, "What becomes of dependents: Orphan, Background or Foreground."),
});

const statusCause = struct(`${META}.StatusCause`, "One of several reasons of a failure.", {
  field: optional(text, "The field that is the reason."),
  message: optional(text, "What is wrong, for people."),
  reason: optional(text, "What is wrong, for programs."),
});

const statusDetails = struct(`${META}.StatusDetails`, "More about what a status is about.", {
  causes: optional(list(of(statusCause)), "The single reasons."),
  group: optional(text, "Group of the resource."),
  kind: optional(text, "The resource, or its kind."),
  name: optional(text, "Name of the object."),
  retryAfterSeconds: optional(int32, "After how many seconds another attempt makes sense."),
  uid: optional(text, "Identity of the object."),
});

const status = struct(`${META}.Status`, "What became of a request that is answered with no object.", {
  ...typeMeta,
  code: optional(int32, "The HTTP status."),
  details: pointer(of(statusDetails), "More about it."),
  message: optional(text, "What happened, for people."),
  metadata: optional(of(listMeta), "What is known of every list."),
  reason: optional(text, "What happened, for programs."),
  status: optional(text, "Success or Failure."),
});

const fieldsV1 = struct(`${META}.FieldsV1`, "The fields, as a tree.", {});

const patch = struct(`${META}.Patch`, "A patch; its form depends on its media type.", {});

function schemaWithName(own: Struct): { name: string; schema: Schema } {
  return { name: own.name, schema: schemaOf(own) };
}

/** Definitions that documents have whatever their kinds are. */
export const metaDefinitions = {
  objectMeta: schemaWithName(objectMeta),
  listMeta: schemaWithName(listMeta),
  deleteOptions: schemaWithName(deleteOptions),
  status: schemaWithName(status),
  patch: schemaWithName(patch),
  fieldsV1: schemaWithName(fieldsV1),
};

/** The fields that say what an object is, for lists and embedded objects. */
export const typeMetaProperties: Readonly<Record<string, Schema>> = {
  apiVersion: { type: "string", description: typeMeta.apiVersion.about },
  kind: { type: "string", description: typeMeta.kind.about },
};
