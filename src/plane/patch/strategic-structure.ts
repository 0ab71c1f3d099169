// SPDX-License-Identifier: Apache-2.0
import { quote } from "../../schema/go-text.ts";
import type { Schema } from "../../schema/index.ts";
import { getOwn } from "../../schema/json.ts";
import { OBJECT_META, type PatchSchema } from "./fields/object-meta-schema.ts";
import { PatchError } from "./patch-error.ts";

/** What a schema says of the fields of one place, and what messages call that place. */
export interface Structure {
  readonly schema: PatchSchema;
  readonly name: string;
}

/** How one field is merged. */
export interface FieldStructure {
  /** `merge`, `replace`, or nothing. */
  readonly strategy: string;
  readonly mergeKey: string;
  readonly below: Structure;
}

/** The structure of a whole object. */
export function rootStructure(schema: Schema, kind: string): Structure {
  return { schema: { ...schema, properties: { ...schema.properties, metadata: OBJECT_META } }, name: kind };
}

/** How the field of this name is merged. Throws where there is none: the server cannot merge what it does not know. */
export function structureOf({ schema, name }: Structure, field: string): FieldStructure {
  const found: PatchSchema | undefined = getOwn(schema.properties, field);
  if (found === undefined) throw new PatchError("internal", unknownField(schema, name, field));
  const strategies = found["x-kubernetes-patch-strategy"]?.split(",") ?? [];
  return {
    strategy: strategies.find((strategy) => strategy !== "retainKeys") ?? "",
    mergeKey: found["x-kubernetes-patch-merge-key"] ?? "",
    below: { schema: found, name: nameBelow(name, field) },
  };
}

/** The same for a list. */
export function listStructure(structure: Structure, field: string): FieldStructure {
  const found = structureOf(structure, field);
  if (found.below.schema.type === "array") return found;
  throw new PatchError("internal", "expected slice or array type, but got: struct");
}

/** The structure of a list's items. */
export function itemsStructure({ schema, name }: Structure): Structure {
  return { schema: schema.items ?? {}, name };
}

function unknownField(schema: Schema, name: string, field: string): string {
  if (schema.properties === undefined) return "merging an object in json but data type is not struct, instead is: map";
  return `unable to find api field in struct ${name} for the json field ${quote(field)}`;
}

/** What Go calls the type of a field, for the types that follow the usual pattern. */
function nameBelow(name: string, field: string): string {
  if (field === "metadata") return "ObjectMeta";
  return field === "spec" || field === "status"
    ? name + field.charAt(0).toUpperCase() + field.slice(1)
    : field.charAt(0).toUpperCase() + field.slice(1);
}
