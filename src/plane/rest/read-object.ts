// SPDX-License-Identifier: Apache-2.0
import { readProtobuf } from "../protobuf/index.ts";
import type { Registry } from "../registry.ts";
import { badRequest } from "../status-error.ts";
import type { KubeObject, PlaneRequest, ResourceType } from "../types.ts";
import { apiVersionOf, asObject } from "./admit.ts";
import { BodyError } from "./body.ts";
import { type Body, claimOf, mediaTypeOf, readBody } from "./decode.ts";
import { type LostNumbers, roundedWords, tooLargeWords } from "./json-numbers.ts";

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
  const lost = lostNumberWords(type, body.lostNumbers);
  if (lost !== undefined)
    throw badRequest(`${kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${lost}`);
  return { object: asObject({ ...claim.object, apiVersion, kind }), strictErrors: body.strictErrors };
}

/** Why an object cannot be kept as it was sent; the bounds in a definition's schema are rounded by the real server too. */
function lostNumberWords({ plural, isCustom }: ResourceType, { tooLarge, rounded }: LostNumbers): string | undefined {
  if (tooLarge !== undefined) return tooLargeWords(tooLarge);
  const isBound = (field: string) => !isCustom && plural === "customresourcedefinitions" && BOUND.test(field);
  const lost = rounded.find(({ field }) => !isBound(field));
  return lost === undefined ? undefined : roundedWords(lost);
}

const BOUND = /(^|\.)(maximum|minimum|multipleOf)$/;

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
