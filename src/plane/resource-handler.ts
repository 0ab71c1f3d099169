// SPDX-License-Identifier: Apache-2.0
import type { Call, ResourceServer } from "./call.ts";
import type { Registry } from "./registry.ts";
import {
  create,
  createReview,
  getList,
  getOne,
  getWatch,
  patch,
  remove,
  removeCollection,
  update,
} from "./resource-verbs.ts";
import { negotiate, negotiateByRoute } from "./rest/negotiate.ts";
import { patchTypeOf } from "./rest/read-patch.ts";
import { includeObjectOf, isPretty, warningHeaders } from "./rest/render.ts";
import { changeScale } from "./scale-verbs.ts";
import { badRequest, methodNotAllowed, noSuchResource, notFound, type StatusError } from "./status-error.ts";
import type { PlaneRequest, PlaneResponse, RequestInfo, ResourceType, User } from "./types.ts";

/** A path that leads nowhere; unlike a missing resource of a known group it is answered with plain text. */
export class NoSuchPath extends Error {}

/** Serves requests to resources: finds the type, negotiates, and does what the verb says. */
export function createResourceHandler(server: ResourceServer) {
  const { registry, clock } = server.machinery;
  return async (request: PlaneRequest, info: RequestInfo, user: User): Promise<PlaneResponse> => {
    const type = findType(registry, info);
    const { accept, "user-agent": userAgent } = request.headers;
    const isCollection = info.verb === "list" || info.verb === "watch";
    const representation = type.isCustom ? negotiate(accept) : negotiateByRoute(accept, isCollection);
    const rendering = {
      representation,
      includeObject: representation.as === "Table" ? includeObjectOf(info.query) : "Metadata",
      isPretty: isPretty(info.query, userAgent),
      nowMs: clock.now(),
    } as const;
    const response = await serve(server, { request, info, type, user, rendering });
    return type.warning === undefined ? response : withWarning(response, type.warning);
  };
}

function withWarning(response: PlaneResponse, text: string): PlaneResponse {
  const { warning = [] } = response.headers;
  return { ...response, headers: { ...response.headers, warning: [...warningHeaders([text]), ...[warning].flat()] } };
}

function findType(registry: Registry, info: RequestInfo): ResourceType {
  const type = registry.find(info.group, info.version, info.plural);
  if (type === undefined) {
    const isBuiltIn = registry.all().some(({ group, isCustom }) => group === info.group && !isCustom);
    throw isBuiltIn ? noSuchResource() : new NoSuchPath();
  }
  const isInNamespace = info.namespace !== "" && info.plural !== "namespaces";
  if (isInNamespace && !type.namespaced) throw type.isCustom ? new NoSuchPath() : noSuchResource();
  if (info.rest.length > 0) throw type.isCustom ? notFound(type, info.name) : noSuchResource();
  if (!type.namespaced || info.namespace !== "") return type;
  const isAcross = info.verb === "list" || info.verb === "watch";
  if (type.isCustom && !isAcross) throw new NoSuchPath();
  if (!isAcross && info.name !== "") throw noSuchResource();
  return type;
}

function serve(server: ResourceServer, call: Call): Promise<PlaneResponse> | PlaneResponse {
  const { info, type } = call;
  if (info.subresource !== "") return serveSubresource(server, call);
  const isAcross = type.namespaced && info.namespace === "" && ["create", "deletecollection"].includes(info.verb);
  if (!type.verbs.includes(info.verb) || isAcross) throw notServed(type, info);
  checkNamed(call);
  switch (info.verb) {
    case "get":
      return getOne(server, call);
    case "list":
      return getList(server, call);
    case "watch":
      return getWatch(server, call);
    case "create":
      return create(server, call);
    case "update":
      return update(server, call);
    case "patch":
      return patch(server, call);
    case "delete":
      return remove(server, call);
    default:
      return removeCollection(server, call);
  }
}

/** Some verbs need a name in the path; built-in kinds have no route for those without. */
function checkNamed({ info, type, request }: Call): void {
  if (info.verb === "create" && info.name !== "" && !type.isCustom) throw notServed(type, info);
  if (!["get", "update", "patch", "delete"].includes(info.verb) || info.name !== "") return;
  if (!type.isCustom) throw notServed(type, info);
  if (info.verb === "patch") patchTypeOf(type, request);
  throw badRequest("name must be provided");
}

function notServed(type: ResourceType, { verb }: RequestInfo): StatusError {
  return type.isCustom ? methodNotAllowed(type, verb) : methodNotAllowed();
}

function serveSubresource(server: ResourceServer, call: Call): Promise<PlaneResponse> | PlaneResponse {
  const { info, type } = call;
  const { subresource, verb } = info;
  if ((subresource === "status" && type.hasStatus) || (subresource === "scale" && type.scale !== undefined)) {
    if (!["get", "update", "patch"].includes(verb)) throw notServed(type, info);
    if (verb === "get") return getOne(server, call);
    if (subresource === "scale") return changeScale(server, call);
    return verb === "update" ? update(server, call) : patch(server, call);
  }
  const other = type.subresources?.find(({ name }) => name === subresource);
  if (other === undefined) throw type.isCustom ? notFound(type, info.name) : noSuchResource();
  if (!other.verbs.includes(verb)) throw notServed(type, info);
  return verb === "create" ? createReview(server, call) : update(server, call);
}
