// SPDX-License-Identifier: Apache-2.0
import { append } from "../../schema/append.ts";
import { quote } from "../../schema/go-text.ts";
import type { Problem } from "../../schema/index.ts";
import { type Metadata, metadataProblems, metadataUpdateProblems } from "../../schema/metadata-rules.ts";
import { pathSegmentProblems } from "../../schema/names.ts";
import { child } from "../../schema/place.ts";
import { invalid as invalidValue } from "../../schema/problems.ts";
import { storageKey } from "../registry.ts";
import { badRequest, forbidden, invalid, notFound } from "../status-error.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { type AdmissionReview, type Machinery, SERVER_USER } from "./machinery.ts";
import type { WriteOptions } from "./objects.ts";
import { plainText } from "./plain-text.ts";
import { scalePathProblems } from "./scale-paths.ts";

/** An object on its way, with the warnings gathered so far. */
export interface Draft {
  object: KubeObject;
  readonly warnings: string[];
}

/**
 * Reads an object by its type: unknown fields are dropped (and warned about, or refused), defaults filled in. `name` says
 * how a refusal begins: `Widget in version "v1" cannot be handled as a Widget`.
 */
export function decodeObject(
  type: ResourceType,
  given: KubeObject,
  {
    strictErrors,
    fieldValidation,
  }: { strictErrors: readonly string[]; fieldValidation: WriteOptions["fieldValidation"] },
): Draft {
  const refuse = (why: string) =>
    badRequest(`${given.kind} in version ${quote(type.version)} cannot be handled as a ${type.kind}: ${why}`);
  const { object, unknownFields, malformed } = type.resource.decode(asJson(given));
  if (malformed !== undefined) throw refuse(malformed);
  const draft: Draft = { object: asObject(object), warnings: [] };
  if (fieldValidation === "Ignore") return draft;
  const unknown = unknownFields.map(({ field }) => `unknown field "${field}"`);
  const errors = type.isCustom ? [...strictErrors, ...unknown] : inOrderOf(given, [...strictErrors, ...unknown]);
  if (errors.length === 0) return draft;
  if (fieldValidation === "Strict") throw refuse(`strict decoding error: ${errors.join(", ")}`);
  for (const error of errors) draft.warnings.push(error);
  return draft;
}

/** For built-in kinds one decoder finds all that strictness objects to, in the order of the body. */
function inOrderOf(object: KubeObject, errors: readonly string[]): readonly string[] {
  if (errors.length < 2) return errors;
  const order = new Map<string, number>();
  const visit = (value: unknown, path: string) => {
    if (path !== "") order.set(path, order.size);
    if (Array.isArray(value)) for (const [at, item] of value.entries()) visit(item, `${path}[${at}]`);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) visit(item, path === "" ? key : `${path}.${key}`);
  };
  visit(object, "");
  const rank = (error: string) => order.get(/"(.*)"$/.exec(error)?.[1] ?? "") ?? 0;
  return [...errors].sort((one, other) => rank(one) - rank(other));
}

/** The functions of `src/schema` speak of JSON; a KubeObject is some. */
export function asJson(object: KubeObject): Parameters<ResourceType["resource"]["decode"]>[0] {
  return object as unknown as Parameters<ResourceType["resource"]["decode"]>[0];
}

/** What came out of a decoder has kind, apiVersion and metadata: given ones or empty ones. */
export function asObject(decoded: { readonly [name: string]: unknown }): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = decoded;
  return {
    apiVersion: plainText(apiVersion ?? ""),
    kind: plainText(kind ?? ""),
    metadata: Object(metadata ?? {}),
    ...rest,
  };
}

/** A namespace that is not there, or on its way out, takes nothing new. */
export function checkNamespace(
  { store, registry }: Machinery,
  type: ResourceType,
  { namespace, name }: { namespace: string; name: string },
): void {
  if (!type.namespaced || type.isVirtual === true) return;
  const namespaces = registry.find("", "v1", "namespaces");
  if (namespaces === undefined) return;
  const found = store.get(storageKey(namespaces, "", namespace));
  if (found === undefined) throw notFound(namespaces, namespace);
  if (found.object.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(type, name, why, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}

/** A definition that is on its way out takes its objects along; there are no new ones. */
export function checkDefinition({ store, registry }: Machinery, type: ResourceType, name: string): void {
  if (!type.isCustom) return;
  const definitions = registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  if (definitions === undefined) return;
  const crd = store.get(storageKey(definitions, "", `${type.plural}.${type.group}`));
  if (crd?.object.metadata.deletionTimestamp === undefined) return;
  throw forbidden(type, name, "create not allowed while custom resource definition is terminating");
}

/** Runs the admission functions one after the other. What they change is read anew by the type. */
export function runAdmission(
  { admission }: Machinery,
  review: Omit<AdmissionReview, "user" | "dryRun" | "object">,
  draft: Draft | undefined,
  options: Pick<WriteOptions, "user" | "dryRun">,
): void {
  for (const admit of admission) {
    const answer = admit({
      ...review,
      object: draft?.object,
      user: options.user ?? SERVER_USER,
      dryRun: options.dryRun ?? false,
    });
    if (draft === undefined) continue;
    append(draft.warnings, answer?.warnings ?? []);
    if (answer?.object !== undefined)
      draft.object = asObject(review.type.resource.decode(asJson(answer.object)).object);
  }
}

/** Validates by schema and by the kind's own rules, and throws all problems at once. Adds to the draft's warnings. */
export function validate(
  type: ResourceType,
  draft: Draft,
  { old, subresource = "" }: { readonly old: KubeObject | undefined; readonly subresource?: string },
): void {
  const { object } = draft;
  const { problems, warnings } = type.resource.check(asJson(object), old === undefined ? undefined : asJson(old));
  const all: Problem[] = [
    ...(type.isCustom && old !== undefined ? commonProblems(object, old) : []),
    ...identityProblems(type, object),
    ...(type.isCustom && subresource === "status" ? problems.map(fromStatus) : problems),
  ];
  append(all, type.behaviour?.validate?.(object, old) ?? []);
  if (type.scale !== undefined) append(all, scalePathProblems(object, type.scale));
  if (all.length > 0) {
    throw invalid({ group: groupOf(type, object), kind: object.kind }, object.metadata.name ?? "", all);
  }
  append(draft.warnings, [...warnings, ...(type.behaviour?.warnings?.(object, old) ?? [])]);
}

/** What all kinds are checked for on updates, before and besides their own checks: most problems come twice. */
function commonProblems(object: KubeObject, old: KubeObject): Problem[] {
  const place = child(undefined, "metadata");
  const [now, before] = [metadataJson(object), metadataJson(old)];
  return [...metadataProblems(now, place, pathSegmentProblems), ...metadataUpdateProblems(now, before, place)];
}

function metadataJson(object: KubeObject): Metadata {
  const { metadata } = asJson(object);
  return typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? (metadata as Metadata) : {};
}

/** A status that is written alone is validated alone: its messages name places within it. */
function fromStatus(problem: Problem): Problem {
  if (problem.path[0] !== "status") return problem;
  return { ...problem, message: problem.message.replace(/(^|: )status\.(\S+ in body )/, "$1$2") };
}

/** Two views of one kind are one kind when it comes to refusals. */
function groupOf({ isCustom, storage }: ResourceType, { apiVersion }: KubeObject): string {
  if (!isCustom && storage !== undefined) return storage.group;
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

/** A custom resource must be what its path says; for built-in kinds the decoder has seen to that. */
function identityProblems(type: ResourceType, { apiVersion, kind }: KubeObject): Problem[] {
  const problems: Problem[] = [];
  const at = (field: string) => ({ path: [field], field });
  if (kind !== type.kind) problems.push(invalidValue(at("kind"), kind, `must be ${type.kind}`));
  const expected = apiVersionOf(type);
  if (apiVersion !== expected) problems.push(invalidValue(at("apiVersion"), apiVersion, `must be ${expected}`));
  return problems;
}

/** `v1` or `apps/v1`. */
export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}
