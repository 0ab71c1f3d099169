// SPDX-License-Identifier: Apache-2.0
import type { Client } from "../client/types.ts";
import { ApiError, ConfigError, ConnectionError, LostLeadershipError } from "../errors.ts";
import type { KindDescriptor, KubeObject } from "../types.ts";

/** A write that was begun, and how it is told how that ended. Exactly one of them is called, once. */
export interface WriteRecord {
  /** The object as the server has it now. */
  wrote(object: KubeObject): void;
  /** The object was deleted; what the server showed of it, if anything. */
  deleted(object: KubeObject | undefined): void;
  /** Nobody knows, or what we believed about the object was wrong. */
  unsure(): void;
  /** Certainly nothing happened. */
  nothing(): void;
}

/** What is being written; the name is missing where the server makes one up. */
export interface WriteTarget {
  readonly kind: KindDescriptor;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

interface Written<T> {
  readonly target: WriteTarget;
  readonly isDryRun: boolean | undefined;
  readonly send: () => Promise<T>;
}

/**
 * The same client, of whose writes none goes unrecorded: recording begins before a request is sent and ends with its answer. Raw
 * writes are recorded where they answer with the object written. Its `close` closes nothing.
 */
export function recordingClient(client: Client, begin: (target: WriteTarget) => WriteRecord): Client {
  const recorded = async <T extends KubeObject>({ target, isDryRun, send }: Written<T>): Promise<T> => {
    if (isDryRun) return send();
    const record = begin(target);
    try {
      const object = await send();
      // A subresource may answer with something else altogether, such as a token.
      if (object.kind === target.kind.kind) record.wrote(object);
      else record.nothing();
      return object;
    } catch (error) {
      if (mayMatter(error)) record.unsure();
      else record.nothing();
      throw error;
    }
  };
  return {
    ...client,
    create: (kind, object, options) =>
      recorded({
        target: { kind, ...pickKey(object.metadata) },
        isDryRun: options?.dryRun,
        send: () => client.create(kind, object, options),
      }),
    update: (kind, object, options) =>
      recorded({
        target: { kind, ...pickKey(object.metadata) },
        isDryRun: options?.dryRun,
        send: () => client.update(kind, object, options),
      }),
    mergePatch: (kind, key, patch, options) =>
      recorded({
        target: { kind, ...key },
        isDryRun: options?.dryRun,
        send: () => client.mergePatch(kind, key, patch, options),
      }),
    jsonPatch: (kind, key, patch, options) =>
      recorded({
        target: { kind, ...key },
        isDryRun: options?.dryRun,
        send: () => client.jsonPatch(kind, key, patch, options),
      }),
    apply: (kind, object, options) =>
      recorded({
        target: { kind, ...pickKey(object.metadata) },
        isDryRun: options.dryRun,
        send: () => client.apply(kind, object, options),
      }),
    async delete(kind, key, options) {
      if (options?.dryRun) return client.delete(kind, key, options);
      const record = begin({ kind, ...key });
      try {
        const last = await client.delete(kind, key, options);
        record.deleted(last);
        return last;
      } catch (error) {
        if (mayMatter(error)) record.unsure();
        else record.nothing();
        throw error;
      }
    },
    async raw(method, path, options) {
      const answer = await client.raw(method, path, options);
      const object = method === "GET" || method === "HEAD" ? undefined : toObject(answer.body);
      if (object !== undefined) begin({ kind: kindOf(object), ...pickKey(object.metadata) }).wrote(object);
      return answer;
    },
    withGate: (gate) => recordingClient(client.withGate(gate), begin),
    async close() {},
  };
}

/**
 * Whether the object may be different from what we believed: it was perhaps written, or it is not as, or not where, we thought. A
 * conflict may be one with our own first try.
 */
function mayMatter(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 404 || error.status === 409 || error.status >= 500;
  if (error instanceof ConnectionError) return error.wasSent;
  return !(error instanceof TypeError || error instanceof LostLeadershipError || error instanceof ConfigError);
}

function pickKey({ namespace, name }: { namespace?: string | undefined; name?: string | undefined }) {
  return { namespace, name };
}

function kindOf({ apiVersion, kind }: KubeObject): KindDescriptor {
  const slash = apiVersion.indexOf("/");
  const group = slash === -1 ? "" : apiVersion.slice(0, slash);
  return { group, version: apiVersion.slice(slash + 1), kind, plural: "", scope: "Namespaced" };
}

/** Parses what a raw request was answered with. */
function toObject(body: unknown): KubeObject | undefined {
  if (typeof body !== "object" || body === null || !("metadata" in body)) return undefined;
  const { apiVersion, kind, metadata } = body as Partial<KubeObject>;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof metadata !== "object") return undefined;
  return metadata.name === undefined || metadata.resourceVersion === undefined
    ? undefined
    : { apiVersion, kind, metadata };
}
