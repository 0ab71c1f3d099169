// SPDX-License-Identifier: Apache-2.0
import type { MutableObject } from "../../schema/json.ts";
import type { KindBehaviour, ResourceType, StorageView, SubresourceType, TableColumn } from "../types.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { type Field, of, required, type Struct, shown, struct, text } from "./fields.ts";
import { objectMeta } from "./metadata.ts";
import { schemaOf } from "./struct-schema.ts";
import { typedResource } from "./typed-resource.ts";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** A built-in kind as the table of kinds has it; what is left out is as with most kinds. */
export interface KindDefinition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly verbs?: readonly string[];
  readonly hasStatus?: boolean;
  /** Where OpenAPI documents keep its definition: `io.k8s.api.core.v1`. */
  readonly definitions: string;
  readonly about: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly needsMetadata?: boolean;
  /** Fills in defaults, in place. */
  readonly setDefaults?: (object: MutableObject) => void;
  readonly columns?: readonly TableColumn[];
  readonly selectableFields?: readonly string[];
  readonly behaviour: KindBehaviour;
  readonly allowsUnconditionalUpdate?: boolean;
  readonly allowsCreateOnUpdate?: boolean;
  readonly returnsDeletedObject?: boolean;
  readonly isVirtual?: boolean;
  readonly storage?: StorageView;
  readonly subresources?: readonly SubresourceType[];
}

/** The resource type of a built-in kind. */
export function builtIn(definition: KindDefinition): ResourceType {
  const { group, kind, plural, namespaced, behaviour } = definition;
  const whole = wholeStruct(definition);
  const scope = namespaced ? "Namespaced" : "Cluster";
  const apiVersion = group === "" ? "v1" : `${group}/v1`;
  return {
    group,
    version: "v1",
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    namespaced,
    verbs: definition.verbs ?? VERBS,
    hasStatus: definition.hasStatus ?? false,
    schema: schemaOf(whole),
    resource: typedResource(whole, { scope, apiVersion, kind, setDefaults: definition.setDefaults }),
    columns: definition.columns ?? [nameColumn, ageColumn],
    selectableFields: definition.selectableFields ?? [],
    isCustom: false,
    behaviour,
    allowsUnconditionalUpdate: definition.allowsUnconditionalUpdate ?? true,
    allowsCreateOnUpdate: definition.allowsCreateOnUpdate ?? false,
    returnsDeletedObject: definition.returnsDeletedObject ?? false,
    isVirtual: definition.isVirtual ?? false,
    ...(definition.storage === undefined ? {} : { storage: definition.storage }),
    subresources: definition.subresources ?? [],
  };
}

/** The object's own fields behind those that every object has. */
function wholeStruct({ definitions, kind, about, fields, needsMetadata = false }: KindDefinition): Struct {
  const metadata = shown(of(objectMeta), "What is known of every object: name, namespace, labels and more.");
  return struct(`${definitions}.${kind}`, about, {
    apiVersion: { ...shown(text, "Group and version of this object."), kept: "unless empty" },
    kind: { ...shown(text, "Kind of this object."), kept: "unless empty" },
    metadata: needsMetadata ? required(metadata) : metadata,
    ...fields,
  });
}
