// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor, KubeObject, OwnerReference } from "./types.ts";

/** A reference to an owner that exists. Throws where it has no uid yet. */
export function ownerReference<T extends KubeObject>(
  kind: KindDescriptor<T>,
  { metadata }: T,
  { isController = true, blocksDeletion = true }: { isController?: boolean; blocksDeletion?: boolean } = {},
): OwnerReference {
  const { name, uid } = metadata;
  if (name === undefined || uid === undefined)
    throw new TypeError(`a ${kind.kind} without a uid cannot own anything yet`);
  return {
    apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    name,
    uid,
    ...(isController ? { controller: true } : {}),
    ...(blocksDeletion ? { blockOwnerDeletion: true } : {}),
  };
}

/**
 * The references with this one set; the very list that was given where it is there already. Throws where another controls the
 * object: two controllers would fight over it. Where the type of the list lets it be changed, the answer may be too.
 */
export function setOwnerReference(references: OwnerReference[] | undefined, wanted: OwnerReference): OwnerReference[];
export function setOwnerReference(
  references: readonly OwnerReference[] | undefined,
  wanted: OwnerReference,
): readonly OwnerReference[];
export function setOwnerReference(
  references: readonly OwnerReference[] | undefined,
  wanted: OwnerReference,
): readonly OwnerReference[] {
  const given = references ?? [];
  const other = given.find(({ uid, controller }) => controller === true && uid !== wanted.uid);
  if (wanted.controller === true && other !== undefined)
    throw new Error(`already controlled by ${other.kind} "${other.name}"`);
  const old = given.find(({ uid }) => uid === wanted.uid);
  if (old === undefined) return [...given, wanted];
  const isSame =
    old.apiVersion === wanted.apiVersion &&
    old.kind === wanted.kind &&
    old.name === wanted.name &&
    (old.controller ?? false) === (wanted.controller ?? false) &&
    (old.blockOwnerDeletion ?? false) === (wanted.blockOwnerDeletion ?? false);
  return isSame ? given : given.map((one) => (one.uid === wanted.uid ? wanted : one));
}

/** The references without those to this owner; the very list that was given where there are none. */
export function removeOwnerReference(references: OwnerReference[] | undefined, uid: string): OwnerReference[];
export function removeOwnerReference(
  references: readonly OwnerReference[] | undefined,
  uid: string,
): readonly OwnerReference[];
export function removeOwnerReference(
  references: readonly OwnerReference[] | undefined,
  uid: string,
): readonly OwnerReference[] {
  const given = references ?? [];
  return given.some((one) => one.uid === uid) ? given.filter((one) => one.uid !== uid) : given;
}

/** Who controls the object, if anybody. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
