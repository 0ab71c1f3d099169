// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../../schema/go-text.ts";
import type { Json, Schema } from "../../../schema/index.ts";
import { OBJECT_META, type PatchSchema } from "./object-meta-schema.ts";

/** What ownership goes by: which kinds a value may have, and of which parts lists and maps are made. */
export interface FieldType {
  readonly scalar?: "numeric" | "string" | "boolean" | "untyped";
  readonly list?: ListType;
  readonly map?: MapType;
}

export interface ListType {
  readonly items: FieldType;
  /** An atomic list is owned as a whole; the items of others each by themselves. */
  readonly isAtomic: boolean;
  /** What tells items apart; a set has none. */
  readonly keys: readonly string[];
}

export interface MapType {
  readonly fields: ReadonlyMap<string, { readonly type: FieldType; readonly default: Json | undefined }>;
  /** The type of what `fields` does not name; undefined where nothing else may be there. */
  readonly element: FieldType | undefined;
  readonly isAtomic: boolean;
}

const NO_NAMED_FIELDS: MapType["fields"] = new Map();

/** Anything, owned as a whole. */
const UNTYPED: FieldType = {
  scalar: "untyped",
  get list() {
    return UNTYPED_LIST;
  },
  get map() {
    return UNTYPED_MAP;
  },
};
const UNTYPED_LIST: ListType = { items: UNTYPED, isAtomic: true, keys: [] };
const UNTYPED_MAP: MapType = { fields: NO_NAMED_FIELDS, element: UNTYPED, isAtomic: true };

/** Anything: objects are owned field by field, lists as a whole. What a schema that preserves unknown fields leaves open. */
const DEDUCED: FieldType = {
  scalar: "untyped",
  list: UNTYPED_LIST,
  get map() {
    return DEDUCED_MAP;
  },
};
const DEDUCED_MAP: MapType = { fields: NO_NAMED_FIELDS, element: DEDUCED, isAtomic: false };

/** Whether a map is without named fields and takes anything. */
export function isDeducedMap({ fields, element }: MapType): boolean {
  return element === DEDUCED && fields.size === 0;
}

const known = new WeakMap<Schema, FieldType>();

/** The type of a whole object by its kind's schema. Made once per schema. */
export function objectType(schema: Schema): FieldType {
  const made = known.get(schema) ?? typeOf(withObjectFields(schema), false);
  known.set(schema, made);
  return made;
}

/** Every object has these three, and an embedded one too, whatever its schema says of them. */
function withObjectFields(schema: Schema): Schema {
  const text: Schema = { type: "string" };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata: OBJECT_META } };
}

function typeOf(given: Schema, isInsideOpen: boolean): FieldType {
  const schema = given["x-kubernetes-embedded-resource"] === true ? withObjectFields(given) : given;
  // Once a schema lets unknown fields in, so does everything below it.
  const isOpen = isInsideOpen || schema["x-kubernetes-preserve-unknown-fields"] === true;
  switch (schema.type) {
    case "object":
      return { map: mapType(schema, isOpen) };
    case "array":
      return { list: listType(schema, isOpen) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string":
      return { scalar: schema.format === undefined || schema.format === "byte" ? "string" : "untyped" };
    default:
      return { scalar: "untyped", list: listType(schema, isOpen), map: mapType(schema, isOpen) };
  }
}

function mapType(schema: Schema, isOpen: boolean): MapType {
  const named = Object.entries(schema.properties ?? {});
  const fields = new Map(
    named.map(([name, field]) => [name, { type: typeOf(field, isOpen), default: field.default }] as const),
  );
  const isAtomic = schema["x-kubernetes-map-type"] === "atomic";
  return { fields, element: elementType(schema, isOpen), isAtomic };
}

function elementType({ properties, additionalProperties }: Schema, isOpen: boolean): FieldType | undefined {
  if (typeof additionalProperties === "object") return typeOf(additionalProperties, isOpen);
  if (additionalProperties !== undefined) return additionalProperties ? DEDUCED : undefined;
  return isOpen || Object.keys(properties ?? {}).length === 0 ? DEDUCED : undefined;
}

function listType(schema: PatchSchema, isOpen: boolean): ListType {
  const items = schema.items === undefined ? UNTYPED : typeOf(schema.items, isOpen);
  const isMerged = schema["x-kubernetes-patch-strategy"]?.split(",").includes("merge") === true;
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return { items, isAtomic: false, keys: schema["x-kubernetes-list-map-keys"] ?? [] };
    case "set":
      return { items, isAtomic: false, keys: [] };
    case "atomic":
      return { items, isAtomic: true, keys: [] };
    default:
      return { items, isAtomic: !isMerged, keys: isMerged && mergeKey !== undefined ? [mergeKey] : [] };
  }
}

/** As what a value is treated: its own kind where the type allows it, else the first that the type has. */
export function kindOf(type: FieldType, value: Json): "map" | "scalar" | "list" | undefined {
  if (isList(value)) {
    if (type.list !== undefined) return "list";
  } else if (isObject(value)) {
    if (type.map !== undefined) return "map";
  } else if (value !== null && type.scalar !== undefined) return "scalar";
  if (type.map !== undefined) return "map";
  if (type.scalar !== undefined) return "scalar";
  return type.list === undefined ? undefined : "list";
}

/** The type of a field or key of a map; undefined where the map may not have it. */
export function fieldTypeIn(map: MapType, name: string): FieldType | undefined {
  return map.fields.get(name)?.type ?? map.element;
}
