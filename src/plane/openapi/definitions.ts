// SPDX-License-Identifier: Apache-2.0
import type { Schema } from "../../schema/index.ts";
import { definitionName } from "../kinds/struct-schema.ts";
import type { ResourceType } from "../types.ts";
import { META, metaDefinitions, typeMetaProperties } from "./meta-definitions.ts";

/** A schema in an OpenAPI document: JSON, with references to definitions. */
export type ApiSchema = Readonly<Record<string, unknown>>;

/** The group, version and kind that a definition or a path is about. */
export interface KindId {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const MANAGED_FIELDS = `${META}.ManagedFieldsEntry`;
const GROUP_VERSION_KIND = "x-kubernetes-group-version-kind";

/** The definitions of one document, by name. What is asked for is added with all it refers to. */
export interface Definitions {
  /** A schema that refers to the definition. */
  reference(name: string): ApiSchema;
  /** Adds what many documents need and gives a reference to it. */
  shared(name: "DeleteOptions" | "Patch" | "Status"): ApiSchema;
  /** Adds a kind and gives the name of its definition. */
  addKind(type: ResourceType): string;
  /** Adds the list of a kind and gives the name of its definition. */
  addList(type: ResourceType): string;
  /** All definitions, by name. */
  all(): Readonly<Record<string, ApiSchema>>;
}

/** What definitions depend on. */
export interface DefinitionsOptions {
  /** What references begin with. */
  readonly prefix: string;
  /** All group versions that are served: options are of each of them. */
  readonly versions: readonly { readonly group: string; readonly version: string }[];
}

/** Empty definitions. */
export function createDefinitions({ prefix, versions }: DefinitionsOptions): Definitions {
  const known = new Map<string, ApiSchema>();
  const reference = (name: string): ApiSchema => ({ $ref: `${prefix}${name}` });

  const add = (name: string, schema: Schema, kinds: readonly KindId[] = []) => {
    if (known.has(name)) return;
    // Held before it is filled: schemas may contain themselves.
    known.set(name, {});
    const marks = kinds.length === 0 ? {} : { [GROUP_VERSION_KIND]: kinds };
    const own = name === MANAGED_FIELDS ? withFieldsV1(schema) : schema;
    known.set(name, { ...convert(own, "definition"), ...marks });
  };

  /**
   * A schema with a definition of its own becomes a reference to that. A field's schema has the field's description,
   * which then is not the definition's; that of an item or a map's value is.
   */
  const convert = (schema: Schema, as: "definition" | "field" | "value"): ApiSchema => {
    const name = as === "definition" ? undefined : definitionName(schema);
    if (name !== undefined) {
      const { description, ...plain } = schema;
      add(name, as === "field" ? plain : schema);
      return withoutUndefined({ description: as === "field" ? description : undefined, allOf: [reference(name)] });
    }
    const { properties, items, additionalProperties, allOf, anyOf, oneOf, not, ...rest } = schema;
    const value = (one: Schema) => convert(one, "value");
    return withoutUndefined({
      ...rest,
      properties: properties && convertProperties(embedded(schema, properties)),
      items: items && value(items),
      additionalProperties:
        typeof additionalProperties === "object" ? value(additionalProperties) : additionalProperties,
      allOf: allOf?.map(value),
      anyOf: anyOf?.map(value),
      oneOf: oneOf?.map(value),
      not: not && value(not),
    });
  };
  const convertProperties = (properties: Readonly<Record<string, Schema>>) =>
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, convert(schema, "field")]));

  const addCustom = (type: ResourceType): string => {
    const name = customName(type);
    const properties = {
      ...typeMetaProperties,
      ...type.schema.properties,
      metadata: metaDefinitions.objectMeta.schema,
    };
    add(name, { ...type.schema, properties }, [kindOf(type)]);
    return name;
  };

  return {
    reference,
    addKind(type) {
      const name = definitionName(type.schema);
      if (name === undefined) return addCustom(type);
      add(name, type.schema, [kindOf(type)]);
      return name;
    },
    addList(type) {
      const item = this.addKind(type);
      const name = `${item.slice(0, item.lastIndexOf(".") + 1)}${type.listKind}`;
      const { listMeta } = metaDefinitions;
      add(listMeta.name, listMeta.schema);
      known.set(name, {
        description: `A list of objects of kind ${type.kind}.`,
        type: "object",
        required: ["items"],
        properties: {
          ...typeMetaProperties,
          items: { description: "The objects.", type: "array", items: { default: {}, allOf: [reference(item)] } },
          metadata: { description: "What is known of every list.", default: {}, allOf: [reference(listMeta.name)] },
        },
        [GROUP_VERSION_KIND]: [{ ...kindOf(type), kind: type.listKind }],
      });
      return name;
    },
    shared(name) {
      const { deleteOptions, status, patch } = metaDefinitions;
      const kinds = name === "DeleteOptions" ? versions : [{ group: "", version: "v1" }];
      const [definition] = [deleteOptions, status, patch].filter((one) => one.name === `${META}.${name}`);
      if (definition === undefined) throw new Error(`no definition of ${name}`);
      add(
        definition.name,
        definition.schema,
        name === "Patch" ? [] : kinds.map((one) => kindOf({ ...one, kind: name })),
      );
      return reference(definition.name);
    },
    all: () => Object.fromEntries([...known].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** The tree of fields has a definition of its own, though it takes anything. */
function withFieldsV1(schema: Schema): Schema {
  return { ...schema, properties: { ...schema.properties, fieldsV1: metaDefinitions.fieldsV1.schema } };
}

/** Objects within objects have the fields that every object has. */
function embedded(schema: Schema, properties: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> {
  if (schema["x-kubernetes-embedded-resource"] !== true) return properties;
  return { ...typeMetaProperties, metadata: metaDefinitions.objectMeta.schema, ...properties };
}

/** `dev.butlerlabs.butler.v1alpha1.MachineRequest`. */
function customName({ group, version, kind }: ResourceType): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** The kind of a type, as documents name it. */
export function kindOf({ group, version, kind }: KindId): KindId {
  return { group, kind, version };
}

function withoutUndefined(schema: ApiSchema): ApiSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
