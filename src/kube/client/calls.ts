// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor, KubeObject, ObjectKey } from "../types.ts";
import type { Call, Subject } from "./attempt.ts";
import { collectionPath, objectPath, query } from "./paths.ts";
import type {
  ApplyDraft,
  ApplyOptions,
  DeleteOptions,
  Draft,
  GetOptions,
  JsonPatchOperation,
  ListOptions,
  RawOptions,
  WriteOptions,
} from "./types.ts";

const JSON_TYPE = "application/json";
const METADATA_TYPE = `${JSON_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${JSON_TYPE}`;

/** What is being asked for, for messages and metrics. */
export function subjectOf(
  verb: string,
  kind: KindDescriptor,
  about: Partial<ObjectKey> & { subresource?: string },
): Subject {
  const { namespace, name, subresource = "" } = about;
  const resource = subresource === "" ? kind.plural : `${kind.plural}/${subresource}`;
  const which =
    name === undefined ? namespace && ` in "${namespace}"` : ` "${namespace ? `${namespace}/` : ""}${name}"`;
  const what = `${verb} ${resource}${which ?? ""}`;
  return { verb, group: kind.group, resource: kind.plural, subresource, what };
}

/** Reads one object. */
export function getCall(kind: KindDescriptor, key: ObjectKey, { resourceVersion, subresource }: GetOptions): Call {
  const path = objectPath(kind, key, subresource);
  return {
    subject: subjectOf("get", kind, { ...key, ...(subresource === undefined ? {} : { subresource }) }),
    method: "GET",
    path: resourceVersion === undefined ? path : path + query({ resourceVersion }),
    accept: JSON_TYPE,
    isRepeatable: true,
  };
}

/** One page of a list: the first with what was asked for, the others with the token alone beside the selectors. */
export function listCall(
  kind: KindDescriptor,
  options: ListOptions,
  { limit, next }: { limit: number; next?: string },
): Call {
  const { namespace, labelSelector, fieldSelector } = options;
  const version = next === undefined ? { resourceVersion: options.resourceVersion } : {};
  const match = next === undefined ? { resourceVersionMatch: options.resourceVersionMatch } : {};
  return {
    subject: subjectOf("list", kind, namespace === undefined ? {} : { namespace }),
    method: "GET",
    path:
      collectionPath(kind, namespace) +
      query({ labelSelector, fieldSelector, ...version, ...match, limit: limit || undefined, continue: next }),
    accept: options.metadataOnly === true ? METADATA_TYPE : JSON_TYPE,
    isRepeatable: true,
  };
}

/** Never repeatable: a second create of the same name is refused, and then nobody can tell whose the first one was. */
export function createCall<T extends KubeObject>(
  kind: KindDescriptor<T>,
  object: Draft<T>,
  options: WriteOptions,
): Call {
  const { namespace, name } = object.metadata;
  const { subresource } = options;
  if (kind.scope === "Namespaced" && namespace === undefined)
    throw new TypeError(`create ${kind.kind}: the namespace is missing`);
  const path =
    subresource === undefined
      ? collectionPath(kind, namespace)
      : objectPath(kind, keyOf(kind, object.metadata), subresource);
  return writeCall(kind, {
    verb: "create",
    method: "POST",
    about: { ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) },
    path,
    body: withType(kind, object),
    options,
  });
}

/** Replaces one object; bound to the version it carries, if any. */
export function updateCall<T extends KubeObject>(
  kind: KindDescriptor<T>,
  object: Draft<T>,
  options: WriteOptions,
): Call {
  const key = keyOf(kind, object.metadata);
  const path = objectPath(kind, key, options.subresource);
  const body = withType(kind, object);
  return writeCall(kind, {
    verb: "update",
    method: "PUT",
    about: key,
    path,
    body,
    options,
    isBound: hasVersion(object),
  });
}

/** Patches one object; bound to the version in the patch, if any. */
export function mergePatchCall(
  kind: KindDescriptor,
  key: ObjectKey,
  { patch, options }: { patch: unknown; options: WriteOptions },
): Call {
  const path = objectPath(kind, key, options.subresource);
  const contentType = "application/merge-patch+json";
  const isBound = hasVersion(patch);
  return writeCall(kind, {
    verb: "patch",
    method: "PATCH",
    about: key,
    path,
    body: patch,
    options,
    isBound,
    contentType,
  });
}

/** Patches one object step by step; bound where a step tests the version. */
export function jsonPatchCall(
  kind: KindDescriptor,
  key: ObjectKey,
  { patch, options }: { patch: readonly JsonPatchOperation[]; options: WriteOptions },
): Call {
  const path = objectPath(kind, key, options.subresource);
  const contentType = "application/json-patch+json";
  const isBound = patch.some((step) => step.op === "test" && step.path === "/metadata/resourceVersion");
  return writeCall(kind, {
    verb: "patch",
    method: "PATCH",
    about: key,
    path,
    body: patch,
    options,
    isBound,
    contentType,
  });
}

/** Applies one manager's fields; bound to the version they carry, if any. */
export function applyCall<T extends KubeObject>(
  kind: KindDescriptor<T>,
  object: ApplyDraft<T>,
  options: ApplyOptions,
): Call {
  const key = keyOf(kind, object.metadata);
  const path = objectPath(kind, key, options.subresource);
  const contentType = "application/apply-patch+yaml";
  const isBound = hasVersion(object);
  const body = withType(kind, object);
  return writeCall(kind, { verb: "apply", method: "PATCH", about: key, path, body, options, isBound, contentType });
}

/** Deletes one object. All wishes go into the body: beside one, servers ignore the query. */
export function deleteCall(kind: KindDescriptor, key: ObjectKey, options: DeleteOptions): Call {
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  const wishes = { preconditions, propagationPolicy, gracePeriodSeconds, dryRun: dryRun ? ["All"] : undefined };
  const hasWishes = Object.values(wishes).some((wish) => wish !== undefined);
  return {
    subject: subjectOf("delete", kind, key),
    method: "DELETE",
    path: objectPath(kind, key),
    ...(hasWishes
      ? { body: JSON.stringify({ apiVersion: "v1", kind: "DeleteOptions", ...wishes }), contentType: JSON_TYPE }
      : {}),
    accept: JSON_TYPE,
    isRepeatable: dryRun === true || preconditions?.uid !== undefined || preconditions?.resourceVersion !== undefined,
  };
}

/** Any request; a query may hold what no message should show. */
export function rawCall(method: string, path: string, options: RawOptions): Call {
  const { body, contentType = JSON_TYPE, accept = JSON_TYPE, isRepeatable } = options;
  const isRead = method === "GET" || method === "HEAD";
  const withoutQuery = path.split("?", 1)[0] ?? path;
  return {
    subject: {
      verb: method.toLowerCase(),
      group: "",
      resource: "",
      subresource: "",
      what: `${method} ${withoutQuery}`,
    },
    method,
    path,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body), contentType }),
    accept,
    isRepeatable: isRepeatable ?? isRead,
  };
}

interface Write {
  readonly verb: string;
  readonly method: string;
  readonly about: Partial<ObjectKey>;
  readonly path: string;
  readonly body: unknown;
  readonly options: WriteOptions & { readonly force?: boolean };
  /** Whether the server refuses it where the object is not the one it was meant for. */
  readonly isBound?: boolean;
  readonly contentType?: string;
}

function writeCall(
  kind: KindDescriptor,
  { verb, method, about, path, body, options, isBound, contentType }: Write,
): Call {
  const { subresource, dryRun, fieldValidation, fieldManager, force } = options;
  return {
    subject: subjectOf(verb, kind, { ...about, ...(subresource === undefined ? {} : { subresource }) }),
    method,
    path:
      path + query({ fieldManager, force: force || undefined, dryRun: dryRun ? "All" : undefined, fieldValidation }),
    body: JSON.stringify(body),
    contentType: contentType ?? JSON_TYPE,
    accept: JSON_TYPE,
    isRepeatable: isBound === true || dryRun === true,
  };
}

function withType(kind: KindDescriptor, object: object): object {
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  return { ...object, apiVersion, kind: kind.kind };
}

/** The key that an object names itself by. */
function keyOf(
  kind: KindDescriptor,
  { namespace, name }: { namespace?: string | undefined; name?: string | undefined },
): ObjectKey {
  if (name === undefined) throw new TypeError(`${kind.kind}: the name is missing`);
  return namespace === undefined ? { name } : { namespace, name };
}

function hasVersion(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return false;
  const { metadata } = value;
  if (typeof metadata !== "object" || metadata === null || !("resourceVersion" in metadata)) return false;
  return typeof metadata.resourceVersion === "string" && metadata.resourceVersion !== "";
}
