// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { isList, isObject } from "../../../schema/go-text.ts";
import { compileResource, type Json, type Resource, type Schema } from "../../../schema/index.ts";
import { invalid } from "../../status-error.ts";
import type { KubeObject } from "../../types.ts";
import {
  applyPatch,
  isUnchanged,
  jsonPatch,
  kindOptions,
  mergePatch,
  PatchError,
  strategicMergePatch,
  trackUpdate,
} from "../index.ts";
import type { JsonObject } from "../json-object.ts";
import { resetFields } from "../kind-options.ts";
import type { PatchErrorReason } from "../patch-error.ts";
import { type Answer, addressed, type Step, type Subject } from "./sequence.ts";

/** What a step is done to. */
export interface StepContext {
  readonly subject: Subject;
  readonly name: string;
  readonly live: JsonObject | undefined;
  /** When the server did it. */
  readonly time: string;
  /** The server's object, for kinds that it fills in. */
  readonly theirs?: JsonObject | undefined;
}

const CODES: Readonly<Record<PatchErrorReason, number>> = {
  badRequest: 400,
  unprocessable: 422,
  invalid: 422,
  conflict: 409,
  tooLarge: 413,
  internal: 500,
};

/** What our functions make of a step: as much of a server around them as is needed to compare with one. */
export function ourAnswer(step: Step, context: StepContext): Answer {
  try {
    const object = withinReach(resultOf(step, context), step, context);
    const { live } = context;
    if (live !== undefined && isUnchanged(asObject(live), asObject(object))) return { object: live };
    return refusalOf(object, context) ?? { object };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { reason, message, causes } = error;
    const words = reason === "tooLarge" ? `Request entity too large: ${message}` : message;
    return refused(CODES[reason], words, causes);
  }
}

function refused(code: number, message: string, causes: readonly unknown[]): Answer {
  return { refusal: { code, message, causes: causes as readonly Json[] } };
}

/** What validation says of the result; a patch may well lead to an object that its schema refuses. */
function refusalOf(object: JsonObject, { subject, name, live }: StepContext): Answer | undefined {
  if (!subject.isCustom) return undefined;
  const { problems } = resourceOf(subject).check(object, live);
  if (problems.length === 0) return undefined;
  const [group = ""] = subject.apiVersion.split("/");
  const { message = "", details } = invalid({ group, kind: subject.kind }, name, problems).status;
  return refused(422, message, details?.causes ?? []);
}

function resultOf(step: Step, context: StepContext): JsonObject {
  const { subject, name, live, time } = context;
  const { subresource = "" } = step;
  const { schema, type } = subject;
  const kind =
    type === undefined
      ? { schema, subresource, resetFields: resetFields(subject, subresource) }
      : kindOptions(type, subresource);
  const before = live === undefined ? undefined : asObject(live);
  if ("apply" in step) {
    const { by: manager, force = false } = step;
    const config = addressed(subject, step.apply, name);
    const { object } = applyPatch({ ...kind, time, live: before, config, manager, force });
    return object === before ? asJson(object) : stored(subject, asJson(object));
  }
  const after = asObject(filledIn(decoded(subject, asJson(wanted(step, context))), context));
  return asJson(trackUpdate({ ...kind, time, before, after, manager: step.by }));
}

/** What a patch led to, with what the server filled in besides. */
function filledIn(object: JsonObject, { subject, theirs }: StepContext): JsonObject {
  if (subject.isFilledIn !== true || theirs === undefined) return object;
  assertPart(object, theirs, "");
  const { managedFields } = Object(object.metadata);
  return { ...theirs, metadata: { ...Object(theirs.metadata), managedFields } };
}

/** Fails where a part of one value is not in another. Lists have to have the same items in the same order. */
function assertPart(part: Json | undefined, whole: Json | undefined, path: string): void {
  if (["/metadata/managedFields", "/metadata/generation", "/metadata/resourceVersion"].includes(path)) return;
  if (isList(part) && isList(whole)) assert.equal(part.length, whole.length, path);
  if (typeof part !== "object" || part === null) assert.deepEqual(part, whole, path);
  else for (const [key, item] of Object.entries(part)) assertPart(item, Object(whole)[key], `${path}/${key}`);
}

function wanted(step: Exclude<Step, { apply: Json }>, { subject, name, live }: StepContext): KubeObject {
  if ("create" in step) return asObject(addressed(subject, step.create, name));
  if (live === undefined) throw new Error(`there is no ${name} yet`);
  const object = asObject(live);
  if ("update" in step) return asObject(step.update(live));
  if ("merge" in step) return mergePatch(object, step.merge);
  if ("json" in step) return jsonPatch(object, step.json);
  if ("strategic" in step) return strategicMergePatch(object, step.strategic, subject.schema);
  throw new Error("nothing to do");
}

/** What a kind's strategy does: the object's path leaves status alone, that of status everything else. */
function withinReach(object: JsonObject, { subresource }: Step, { subject, live }: StepContext): JsonObject {
  if (!subject.hasStatus) return object;
  const { status, ...rest } = object;
  const own = live?.status;
  if (subresource === undefined) return own === undefined ? rest : { ...rest, status: own };
  const { status: _, ...others } = live ?? {};
  const { managedFields } = Object(object.metadata);
  const metadata = { ...Object(others.metadata), managedFields };
  return { ...others, metadata, ...(status === undefined ? {} : { status }) };
}

const compiled = new Map<Schema, Resource>();

function resourceOf({ schema, isNamespaced }: Subject): Resource {
  const made = compiled.get(schema) ?? compileResource(schema, { scope: isNamespaced ? "Namespaced" : "Cluster" });
  compiled.set(schema, made);
  return made;
}

function decoded(subject: Subject, object: JsonObject): JsonObject {
  if (subject.type !== undefined) return subject.type.resource.decode(object).object;
  return subject.isCustom ? resourceOf(subject).decode(object).object : withoutEmpty(object);
}

/** What becomes of an applied object: nulls stay, for validation to see, but in the metadata of an embedded object. */
function stored(subject: Subject, object: JsonObject): JsonObject {
  if (!subject.isCustom) return decoded(subject, object);
  const resource = resourceOf(subject);
  const { spec, ...rest } = resource.defaults(resource.prune(object));
  const { embedded, ...fields }: JsonObject = isObject(spec) ? spec : {};
  if (!isObject(embedded) || !isObject(embedded.metadata)) return spec === undefined ? rest : { ...rest, spec };
  const metadata = Object.fromEntries(Object.entries(embedded.metadata).filter(([, value]) => value !== null));
  return { ...rest, spec: { ...fields, embedded: { ...embedded, metadata } } };
}

/** Built-in kinds are read into Go's structs, which do not tell empty lists and maps from none. */
function withoutEmpty(object: JsonObject): JsonObject {
  const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;
  const kept = Object.entries(object).map(([key, value]) => [
    key,
    key === "metadata" && isObject(value) ? withoutEmpty(value) : value,
  ]);
  return Object.fromEntries(kept.filter(([, value]) => !isEmpty(value)));
}

function asObject(value: Json | undefined): KubeObject {
  return value as unknown as KubeObject;
}

function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}
