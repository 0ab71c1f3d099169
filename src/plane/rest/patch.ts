// SPDX-License-Identifier: Apache-2.0
import { isObject, jsonText } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { decodeMetadata } from "../../schema/object-meta.ts";
import { child } from "../../schema/place.ts";
import { invalid as invalidValue } from "../../schema/problems.ts";
import { goText } from "../patch/fields/go-values.ts";
import { jsonPatch, jsonPatchUnknownFields, mergePatch, PatchError, strategicMergePatch } from "../patch/index.ts";
import { applyConflict, badRequest, conflict, failure, invalid, notFound, tooLarge } from "../status-error.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { apiVersionOf, asJson, asObject, type Draft } from "./admit.ts";
import type { Machinery } from "./machinery.ts";
import { apply } from "./managed-fields.ts";
import { checkName, inNamespace } from "./metadata.ts";
import type { ObjectKey, Patch, WriteOptions, Written } from "./objects.ts";
import { plainText } from "./plain-text.ts";
import { change, type Proposal } from "./update.ts";

/** Patches an object, as PATCH does. An apply creates what does not exist. */
export function patchObject(
  machinery: Machinery,
  type: ResourceType,
  key: ObjectKey,
  patch: Patch,
  options: WriteOptions = {},
): Promise<Written> {
  return change(machinery, type, key, options, (old) =>
    inServerWords(() => propose(machinery, type, { key, patch, old, options })),
  );
}

interface PatchContext {
  readonly key: ObjectKey;
  readonly patch: Patch;
  readonly old: KubeObject | undefined;
  readonly options: WriteOptions;
}

function propose(machinery: Machinery, type: ResourceType, context: PatchContext): Proposal {
  const { key, patch, old, options } = context;
  if (patch.type === "apply") return proposeApply(machinery, type, { ...context, patch });
  if (old === undefined) throw notFound(type, key.name);
  const strictErrors = [
    ...(options.strictErrors ?? []),
    ...(patch.type === "json" ? jsonPatchUnknownFields(patch.operations) : []),
  ];
  const draft = decodePatched(type, { patch, object: patched(type, patch, old) }, { ...options, strictErrors });
  draft.object = inNamespace(draft.object, type, key.namespace);
  checkName(draft.object, key.name);
  return { draft };
}

function patched(type: ResourceType, patch: Exclude<Patch, { type: "apply" }>, old: KubeObject): KubeObject {
  switch (patch.type) {
    case "json":
      return jsonPatch(old, patch.operations);
    case "merge":
      return mergePatch(old, patch.body);
    case "strategic":
      return strategicMergePatch(old, patch.body, type.schema);
  }
}

/** Reads the patched object; what is wrong with it is a fault of the patch. */
function decodePatched(
  type: ResourceType,
  { patch, object }: { readonly patch: Exclude<Patch, { type: "apply" }>; readonly object: KubeObject },
  options: WriteOptions,
): Draft {
  const refuse = (why: string) => {
    const text = patch.type === "strategic" ? goText((patch.body ?? {}) as Json) : jsonText(asJson(object) as Json);
    const problem = invalidValue({ path: ["patch"], field: "patch" }, text, why);
    return invalid({ group: "", kind: "" }, "", [problem]);
  };
  if (!type.isCustom && (object.kind !== type.kind || object.apiVersion !== apiVersionOf(type)))
    throw refuse(
      `no kind ${JSON.stringify(object.kind)} is registered for version ${JSON.stringify(object.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const { object: decoded, unknownFields, malformed } = type.resource.decode(asJson(object));
  if (malformed !== undefined) throw refuse(patch.type === "strategic" ? conversionWords(malformed) : malformed);
  const draft: Draft = { object: asObject(decoded), warnings: [] };
  if (options.fieldValidation === "Ignore") return draft;
  const errors = [...(options.strictErrors ?? []), ...unknownFields.map(({ field }) => `unknown field "${field}"`)];
  if (errors.length === 0) return draft;
  if (options.fieldValidation === "Strict") throw refuse(`strict decoding error: ${errors.join(", ")}`);
  for (const error of errors) draft.warnings.push(error);
  return draft;
}

/** A strategically merged object is converted, not decoded, and that has other words for the same faults. */
function conversionWords(words: string): string {
  const match = /^json: cannot unmarshal (\w+).* of type (\S+)$/.exec(words);
  if (match === null) return words;
  const [, found = "", wanted = ""] = match;
  const from = { array: "slice", object: "map", number: "int64" }[found] ?? found;
  if (wanted.startsWith("[]")) return `cannot restore slice from ${from}`;
  if (wanted.startsWith("map[")) return `cannot restore map from ${from}`;
  // Go can turn an integer into a string, but not in this way; the others it cannot turn at all.
  if (found === "number" && wanted === "string") return `cannot convert ${from} to ${wanted}`;
  return wanted.includes(".") ? `cannot restore struct from: ${from}` : `unrecognized type: ${wanted}`;
}

function proposeApply(
  machinery: Machinery,
  type: ResourceType,
  { key, patch, old, options }: PatchContext & { patch: Extract<Patch, { type: "apply" }> },
): Proposal {
  if (old === undefined && (options.subresource ?? "") !== "") throw notFound(type, key.name);
  checkKind(type, patch.body);
  const { object: applied } = apply(
    machinery,
    type,
    { live: old, config: patch.body ?? {}, force: patch.force },
    options,
  );
  const object = inNamespace(defaulted(type, applied), type, key.namespace);
  const { uid = "" } = object.metadata;
  if (old === undefined && uid !== "") {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(type, key.name, why);
  }
  checkName(object, key.name);
  return { draft: { object, warnings: [...strictWarnings(options)] }, isTracked: true };
}

/** What was applied is no request's body: nulls stay in custom resources, for validation to find them. */
function defaulted(type: ResourceType, applied: KubeObject): KubeObject {
  const { metadata } = asJson(applied);
  const decoded = decodeMetadata(metadata ?? null, child(undefined, "metadata"));
  if (type.isCustom && decoded.malformed.length === 0)
    return asObject({ ...type.resource.defaults(asJson(applied)), metadata: decoded.metadata });
  const { object, malformed } = type.resource.decode(asJson(applied));
  if (malformed !== undefined) throw badRequest(malformed);
  return asObject(object);
}

function strictWarnings({ strictErrors = [], fieldValidation }: WriteOptions): readonly string[] {
  if (fieldValidation === "Ignore" || strictErrors.length === 0) return [];
  if (fieldValidation !== "Strict") return strictErrors;
  const lines = strictErrors.map((line) => `  ${line}`).join("\n");
  throw badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${lines}`);
}

/** Throws unless the configuration is of the type that the path names. */
function checkKind(type: ResourceType, body: unknown): void {
  if (!isObject(body) && body !== null && body !== undefined) return;
  const { apiVersion = "", kind = "" } = body ?? {};
  if (apiVersion === apiVersionOf(type) && kind === type.kind) return;
  const text = plainText(apiVersion);
  const [group, version] = text.includes("/") ? text.split("/") : ["", apiVersion];
  throw badRequest(`invalid object type: ${group}/${plainText(version)}, Kind=${plainText(kind)}`);
}

/** Runs something of `src/plane/patch` and turns what it throws into the server's answer. */
export function inServerWords<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { reason, message, causes } = error;
    switch (reason) {
      case "tooLarge":
        throw tooLarge(message);
      case "conflict":
        throw applyConflict(message, causes);
      case "unprocessable":
        throw failure({ code: 422, reason: "Invalid", message, details: {} });
      case "invalid":
        throw failure({ code: 422, reason: "Invalid", message, details: { causes } });
      // The real server calls these a fault of its own; they are the client's.
      case "internal":
      case "badRequest":
        throw badRequest(message);
    }
  }
}
