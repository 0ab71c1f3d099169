// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from "node:crypto";
import type { Auth } from "./auth/index.ts";
import { createDiscovery, type Discovery } from "./discovery.ts";
import { healthPage } from "./health.ts";
import { serveOpenApi } from "./openapi/index.ts";
import { requestInfo } from "./request-info.ts";
import { parseTarget } from "./request-target.ts";
import { createResourceHandler, NoSuchPath } from "./resource-handler.ts";
import type { Machinery } from "./rest/machinery.ts";
import { errorFormat, wantsAggregatedDiscovery } from "./rest/negotiate.ts";
import type { Objects } from "./rest/objects.ts";
import { warningHeaders, yamlOf } from "./rest/render.ts";
import {
  internalError,
  methodNotAllowed,
  noSuchResource,
  StatusError,
  serviceUnavailable,
  unauthorized,
} from "./status-error.ts";
import { StoreError } from "./store/index.ts";
import type { Handler, PlaneRequest, PlaneResponse, RequestInfo } from "./types.ts";
import { versionInfo } from "./version.ts";

/** What the handler is made of. */
export interface HandlerOptions {
  readonly machinery: Machinery;
  readonly objects: Objects;
  readonly auth: Auth;
  /** Sees every request first and may answer it, delay it or change it: a simulator's webhooks and faults. */
  readonly intercept?: Interceptor | undefined;
  /** Told of faults of ours; never of what clients do wrong. */
  readonly onFault: (error: unknown) => void;
  readonly serverAddress: () => string;
}

/** Gets every request and what would serve it. */
export type Interceptor = (request: PlaneRequest, next: Handler) => Promise<PlaneResponse>;

/** Serves every request there is. Never throws: what goes wrong is an answer. */
export function createHandler(options: HandlerOptions): Handler {
  const { machinery, objects, auth, intercept } = options;
  const serveResource = createResourceHandler({ machinery, objects, review: auth.review, authorize: auth.check });
  const discovery = createDiscovery(machinery.registry);

  const handle: Handler = async (request) => {
    if (request.path.includes("%") && parseTarget(request.path) === undefined) return text(400, "400 Bad Request");
    const info = requestInfo(request.method, request.path);
    const sender = auth.authenticate(request);
    if (sender === undefined) throw unauthorized();
    const user = auth.effectiveUser(sender, request.headers, info);
    auth.check(user, info);
    if (info.isResource) return serveResource(request, info, user);
    return serveOther(options, { request, info, discovery });
  };
  const answering: Handler = async (request) => {
    try {
      return withAuditId(request, await handle(request));
    } catch (error) {
      return withAuditId(request, errorResponse(error, { ...options, accept: request.headers.accept }));
    }
  };
  if (intercept === undefined) return answering;
  return async (request) => {
    try {
      return await intercept(request, answering);
    } catch (error) {
      return errorResponse(error, { ...options, accept: request.headers.accept });
    }
  };
}

/** Clients tell their requests apart by this header: theirs where they sent one, else a new one. */
function withAuditId({ headers }: PlaneRequest, response: PlaneResponse): PlaneResponse {
  const given = headers["audit-id"] ?? "";
  const id = /^[\x21-\x7e]{1,64}$/.test(given) ? given : randomUUID();
  return { ...response, headers: { "audit-id": id, ...response.headers } };
}

/** Whatever was thrown, as an answer. */
export function errorResponse(
  error: unknown,
  { onFault, accept }: { readonly onFault: (error: unknown) => void; readonly accept?: string | undefined },
): PlaneResponse {
  if (error instanceof NoSuchPath) return text(404, "404 page not found\n");
  if (!(error instanceof StatusError)) onFault(error);
  const { status, warnings } = error instanceof StatusError ? error : faultOf(error);
  const retryAfter = status.details?.retryAfterSeconds;
  const isYaml = errorFormat(accept) === "yaml";
  const json = JSON.stringify(status);
  return {
    status: status.code,
    headers: {
      "content-type": isYaml ? "application/yaml" : "application/json",
      "cache-control": "no-cache, private",
      ...(warnings.length === 0 ? {} : { warning: warningHeaders(warnings) }),
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    },
    body: isYaml ? yamlOf(json) : `${json}\n`,
  };
}

/** A disk that is full or broken is told; of other faults of ours nobody but the operator learns more. */
function faultOf(error: unknown): StatusError {
  if (!(error instanceof StoreError)) return internalError("the server had a fault of its own");
  const why = { full: "the disk is full", closed: "the server is stopping" }[String(error.code)] ?? "the disk failed";
  return serviceUnavailable(`nothing can be written: ${why}`);
}

interface OtherRequest {
  readonly request: PlaneRequest;
  readonly info: RequestInfo;
  readonly discovery: Discovery;
}

function serveOther(options: HandlerOptions, { request, info, discovery }: OtherRequest): PlaneResponse {
  const path = info.path.length > 1 ? info.path.replace(/\/$/, "") : info.path;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (/^\/(livez|readyz|healthz)(\/|$)/.test(path)) return healthPage(path, info.query) ?? notFoundPage();
  if (path === "/api" || path === "/apis" || /^\/apis?\//.test(path)) {
    if (!isRead) throw methodNotAllowed();
    return serveDiscovery(options, { request, info: { ...info, path }, discovery });
  }
  if (path === "/version" && isRead) return json(versionInfo());
  if (path === "/" && isRead) return json({ paths: rootPaths(options.machinery) });
  if (path.startsWith("/openapi/")) {
    const { registry, clock } = options.machinery;
    return serveOpenApi(registry, info, { headers: request.headers, nowMs: clock.now() }) ?? notFoundPage();
  }
  return notFoundPage();
}

function serveDiscovery(options: HandlerOptions, { request, info, discovery }: OtherRequest): PlaneResponse {
  const [, root, group, version] = info.path.split("/");
  if (group === undefined) {
    if (wantsAggregatedDiscovery(request.headers.accept)) return aggregated(discovery, request, root === "api");
    return json(root === "api" ? discovery.coreVersions(options.serverAddress()) : discovery.groupList());
  }
  if (root === "api") {
    const resources = discovery.resources("", group);
    if (resources === undefined) throw noSuchResource();
    return json(resources);
  }
  const found = version === undefined ? discovery.group(group) : discovery.resources(group, version);
  return found === undefined ? notFoundPage() : json(found);
}

function aggregated(discovery: Discovery, request: PlaneRequest, isCore: boolean): PlaneResponse {
  const { json: body, etag } = discovery.aggregated(isCore);
  const headers = {
    "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    "cache-control": "public",
    etag,
    vary: "Accept",
  };
  const isKnown = request.headers["if-none-match"] === etag;
  return isKnown ? { status: 304, headers, body: "" } : { status: 200, headers, body };
}

function rootPaths({ registry }: Machinery): string[] {
  const named = registry.groups().filter(({ name }) => name !== "");
  const groups = named.flatMap(({ name, versions }) => [
    `/apis/${name}`,
    ...versions.map((version) => `/apis/${name}/${version}`),
  ]);
  const others = ["/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];
  return ["/api", "/api/v1", "/apis", ...groups, ...others].sort();
}

function notFoundPage(): PlaneResponse {
  return text(404, "404 page not found\n");
}

function text(status: number, body: string): PlaneResponse {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body,
  };
}

function json(value: object): PlaneResponse {
  const headers = { "content-type": "application/json", "cache-control": "no-cache, private" };
  return { status: 200, headers, body: JSON.stringify(value) };
}
