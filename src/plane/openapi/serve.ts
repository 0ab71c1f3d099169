// SPDX-License-Identifier: Apache-2.0
import type { Registry } from "../registry.ts";
import type { PlaneRequest, PlaneResponse, RequestInfo } from "../types.ts";
import { type OpenApiDocument, openApiV2, openApiV3, openApiV3Index } from "./open-api.ts";

const V3 = "/openapi/v3";
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/**
 * Answers requests below `/openapi`; undefined for paths that are none of them. Only JSON is spoken: who asks for
 * protobuf alone gets 406, upon which kubectl does without.
 */
export function serveOpenApi(
  registry: Registry,
  { path, query }: Pick<RequestInfo, "path" | "query">,
  { headers, nowMs }: { readonly headers: PlaneRequest["headers"]; readonly nowMs: number },
): PlaneResponse | undefined {
  if (path !== "/openapi/v2" && path !== V3 && !path.startsWith(`${V3}/`)) return undefined;
  if (path === V3 || path === `${V3}/`) {
    // The real server does not say that this is JSON.
    return answer(200, openApiV3Index(registry), { "content-type": "text/plain; charset=utf-8" });
  }
  if (!acceptsJson(headers.accept)) return answer(406, "");
  if (path === "/openapi/v2") return conditional(openApiV2(registry), headers);
  const document = openApiV3(registry, path.slice(V3.length + 1));
  if (document === undefined) return answer(404, "");
  const asked = query.get("hash");
  if (asked === null || asked === "") return conditional(document, headers);
  if (asked !== document.hash) return answer(301, "", { location: `${path}?hash=${document.hash}` });
  return conditional(document, headers, {
    "cache-control": "public, immutable",
    expires: new Date(nowMs + YEAR_MS).toUTCString(),
  });
}

function conditional({ json, hash }: OpenApiDocument, headers: PlaneRequest["headers"], more = {}): PlaneResponse {
  const etag = `"${hash}"`;
  const known = (headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim());
  const isKnown = known.includes(etag) || known.includes(`W/${etag}`);
  return answer(isKnown ? 304 : 200, isKnown ? "" : json, { etag, vary: "Accept", ...more });
}

function answer(status: number, body: string, more: Readonly<Record<string, string>> = {}): PlaneResponse {
  const type = body === "" ? {} : { "content-type": "application/json" };
  return { status, headers: { "cache-control": "no-cache, private", ...type, ...more }, body };
}

function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === "") return true;
  const types = accept.split(",").map((range) => range.split(";")[0]?.trim());
  return types.some((type) => type === "application/json" || type === "*/*" || type === "application/*");
}
