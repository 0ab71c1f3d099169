// SPDX-License-Identifier: Apache-2.0
import { tokenRequestType } from "./auth/index.ts";
import { type Call, keyOf, namespaceOf, type ResourceServer, writeContext } from "./call.ts";
import { storageKey } from "./registry.ts";
import { asObject } from "./rest/admit.ts";
import { claimOf } from "./rest/decode.ts";
import { listPage } from "./rest/list.ts";
import { listOptions, parseRevision } from "./rest/list-options.ts";
import { track } from "./rest/managed-fields.ts";
import type { Written } from "./rest/objects.ts";
import { deleteOptions, writeOptions } from "./rest/options.ts";
import { bodyOf, readObject } from "./rest/read-object.ts";
import { patchTypeOf, readPatch } from "./rest/read-patch.ts";
import { objectJson, pageJson, respond } from "./rest/render.ts";
import { scaleOf } from "./rest/scale.ts";
import { shown } from "./rest/view.ts";
import { watch } from "./rest/watch.ts";
import { noSuchResource, notFound, StatusError, success, tooLargeResourceVersion } from "./status-error.ts";
import type { PlaneResponse } from "./types.ts";

/** GET of one object or of its status or scale. */
export function getOne({ machinery }: ResourceServer, call: Call): PlaneResponse {
  const { info, type, rendering } = call;
  const { store } = machinery;
  const version = info.query.get("resourceVersion") ?? "";
  const asked = parseRevision(version, { prefix: "" });
  if (asked !== undefined && asked > store.revision) throw tooLargeResourceVersion(version, store.revision);
  const entry = store.get(storageKey(type, namespaceOf(call), info.name));
  if (entry === undefined) throw notFound(type, info.name);
  const view = shown(type, entry);
  if (info.subresource === "scale" && type.scale !== undefined)
    return respond(200, JSON.stringify(scaleOf(view.object, type.scale)), rendering);
  return respond(200, objectJson(type, view, rendering), rendering);
}

/** GET of a list. */
export function getList({ machinery }: ResourceServer, call: Call): PlaneResponse {
  const { info, type, rendering } = call;
  const page = listPage(machinery.store, type, namespaceOf(call), listOptions(info, type));
  return respond(200, pageJson(type, page, rendering), rendering);
}

/** GET of a watch. */
export function getWatch({ machinery }: ResourceServer, call: Call): PlaneResponse {
  const { request, info, type, rendering } = call;
  const options = listOptions(info, type);
  const body = watch(machinery, { type, namespace: namespaceOf(call), options, rendering, signal: request.signal });
  return { status: 200, headers: { "content-type": "application/json", "cache-control": "no-cache, private" }, body };
}

/** POST of an object. */
export async function create(server: ResourceServer, call: Call): Promise<PlaneResponse> {
  const { request, info, type, user, rendering } = call;
  if (type.isVirtual === true) return createReview(server, call);
  const asked = writeOptions(info.query, { kind: "CreateOptions", userAgent: request.headers["user-agent"] });
  const { object, strictErrors } = readObject(server.machinery.registry, type, request);
  const options = { ...asked, user, strictErrors };
  const written = await server.objects.createObject(type, namespaceOf(call), object, options);
  return respond(201, objectJson(type, written, rendering), rendering, written.warnings);
}

/** POST of a question, such as a review or a token request: its answer is not stored. */
export function createReview({ machinery, review }: ResourceServer, call: Call): PlaneResponse {
  const { request, info, type, user, rendering } = call;
  const asked = writeOptions(info.query, { kind: "CreateOptions", userAgent: request.headers["user-agent"] });
  const asks = info.subresource === "token" ? tokenRequestType : type;
  const body = bodyOf(asks, request);
  const { object } = claimOf(body, asks.kind, false);
  const warnings: string[] = [];
  const answer = review({
    type,
    info,
    object: asObject(object),
    user,
    strictErrors: body.strictErrors,
    fieldValidation: asked.fieldValidation,
    track: (kind, after) =>
      track(machinery, kind, { before: undefined, after }, { ...asked, subresource: info.subresource }),
    warn: (text) => warnings.push(text),
  });
  if (answer === undefined) throw noSuchResource();
  return respond(201, JSON.stringify(answer), rendering, warnings);
}

/** PUT of an object or of its status. */
export async function update(server: ResourceServer, call: Call): Promise<PlaneResponse> {
  const { request, info, type } = call;
  const asked = writeOptions(info.query, { kind: "UpdateOptions", userAgent: request.headers["user-agent"] });
  const { object, strictErrors } = readObject(server.machinery.registry, type, request);
  const options = { ...writeContext(server, call), ...asked, strictErrors };
  return written(await server.objects.updateObject(type, keyOf(call), object, options), call);
}

function written(outcome: Written, { type, rendering }: Call): PlaneResponse {
  return respond(outcome.isNew ? 201 : 200, objectJson(type, outcome, rendering), rendering, outcome.warnings);
}

/** PATCH of an object or of its status. */
export async function patch(server: ResourceServer, call: Call): Promise<PlaneResponse> {
  const { request, info, type } = call;
  const patchType = patchTypeOf(type, request);
  const userAgent = request.headers["user-agent"];
  const asked = writeOptions(info.query, { kind: "PatchOptions", userAgent, isApply: patchType === "apply" });
  // What does not exist is not found, whatever the patch is like.
  const isThere = server.machinery.store.get(storageKey(type, namespaceOf(call), info.name)) !== undefined;
  if (patchType !== "apply" && !isThere) throw notFound(type, info.name);
  const { patch: given, strictErrors } = readPatch(patchType, request, asked.force);
  const options = { ...writeContext(server, call), ...asked, strictErrors };
  return written(await server.objects.patchObject(type, keyOf(call), given, options), call);
}

/** DELETE of one object. */
export async function remove({ objects }: ResourceServer, call: Call): Promise<PlaneResponse> {
  const { request, info, type, user, rendering } = call;
  const asked = deleteOptions(info.query, request.body, request.headers["content-type"]);
  const outcome = await objects.deleteObject(type, keyOf(call), { ...asked, user });
  const status = !outcome.isGone && asked.orphanDependents === false ? 202 : 200;
  if (!outcome.isGone || type.returnsDeletedObject === true)
    return respond(status, objectJson(type, outcome, rendering), rendering);
  const { name = "", uid = "" } = outcome.object.metadata;
  return respond(status, JSON.stringify(success({ name, group: type.group, kind: type.plural, uid })), rendering);
}

/** DELETE of all that a list would show. */
export async function removeCollection({ machinery, objects }: ResourceServer, call: Call): Promise<PlaneResponse> {
  const { request, info, type, user, rendering } = call;
  const options = listOptions(info, type);
  const asked = deleteOptions(info.query, request.body, request.headers["content-type"]);
  const page = listPage(machinery.store, type, namespaceOf(call), options);
  await Promise.all(
    page.items.map(async ({ object: { metadata } }) => {
      const key = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
      await objects.deleteObject(type, key, { ...asked, user }).catch(unlessGone);
    }),
  );
  return respond(200, pageJson(type, page, rendering), rendering);
}

function unlessGone(error: unknown): void {
  if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
}
