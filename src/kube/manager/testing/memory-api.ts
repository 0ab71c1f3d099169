// SPDX-License-Identifier: Apache-2.0
import type { HandlerRequest, HandlerResponse } from "../../client/handler-wire.ts";

interface Stored {
  readonly metadata: { readonly resourceVersion?: string; readonly name?: string };
  readonly [field: string]: unknown;
}

/** As much of an API server as leases need: get, create, update by resourceVersion, delete. */
export interface MemoryApi {
  handle(request: HandlerRequest): HandlerResponse;
  /** The object at a path. */
  at(path: string): Stored | undefined;
  remove(path: string): void;
}

/** An empty one. */
export function createMemoryApi(): MemoryApi {
  const objects = new Map<string, Stored>();
  let version = 0;
  const keep = (path: string, object: Stored) => {
    version += 1;
    const kept = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    objects.set(path, kept);
    return kept;
  };
  return {
    handle({ method, path: full, body }) {
      const path = full.split("?")[0] ?? "";
      const sent: Stored | undefined = body === undefined ? undefined : JSON.parse(Buffer.from(body).toString());
      const old = objects.get(path);
      if (method === "POST" && sent !== undefined) {
        const at = `${path}/${sent.metadata.name}`;
        return objects.has(at) ? refuse(409, "AlreadyExists") : answer(201, keep(at, sent));
      }
      if (old === undefined) return refuse(404, "NotFound");
      if (method === "PUT" && sent !== undefined)
        return sent.metadata.resourceVersion === old.metadata.resourceVersion
          ? answer(200, keep(path, sent))
          : refuse(409, "Conflict");
      return answer(200, old);
    },
    at: (path) => objects.get(path),
    remove: (path) => void objects.delete(path),
  };
}

function answer(status: number, body: unknown): HandlerResponse {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function refuse(status: number, reason: string): HandlerResponse {
  return answer(status, { kind: "Status", apiVersion: "v1", status: "Failure", code: status, reason, message: reason });
}
