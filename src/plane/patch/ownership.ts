// SPDX-License-Identifier: Apache-2.0
import type { Json, Schema } from "../../schema/index.ts";
import { type Comparison, compareFields, withoutFields } from "./fields/compare-fields.ts";
import { difference, type FieldSet, fieldSet, intersection, isEmpty, union } from "./fields/field-set.ts";
import { type FieldType, objectType } from "./fields/field-type.ts";
import { reconciled } from "./fields/owned-fields.ts";
import { type Manager, type Managers, withFields } from "./managers.ts";
import { PatchError } from "./patch-error.ts";

/** A kind as ownership sees it. */
export interface OwnedKind {
  /** The version that is written in. */
  readonly apiVersion: string;
  readonly schema: Schema;
  /** Fields at the root that this way of writing cannot change, so that nobody comes to own them by it. */
  readonly resetFields?: readonly string[] | undefined;
  /** Schemas of other versions that managers may have written in. */
  readonly schemaOf?: ((apiVersion: string) => Schema | undefined) | undefined;
  /** Custom kinds cannot be converted to versions that they do not have; built-in ones forget who wrote in such a version. */
  readonly isCustom?: boolean | undefined;
}

/** Types and comparisons by version, for one write. */
export interface Versions {
  readonly apiVersion: string;
  readonly type: FieldType;
  readonly resetFields: FieldSet;
  readonly isCustom: boolean;
  /** The type in a version; undefined where the kind has no such version. */
  typeOf(apiVersion: string): FieldType | undefined;
}

/** What a write needs to know of a kind. */
export function versionsOf({ apiVersion, schema, resetFields = [], schemaOf, isCustom = false }: OwnedKind): Versions {
  const type = objectType(schema);
  return {
    apiVersion,
    type,
    isCustom,
    resetFields: fieldSet(resetFields.map((name) => [name])),
    typeOf(version) {
      if (version === apiVersion) return type;
      const other = schemaOf?.(version);
      return other === undefined ? undefined : objectType(other);
    },
  };
}

/** The managers as the schemas have them today. In words, where one wrote in a version that a custom kind does not have. */
export function reconcileManagers(managers: Managers, versions: Versions): Map<string, Manager> | string {
  const kept = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    const type = versions.typeOf(manager.apiVersion);
    if (type !== undefined) kept.set(id, withFields(manager, reconciled(manager.fields, type)));
    else if (versions.isCustom) return `request to convert CR to an invalid group/version: ${manager.apiVersion}`;
  }
  return kept;
}

/** One change of an object. */
export interface ObjectChange {
  readonly before: Json;
  readonly after: Json;
  /** Who changes it. */
  readonly self: string;
}

/** What a change does to the others. */
export interface Outcome {
  readonly comparison: Comparison;
  /** The managers without what they lost; those that lost everything are gone. */
  readonly managers: Map<string, Manager>;
  /** By manager, the fields that the change sets to something else. */
  readonly taken: ReadonlyMap<string, FieldSet>;
}

/** Takes from all other managers what a change sets or removes. Values that stay the same stay theirs as well. */
export function takeFields(managers: Managers, { before, after, self }: ObjectChange, versions: Versions): Outcome {
  const byVersion = new Map<string, { comparison: Comparison; set: FieldSet }>();
  function compareIn(apiVersion: string): { comparison: Comparison; set: FieldSet } {
    const known = byVersion.get(apiVersion);
    if (known !== undefined) return known;
    const type = versions.typeOf(apiVersion) ?? versions.type;
    const comparison = withoutFields(compareFields(type, before, after), versions.resetFields);
    const made = { comparison, set: union(comparison.modified, comparison.added) };
    byVersion.set(apiVersion, made);
    return made;
  }

  const left = new Map<string, Manager>();
  const taken = new Map<string, FieldSet>();
  for (const [id, manager] of managers) {
    if (id === self) {
      left.set(id, manager);
      continue;
    }
    const { comparison, set } = compareIn(manager.apiVersion);
    const lost = intersection(manager.fields, set);
    if (!isEmpty(lost)) taken.set(id, lost);
    const fields = difference(difference(manager.fields, lost), comparison.removed);
    if (!isEmpty(fields)) left.set(id, withFields(manager, fields));
  }
  return { comparison: compareIn(versions.apiVersion).comparison, managers: left, taken };
}

/** For objects that are not of their own type, which validation would refuse as well. */
export function typeMismatch(what: string, problem: string): PatchError {
  return new PatchError("internal", `${what}: ${problem}`);
}
