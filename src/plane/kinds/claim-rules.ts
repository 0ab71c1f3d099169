// SPDX-License-Identifier: Apache-2.0
import { compareQuantities, parseQuantity, type Quantity, quantitySign } from "../../lib/quantity.ts";
import type { Json, Problem } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import { subdomainName } from "../../schema/metadata-rules.ts";
import { dns1123SubdomainProblems } from "../../schema/names.ts";
import { child, key, type Place } from "../../schema/place.ts";
import { at, forbidden, invalid, notSupported, required } from "../../schema/problems.ts";
import type { KubeObject } from "../types.ts";
import { claimStatusProblems } from "./claim-status-rules.ts";
import {
  createdMetadata,
  entriesAt,
  field,
  IMMUTABLE,
  immutable,
  invalidFor,
  labelName,
  labelSelectorProblems,
  mapAt,
  quoted,
  textAt,
  textsAt,
  updatedMetadata,
  valueAt,
} from "./rules.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Where a claim's StorageClass stood before there was a field for it. */
export const STORAGE_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

const MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** What is wrong with a claim, a change of it, or a change of its status. */
export function claimProblems(claim: KubeObject, old: KubeObject | undefined): Problem[] {
  const whole = () => [...createdMetadata(claim, subdomainName), ...specProblems(claim, old)];
  if (old === undefined) return whole();
  if (!deepEqual(valueAt(claim, "status"), valueAt(old, "status")))
    return [...updatedMetadata(claim, old), ...claimStatusProblems(claim)];
  return [...updatedMetadata(claim, old), ...whole(), ...changeProblems(claim, old)];
}

/** What the server only warns about: fractions of bytes, and the old annotation. */
export function claimWarnings(claim: KubeObject): string[] {
  const warnings: string[] = [];
  if (claim.metadata.annotations?.[STORAGE_CLASS_ANNOTATION] !== undefined)
    warnings.push(
      `metadata.annotations[${STORAGE_CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  for (const name of ["requests", "limits"]) {
    const amount = textAt(claim, "spec", "resources", name, "storage");
    if (amount !== "" && hasFraction(amount))
      warnings.push(
        `spec.resources.${name}[storage]: fractional byte value ${quoted(amount)} is invalid, must be an integer`,
      );
  }
  return warnings;
}

function hasFraction(amount: string): boolean {
  return /[mun]$/.test(amount);
}

function amountAt(value: unknown, ...names: readonly string[]): Quantity | undefined {
  const amount = textAt(value, ...names);
  return amount === "" ? undefined : parseQuantity(amount);
}

function specProblems(claim: KubeObject, old: KubeObject | undefined): Problem[] {
  const spec = mapAt(claim, "spec");
  const problems: Problem[] = [];
  const modes = textsAt(spec, "accessModes");
  const place = field("spec", "accessModes");
  if (modes.length === 0) problems.push(required(at(place), "at least 1 access mode is required"));
  problems.push(...labelSelectorProblems(spec.selector, field("spec", "selector")));
  for (const mode of modes) if (!MODES.includes(mode)) problems.push(notSupported(at(place), mode, MODES));
  if (modes.includes("ReadWriteOncePod") && modes.some((mode) => mode !== "ReadWriteOncePod" && MODES.includes(mode)))
    problems.push(forbidden(at(place), "may not use ReadWriteOncePod with other access modes"));
  problems.push(...sizeProblems(spec), ...classProblems(spec, "storageClassName"));
  const volumeMode = valueAt(spec, "volumeMode");
  if (typeof volumeMode === "string" && !["Block", "Filesystem"].includes(volumeMode))
    problems.push(notSupported(at(field("spec", "volumeMode")), volumeMode, ["Block", "Filesystem"]));
  return [...problems, ...sourceProblems(spec, old), ...classProblems(spec, "volumeAttributesClassName")];
}

function sizeProblems(spec: unknown): Problem[] {
  const place = key(field("spec", "resources"), "storage");
  const amount = amountAt(spec, "resources", "requests", "storage");
  if (amount === undefined) return [required(at(place))];
  if (quantitySign(amount) > 0) return [];
  return [invalid(at(place), textAt(spec, "resources", "requests", "storage"), "must be greater than zero")];
}

function classProblems(spec: unknown, name: string): Problem[] {
  const value = textAt(spec, name);
  return value === "" ? [] : invalidFor(field("spec", name), value, dns1123SubdomainProblems(value));
}

function sourceProblems(spec: { readonly [name: string]: Json | undefined }, old: KubeObject | undefined): Problem[] {
  const { dataSource, dataSourceRef } = spec;
  const isLenient = ["dataSource", "dataSourceRef"].some(
    (name) => typeof valueAt(old, "spec", name, "apiGroup") === "string",
  );
  const problems = [
    ...referenceProblems(dataSource, field("spec", "dataSource"), isLenient),
    ...referenceProblems(dataSourceRef, field("spec", "dataSourceRef"), isLenient),
  ];
  const namespace = textAt(dataSourceRef, "namespace");
  if (namespace !== "")
    problems.push(...invalidFor(field("spec", "dataSourceRef", "namespace"), namespace, labelName(namespace, false)));
  if (dataSource === undefined || dataSourceRef === undefined) return problems;
  const same = ["apiGroup", "kind", "name"].every((name) => valueAt(dataSource, name) === valueAt(dataSourceRef, name));
  const words =
    namespace !== "" ? "may not be specified when dataSourceRef.namespace is specified" : "must match dataSourceRef";
  if (namespace !== "" || !same) problems.push(invalid(at(field("spec")), {}, words));
  return problems;
}

function referenceProblems(reference: Json | undefined, place: Place, isLenient: boolean): Problem[] {
  if (reference === undefined) return [];
  const group = textAt(reference, "apiGroup");
  const kind = textAt(reference, "kind");
  const problems: Problem[] = [];
  for (const name of ["name", "kind"])
    if (textAt(reference, name) === "") problems.push(required(at(child(place, name))));
  if (group === "" && kind !== "PersistentVolumeClaim")
    problems.push(invalid(at(place), kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  if (group !== "" && !isLenient)
    problems.push(...invalidFor(child(place, "apiGroup"), group, dns1123SubdomainProblems(group)));
  return problems;
}

function changeProblems(claim: KubeObject, old: KubeObject): Problem[] {
  const problems: Problem[] = [];
  const annotation = claim.metadata.annotations?.[STORAGE_CLASS_ANNOTATION];
  const oldAnnotation = old.metadata.annotations?.[STORAGE_CLASS_ANNOTATION];
  const isUpgrade =
    oldAnnotation !== undefined &&
    valueAt(old, "spec", "storageClassName") === undefined &&
    valueAt(claim, "spec", "storageClassName") === oldAnnotation &&
    (annotation ?? oldAnnotation) === oldAnnotation;
  if (!isUpgrade && (annotation ?? "") !== (oldAnnotation ?? ""))
    problems.push(invalid(at(field("metadata", "annotations", STORAGE_CLASS_ANNOTATION)), annotation ?? "", IMMUTABLE));
  problems.push(...specChangeProblems(claim, old, isUpgrade), ...shrinkProblems(claim, old));
  if (!deepEqual(valueAt(claim, "spec", "volumeMode"), valueAt(old, "spec", "volumeMode")))
    problems.push(invalid(at(field("volumeMode")), valueAt(claim, "spec", "volumeMode") ?? null, IMMUTABLE));
  return [...problems, ...attributesClassProblems(claim, old)];
}

/** What may change: the volume's name once, the class where there was none, and of bound claims the size. */
function specChangeProblems(claim: KubeObject, old: KubeObject, isUpgrade: boolean): Problem[] {
  const before: Record<string, Json | undefined> = { ...mapAt(old, "spec") };
  const after: Record<string, Json | undefined> = { ...mapAt(claim, "spec") };
  if (textAt(before, "volumeName") === "") before.volumeName = after.volumeName;
  const oldAnnotation = old.metadata.annotations?.[STORAGE_CLASS_ANNOTATION];
  const hasNewClass = before.storageClassName === undefined && after.storageClassName !== undefined;
  if (isUpgrade || (hasNewClass && (oldAnnotation ?? after.storageClassName) === after.storageClassName))
    after.storageClassName = before.storageClassName;
  if (textAt(claim, "status", "phase") === "Bound") {
    const requests = {
      ...mapAt(after, "resources", "requests"),
      storage: valueAt(before, "resources", "requests", "storage"),
    };
    after.resources = { ...mapAt(after, "resources"), requests };
    after.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  const [from, to] = [insideText(before), insideText(after)];
  if (from === to) return [];
  const words =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  return [forbidden(at(field("spec")), `${words}\n${unifiedDiff(from, to)}`)];
}

/** A claim's spec as the real server writes it in messages: with the names it has inside the server. */
function insideText(spec: unknown): string {
  const orNull = (value: Json | undefined) => value ?? null;
  const reference = (name: string, more: readonly string[]) => {
    const value = valueAt(spec, name);
    if (value === undefined) return null;
    const inside = {
      APIGroup: orNull(valueAt(value, "apiGroup")),
      Kind: textAt(value, "kind"),
      Name: textAt(value, "name"),
    };
    return more.length === 0 ? inside : { ...inside, Namespace: orNull(valueAt(value, "namespace")) };
  };
  const sorted = (name: string) => {
    const entries = entriesAt(spec, "resources", name);
    return entries.length === 0 ? null : Object.fromEntries(entries);
  };
  const inside = {
    AccessModes: orNull(valueAt(spec, "accessModes")),
    Selector: orNull(valueAt(spec, "selector")),
    Resources: { Limits: sorted("limits"), Requests: sorted("requests") },
    VolumeName: textAt(spec, "volumeName"),
    StorageClassName: orNull(valueAt(spec, "storageClassName")),
    VolumeMode: orNull(valueAt(spec, "volumeMode")),
    DataSource: reference("dataSource", []),
    DataSourceRef: reference("dataSourceRef", ["namespace"]),
    VolumeAttributesClassName: orNull(valueAt(spec, "volumeAttributesClassName")),
  };
  return JSON.stringify(inside, null, 1);
}

function shrinkProblems(claim: KubeObject, old: KubeObject): Problem[] {
  const before = amountAt(old, "spec", "resources", "requests", "storage");
  const after = amountAt(claim, "spec", "resources", "requests", "storage");
  if (before === undefined || after === undefined || compareQuantities(after, before) >= 0) return [];
  const capacity = amountAt(old, "status", "capacity", "storage");
  if (compareQuantities(after, capacity ?? parseQuantity("0")) > 0) return [];
  return [
    forbidden(at(field("spec", "resources", "requests", "storage")), "field can not be less than status.capacity"),
  ];
}

function attributesClassProblems(claim: KubeObject, old: KubeObject): Problem[] {
  if (immutable(claim, old, "spec", "volumeAttributesClassName").length === 0) return [];
  if (valueAt(old, "status", "currentVolumeAttributesClassName") === undefined) return [];
  const now = valueAt(claim, "spec", "volumeAttributesClassName");
  if (typeof now === "string" && now !== "") return [];
  const what = now === undefined ? "nil" : "empty string";
  const words = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbidden(at(field("spec", "volumeAttributesClassName")), words)];
}
