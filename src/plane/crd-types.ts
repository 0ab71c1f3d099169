// SPDX-License-Identifier: Apache-2.0
import { compileResource, type Resource, type Schema } from "../schema/index.ts";
import { deepEqual } from "../schema/json.ts";
import { customColumns, type PrinterColumn } from "./printing/index.ts";
import { asJson, asObject } from "./rest/admit.ts";
import type { KubeObject, ResourceType, ScaleSubresource } from "./types.ts";

/** A CustomResourceDefinition, as far as serving it goes. It is in the store, so it has passed validation. */
export interface CustomResourceDefinition extends KubeObject {
  readonly spec: CrdSpec;
  readonly status?: CrdStatus;
}

/** What a definition defines. */
export interface CrdSpec {
  readonly group: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly names: CrdNames;
  readonly versions: readonly CrdVersion[];
}

/** What a resource is called. */
export interface CrdNames {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

/** One version of a resource. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly subresources?: { readonly status?: object; readonly scale?: ScaleSubresource };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** Something that is known of a definition. */
export interface CrdCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** What has become of a definition. */
export interface CrdStatus {
  readonly conditions?: readonly CrdCondition[] | null;
  readonly acceptedNames?: CrdNames;
  readonly storedVersions?: readonly string[] | null;
}

/** An object of the store as the definition it is. */
export function asCrd(object: KubeObject): CustomResourceDefinition {
  return object as CustomResourceDefinition;
}

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** The types that a definition serves, one for each served version. Cheap: schemas are compiled on first use. */
export function typesOf(crd: CustomResourceDefinition): readonly ResourceType[] {
  return typesWhere(crd, ({ served }) => served);
}

/** The type that a definition's objects are stored as, served or not. */
export function storageTypeOf(crd: CustomResourceDefinition): ResourceType | undefined {
  return typesWhere(crd, ({ storage }) => storage)[0];
}

function typesWhere(
  { spec }: CustomResourceDefinition,
  isWanted: (version: CrdVersion) => boolean,
): readonly ResourceType[] {
  const storage = spec.versions.find((version) => version.storage);
  if (storage === undefined) return [];
  const schemas = new Map(spec.versions.map((version) => [version.name, schemaOf(version)]));
  const stored = compiled(schemas.get(storage.name) ?? {}, spec.scope);
  return spec.versions
    .filter(isWanted)
    .map((version) => typeOf({ spec, version, storage, stored, schema: schemas.get(version.name) ?? {} }));
}

interface VersionContext {
  readonly spec: CrdSpec;
  readonly version: CrdVersion;
  readonly storage: CrdVersion;
  readonly stored: Resource;
  readonly schema: Schema;
}

function typeOf({ spec, version, storage, stored, schema }: VersionContext): ResourceType {
  const { group, names, scope } = spec;
  const resource = version === storage ? stored : compiled(schema, scope);
  const { status, scale } = version.subresources ?? {};
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === "Namespaced",
    verbs: VERBS,
    hasStatus: status !== undefined,
    ...(scale === undefined ? {} : { scale }),
    schema,
    resource,
    columns: customColumns(version.additionalPrinterColumns),
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath),
    isCustom: true,
    ...(version.deprecated === true ? { warning: deprecation(spec, version) } : {}),
    storage: {
      group,
      plural: names.plural,
      show(object) {
        const current = upToDate(stored, object);
        if (version === storage && current.apiVersion === apiVersion(group, version)) return current;
        const shown = { ...current, apiVersion: apiVersion(group, version) };
        return version === storage ? shown : asObject(resource.prune(asJson(shown)));
      },
      keep(object) {
        if (version === storage) return object;
        const moved = { ...object, apiVersion: apiVersion(group, storage) };
        return asObject(stored.prune(asJson(moved)));
      },
    },
  };
}

function apiVersion(group: string, { name }: CrdVersion): string {
  return `${group}/${name}`;
}

function deprecation({ group, names }: CrdSpec, { name, deprecationWarning }: CrdVersion): string {
  return deprecationWarning ?? `${group}/${name} ${names.kind} is deprecated`;
}

function schemaOf({ schema }: CrdVersion): Schema {
  return schema?.openAPIV3Schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
}

/** Compiling waits until the first object comes. */
function compiled(schema: Schema, scope: CrdSpec["scope"]): Resource {
  let resource: Resource | undefined;
  const get = () => {
    resource ??= compileResource(schema, { scope });
    return resource;
  };
  return {
    admit: (object, options) => get().admit(object, options),
    defaults: (object) => get().defaults(object),
    prune: (object) => get().prune(object),
    validate: (object, old) => get().validate(object, old),
    decode: (object) => get().decode(object),
    check: (object, old) => get().check(object, old),
  };
}

/** A stored object by today's schema; the same object where the schema has nothing to add or to drop. */
function upToDate(stored: Resource, object: KubeObject): KubeObject {
  const given = asJson(object);
  const current = stored.defaults(stored.prune(given));
  return deepEqual(current, given) ? object : asObject(current);
}
