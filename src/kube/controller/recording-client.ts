// SPDX-License-Identifier: Apache-2.0
import type { Client, DoubtOptions, WriteOptions } from "../client/types.ts";
import { ApiError, ConfigError, ConnectionError, LostLeadershipError } from "../errors.ts";
import type { KindDescriptor, KubeObject } from "../types.ts";

/** A write that was begun, and how it is told how that ended. Exactly one of them is called, once. */
export interface WriteRecord {
  /** The object as the server has it now. */
  wrote(object: KubeObject): void;
  /** The object was deleted; what the server showed of it and which it was, if it said so. */
  deleted(object: KubeObject | undefined, uid: string | undefined): void;
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

interface Written<T, O> {
  readonly target: WriteTarget;
  readonly options: O;
  readonly send: (options: O) => Promise<T>;
}

/**
 * The same client, of whose writes none goes unrecorded: recording begins before a request is sent and ends with its answer. Raw
 * writes are recorded where they answer with the object written. Its `close` closes nothing.
 */
export function recordingClient(client: Client, begin: (target: WriteTarget) => WriteRecord): Client {
  const recorded = async <T, O extends DoubtOptions & { readonly dryRun?: boolean }>(
    { target, options, send }: Written<T, O>,
    end: (record: WriteRecord, answer: T) => void,
  ): Promise<T> => {
    if (options.dryRun) return send(options);
    const record = begin(target);
    let isInDoubt = false;
    const onDoubt = () => {
      isInDoubt = true;
      options.onDoubt?.();
    };
    try {
      const answer = await send({ ...options, onDoubt });
      end(record, answer);
      return answer;
    } catch (error) {
      if (isInDoubt || mayMatter(error)) record.unsure();
      else record.nothing();
      throw error;
    }
  };
  const written = <T extends KubeObject, O extends WriteOptions>(write: Written<T, O>): Promise<T> =>
    recorded(write, (record, answer) => {
      if (answer.kind === write.target.kind.kind) record.wrote(answer);
      else if (tellsOfChange(answer)) record.unsure();
      else record.nothing();
    });
  return {
    ...client,
    create: (kind, object, options = {}) =>
      written({
        target: { kind, ...pickKey(object.metadata) },
        options,
        send: (own) => client.create(kind, object, own),
      }),
    update: (kind, object, options = {}) =>
      written({
        target: { kind, ...pickKey(object.metadata) },
        options,
        send: (own) => client.update(kind, object, own),
      }),
    mergePatch: (kind, key, patch, options = {}) =>
      written({ target: { kind, ...key }, options, send: (own) => client.mergePatch(kind, key, patch, own) }),
    jsonPatch: (kind, key, patch, options = {}) =>
      written({ target: { kind, ...key }, options, send: (own) => client.jsonPatch(kind, key, patch, own) }),
    apply: (kind, object, options) =>
      written({
        target: { kind, ...pickKey(object.metadata) },
        options,
        send: (own) => client.apply(kind, object, own),
      }),
    delete(kind, key, options = {}) {
      let uid: string | undefined;
      const onDeleted = (told: string) => {
        uid = told;
        options.onDeleted?.(told);
      };
      const write = { target: { kind, ...key }, options: { ...options, onDeleted } };
      return recorded({ ...write, send: (own) => client.delete(kind, key, own) }, (record, last) =>
        record.deleted(last, last?.metadata.uid ?? uid),
      );
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

/**
 * What a subresource answers with instead of the object: a Scale, which has the object's new version, or a Status, as evictions do.
 * Others, such as tokens, change nothing.
 */
function tellsOfChange({ kind, metadata }: KubeObject): boolean {
  return kind === "Status" || metadata.resourceVersion !== undefined;
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
