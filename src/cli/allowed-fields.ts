// SPDX-License-Identifier: Apache-2.0
import type { Path, Schema } from "../schema/index.ts";

const metadataFields = [
  ...["name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "uid"],
  ...["resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"],
  ...["managedFields", "selfLink"],
];
const ownerFields = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];

/** The names of the fields a schema allows at a place in an object; none where names are free. */
export function allowedFields(schema: Schema, path: Path): readonly string[] {
  if (path[0] === "metadata")
    return path.length === 1 ? metadataFields : path[1] === "ownerReferences" ? ownerFields : [];
  let place: Schema | undefined = schema;
  for (const step of path) place = place === undefined ? undefined : inside(place, step);
  const own = Object.keys(place?.properties ?? {});
  return path.length === 0 ? ["apiVersion", "kind", "metadata", ...own] : own;
}

function inside(schema: Schema, step: string | number): Schema | undefined {
  if (typeof step === "number") return schema.items;
  const rest = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  return schema.properties?.[step] ?? rest;
}
