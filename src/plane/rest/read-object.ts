// SPDX-License-Identifier: Apache-2.0
import { readProtobuf } from "../protobuf/index.ts";
import type { Registry } from "../registry.ts";
import { badRequest } from "../status-error.ts";
import type { KubeObject, PlaneRequest, ResourceType } from "../types.ts";
import { apiVersionOf, asObject } from "./admit.ts";
import { type Body, BodyError, claimOf, mediaTypeOf, readBody } from "./decode.ts";

/** An object as a request carries it, and what strict decoding objects to. */
export interface GivenObject {
  readonly object: KubeObject;
  readonly strictErrors: readonly string[];
}

/** The body of a request that must be an object of a kind. Throws 400, in the server's words, where it is none at all. */
export function bodyOf(type: ResourceType, { body, headers }: PlaneRequest): Body {
  const contentType = headers["content-type"];
  try {
    return readBody(body, contentType, type.isCustom ? undefined : (bytes) => readProtobuf(bytes, type));
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    const isJson = ["", "application/json"].includes(mediaTypeOf(contentType));
    const why = isJson ? `couldn't get version/kind; json parse error: ${error.message}` : error.message;
    throw badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${why} (${error.summary})`);
  }
}

/** Reads the object in a body: of the type that the path names, or of none, which is then filled in. */
export function readObject(registry: Registry, type: ResourceType, request: PlaneRequest): GivenObject {
  const body = bodyOf(type, request);
  const claim = claimOf(body, type.kind, type.isCustom);
  const expected = apiVersionOf(type);
  const apiVersion = claim.apiVersion === "" ? expected : claim.apiVersion;
  const kind = claim.kind === "" ? type.kind : claim.kind;
  if (!type.isCustom) checkConvertible(registry, type, { apiVersion, kind });
  if (apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  return { object: asObject({ ...claim.object, apiVersion, kind }), strictErrors: body.strictErrors };
}

/** A built-in kind cannot be decoded as another. */
function checkConvertible(
  registry: Registry,
  type: ResourceType,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): void {
  if (kind === type.kind && apiVersion === apiVersionOf(type)) return;
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const other = registry.findKind(group, kind, version);
  const why =
    other === undefined || other.isCustom
      ? `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
      : `converting (${version}.${kind}) to (${internalPackage(type)}.${type.kind}): unknown conversion`;
  throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}: ${why}`);
}

function internalPackage({ group }: ResourceType): string {
  return group === "" || group === "events.k8s.io" ? "core" : (group.split(".")[0] ?? "");
}
