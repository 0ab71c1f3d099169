// SPDX-License-Identifier: Apache-2.0
import type { Machinery } from "./rest/machinery.ts";
import type { ObjectKey, Objects, WriteOptions } from "./rest/objects.ts";
import type { RequestOptions } from "./rest/options.ts";
import type { Rendering } from "./rest/render.ts";
import type { KubeObject, PlaneRequest, RequestInfo, ResourceType, User } from "./types.ts";

/** What serving resources needs. */
export interface ResourceServer {
  readonly machinery: Machinery;
  readonly objects: Objects;
  /** Throws where the user may not do what the info says. */
  readonly authorize: (user: User, info: RequestInfo) => void;
  /** Answers what is served but never stored: reviews, and subresources such as tokens. */
  readonly review: (request: ReviewRequest) => KubeObject | undefined;
}

/** A create of something that is answered, not stored. */
export interface ReviewRequest {
  readonly type: ResourceType;
  readonly info: RequestInfo;
  readonly object: KubeObject;
  readonly user: User;
  readonly fieldValidation: RequestOptions["fieldValidation"];
  readonly strictErrors: readonly string[];
  /** Writes into the object who set which of its fields. */
  readonly track: (type: ResourceType, object: KubeObject) => KubeObject;
  /** Takes texts for Warning headers. */
  readonly warn: (text: string) => void;
}

/** A request to a resource, taken apart. */
export interface Call {
  readonly request: PlaneRequest;
  readonly info: RequestInfo;
  readonly type: ResourceType;
  readonly user: User;
  readonly rendering: Rendering;
}

/** The object that a call is about. */
export function keyOf({ info, type }: Call): ObjectKey {
  return { namespace: namespaceOf({ info, type }), name: info.name };
}

/** The namespace of a call; empty for cluster-scoped types, whatever the path says. */
export function namespaceOf({ info, type }: Pick<Call, "info" | "type">): string {
  return type.namespaced ? info.namespace : "";
}

/** What every write of a call carries. */
export function writeContext({ authorize }: ResourceServer, { info, user }: Call): WriteOptions {
  return { user, subresource: info.subresource, authorizeCreate: () => authorize(user, { ...info, verb: "create" }) };
}
