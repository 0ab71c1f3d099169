// SPDX-License-Identifier: Apache-2.0
import { tokenRequestType } from "../auth/token-request-type.ts";
import type { ResourceType, SubresourceType } from "../types.ts";
import { type ApiSchema, type Definitions, type KindId, kindOf } from "./definitions.ts";
import { type Parameter, parameters } from "./parameters.ts";
import { scaleType } from "./scale-type.ts";

/** The operations below one path, by method, and their common parameters. */
export type PathItem = Readonly<Record<string, unknown>>;

/** How an operation differs from others. */
interface Operation {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly action: string;
  readonly id: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: ApiSchema; readonly types: readonly string[]; readonly isRequired: boolean };
  readonly answer: ApiSchema;
  readonly codes: readonly number[];
  readonly kind: KindId;
}

const ANSWER_TYPES = ["application/json", "application/yaml"];
const CODES: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };
const PATCH_TYPES = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];

/** The paths of a resource with all its operations, in the way of the real server's documents. */
export function pathsOf(type: ResourceType, definitions: Definitions): Readonly<Record<string, PathItem>> {
  const { group, version, plural, namespaced, verbs } = type;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const context: Context = {
    type,
    definitions,
    kind: kindOf(type),
    self: definitions.reference(definitions.addKind(type)),
  };
  const outer = [...(namespaced ? [parameters.namespace] : []), parameters.pretty];
  const inner = [parameters.name(type.kind), ...outer];
  const paths: Record<string, PathItem> = {};
  const add = (path: string, operations: readonly Operation[], common: readonly Parameter[]) => {
    if (operations.length > 0) paths[path] = pathItem(type, operations, common);
  };
  add(collection, served(collectionOperations(context), verbs), outer);
  add(`${collection}/{name}`, served(objectOperations(context), verbs), inner);
  if (type.hasStatus)
    add(`${collection}/{name}/status`, subresourceOperations(context, { name: "status", verbs: CHANGES }), inner);
  const others = type.scale === undefined ? [] : [{ name: "scale", verbs: CHANGES, kind: scaleType }];
  for (const subresource of [...(type.subresources ?? []), ...others])
    add(`${collection}/{name}/${subresource.name}`, subresourceOperations(context, subresource), inner);
  if (namespaced && verbs.includes("list"))
    add(`${root}/${plural}`, [listOperation(context, `${type.kind}ForAllNamespaces`)], [parameters.pretty]);
  return paths;
}

const CHANGES = ["get", "update", "patch"];

/** Kinds that only subresources speak of. */
const BODIES: readonly ResourceType[] = [tokenRequestType, scaleType];

interface Context {
  readonly type: ResourceType;
  readonly definitions: Definitions;
  readonly kind: KindId;
  /** A reference to the kind itself. */
  readonly self: ApiSchema;
}

function listOperation({ type, definitions, kind }: Context, name: string): Operation {
  return {
    method: "get",
    action: "list",
    id: idOf(type, "list", name),
    description: `list or watch objects of kind ${type.kind}`,
    parameters: parameters.list,
    answer: definitions.reference(definitions.addList(type)),
    codes: [200],
    kind,
  };
}

/** Operations by verb; only those that are served are made, since they add to the definitions. */
type Operations = Readonly<Record<string, () => Operation>>;

function served(operations: Operations, verbs: readonly string[]): Operation[] {
  return Object.entries(operations).flatMap(([verb, make]) => (verbs.includes(verb) ? [make()] : []));
}

function collectionOperations(context: Context): Operations {
  const { type, definitions, kind, self } = context;
  const name = scopedName(type);
  return {
    list: () => listOperation(context, name),
    create: () => createOperation(context, { name, what: `a ${type.kind}`, schema: self }),
    deletecollection: () => ({
      method: "delete",
      action: "deletecollection",
      id: idOf(type, "delete", `Collection${name}`),
      description: `delete collection of ${type.kind}`,
      parameters: parameters.list,
      answer: definitions.shared("Status"),
      codes: [200],
      kind,
    }),
  };
}

function objectOperations(context: Context): Operations {
  const { type, definitions, kind, self } = context;
  return {
    ...changeOperations(context, { name: scopedName(type), what: `the specified ${type.kind}`, schema: self }),
    delete: () => ({
      method: "delete",
      action: "delete",
      id: idOf(type, "delete", scopedName(type)),
      description: `delete a ${type.kind}`,
      parameters: parameters.delete,
      body: { schema: definitions.shared("DeleteOptions"), types: ANSWER_TYPES, isRequired: false },
      answer: type.returnsDeletedObject === true ? self : definitions.shared("Status"),
      codes: [200, 202],
      kind,
    }),
  };
}

interface Target {
  readonly name: string;
  readonly what: string;
  readonly schema: ApiSchema;
}

function createOperation({ type, kind }: Context, { name, what, schema }: Target): Operation {
  return {
    method: "post",
    action: "post",
    id: idOf(type, "create", name),
    description: `create ${what}`,
    parameters: parameters.write,
    body: { schema, types: ANSWER_TYPES, isRequired: true },
    answer: schema,
    codes: [200, 201, 202],
    kind,
  };
}

/** Get, update and patch, of an object or of a part of it. */
function changeOperations({ type, definitions, kind }: Context, { name, what, schema }: Target): Operations {
  const patchTypes = type.isCustom ? PATCH_TYPES : [...PATCH_TYPES, "application/strategic-merge-patch+json"];
  return {
    get: () => ({
      method: "get",
      action: "get",
      id: idOf(type, "read", name),
      description: `read ${what}`,
      parameters: type.isCustom ? parameters.get : [],
      answer: schema,
      codes: [200],
      kind,
    }),
    update: () => ({
      method: "put",
      action: "put",
      id: idOf(type, "replace", name),
      description: `replace ${what}`,
      parameters: parameters.write,
      body: { schema, types: ANSWER_TYPES, isRequired: true },
      answer: schema,
      codes: [200, 201],
      kind,
    }),
    patch: () => ({
      method: "patch",
      action: "patch",
      id: idOf(type, "patch", name),
      description: `partially update ${what}`,
      parameters: parameters.patch,
      body: { schema: definitions.shared("Patch"), types: patchTypes, isRequired: true },
      answer: schema,
      codes: type.isCustom ? [200] : [200, 201],
      kind,
    }),
  };
}

function subresourceOperations(context: Context, { name, verbs, kind: bodyKind }: SubresourceType): Operation[] {
  const { type, definitions } = context;
  const body = BODIES.find((one) => one.kind === bodyKind?.kind && one.group === bodyKind.group);
  const schema = body === undefined ? context.self : definitions.reference(definitions.addKind(body));
  const own = { ...context, kind: body === undefined ? context.kind : kindOf(body) };
  const title = `${scopedName(type)}${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const operations = {
    ...changeOperations(own, { name: title, what: `${name} of the specified ${type.kind}`, schema }),
    create: () => createOperation(own, { name: title, what: `${name} of a ${type.kind}`, schema }),
  };
  return served(operations, verbs);
}

function pathItem(type: ResourceType, operations: readonly Operation[], common: readonly Parameter[]): PathItem {
  const item: Record<string, unknown> = {};
  for (const operation of operations) item[operation.method] = printed(type, operation);
  return { ...item, parameters: common };
}

function printed(type: ResourceType, operation: Operation): ApiSchema {
  const { body, answer, codes, kind } = operation;
  const content = (schema: ApiSchema, types: readonly string[]) =>
    Object.fromEntries(types.map((mediaType) => [mediaType, { schema }]));
  return {
    tags: [`${lowerFirst(groupName(type.group))}_${type.version}`],
    description: operation.description,
    operationId: operation.id,
    ...(operation.parameters.length === 0 ? {} : { parameters: operation.parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { content: content(body.schema, body.types), ...(body.isRequired ? { required: true } : {}) } }),
    responses: {
      ...Object.fromEntries(
        codes.map((code) => [code, { description: CODES[code], content: content(answer, ANSWER_TYPES) }]),
      ),
      401: { description: "Unauthorized" },
    },
    "x-kubernetes-action": operation.action,
    "x-kubernetes-group-version-kind": kind,
  };
}

function scopedName({ namespaced, kind }: ResourceType): string {
  return namespaced ? `Namespaced${kind}` : kind;
}

/** `listCoreV1NamespacedSecret`. */
function idOf({ group, version }: ResourceType, verb: string, name: string): string {
  return `${verb}${groupName(group)}${version.slice(0, 1).toUpperCase()}${version.slice(1)}${name}`;
}

/** `Core`, `RbacAuthorization`, `ButlerButlerlabsDev`. */
function groupName(group: string): string {
  if (group === "") return "Core";
  const words = group.replace(/\.k8s\.io$/, "").split(/[.-]/);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
