// SPDX-License-Identifier: Apache-2.0
import type { Clock, KindDescriptor, KubeObject, ObjectKey, Random, WatchEvent } from "../types.ts";
import type { HandlerTransport } from "./handler-wire.ts";

/** An object to be sent. `apiVersion` and `kind` are filled in from its kind. */
export type Draft<T extends KubeObject> = Omit<T, "apiVersion" | "kind"> & { apiVersion?: string; kind?: string };

/** The fields that one manager wants to own. */
export type ApplyDraft<T extends KubeObject> = DeepPartial<Omit<T, "metadata">> & {
  metadata: DeepPartial<T["metadata"]> & { name: string };
};

/** What is to change: null removes a field, lists are replaced as a whole. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Field in keyof T]?: MergePatch<T[Field]> | null }
    : T;

/** All fields may be left out, at every depth. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? DeepPartial<Item>[]
  : T extends object
    ? { [Field in keyof T]?: DeepPartial<T[Field]> }
    : T;

/** One step of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** What every call takes. */
export interface CallOptions {
  /** Ends the call at once; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Time for one try, until its whole answer is there. */
  readonly tryMs?: number;
  /** Time for the whole call, all tries and the waits between them. */
  readonly totalMs?: number;
  /** How often to try at most; 1 means that nothing is repeated, except with new credentials after a 401. */
  readonly tries?: number;
}

/** How to read one object. */
export interface GetOptions extends CallOptions {
  /** `"0"` lets the server answer from its own cache. */
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** What to list. */
export interface ListOptions extends CallOptions {
  /** Left out, all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Objects per request; 500 unless told otherwise, 0 for all at once. The result is always the whole list. */
  readonly limit?: number;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** Asks for metadata alone: where the server can, the items have nothing else, and another kind. */
  readonly metadataOnly?: boolean;
}

/** A list as it was at `resourceVersion`. */
export interface ObjectList<T extends KubeObject> {
  readonly items: T[];
  readonly resourceVersion: string;
}

/** A piece of a list. */
export interface ListPage<T extends KubeObject> extends ObjectList<T> {
  /** The server forgot the list half way and it begins anew with this page: forget the pages before. */
  readonly isRestart: boolean;
}

/** What a caller who must know of every possible effect wants to be told. */
export interface DoubtOptions {
  /** Called after each try that failed and may have had an effect all the same, whatever the call itself ends with. */
  readonly onDoubt?: (() => void) | undefined;
}

/** How to write. */
export interface WriteOptions extends CallOptions, DoubtOptions {
  readonly subresource?: "status" | "scale" | (string & {});
  /** Everything is checked, nothing is kept. */
  readonly dryRun?: boolean;
  /** What happens to unknown and doubled fields. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  readonly fieldManager?: string;
}

/** How to apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields away from other managers instead of failing with a conflict. */
  readonly force?: boolean;
}

/** How to delete. */
export interface DeleteOptions extends CallOptions, DoubtOptions {
  /** The delete fails with a conflict where the object is another by now. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
  /** Told which object it was where the server answers with a Status, if the Status says so. */
  readonly onDeleted?: ((uid: string) => void) | undefined;
}

/** What to watch, and from where on. */
export interface WatchOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Events after this version; left out, the server begins with what is there. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan";
  /** Asks for all objects first, then a bookmark with `endsInitialEvents`. */
  readonly sendInitialEvents?: boolean;
  /** On unless told otherwise. */
  readonly allowWatchBookmarks?: boolean;
  /** After how long the server ends the watch by itself. */
  readonly timeoutSeconds?: number;
  /** Ends the watch; the iteration then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Time until the server begins to answer. The stream itself has no time limit. */
  readonly startMs?: number;
}

/** What a raw request carries. */
export interface RawOptions extends CallOptions {
  /** A string goes out as it is, everything else as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** Promises that a second execution does no harm. Reads are always taken to be so. */
  readonly isRepeatable?: boolean;
}

/** The answer to a raw request. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown;
}

/** One try of one request, told when it is over. A watch is told when its answer begins, or fails to. */
export interface RequestRecord {
  /** The same in the server's audit log. */
  readonly id: string;
  readonly verb: string;
  readonly method: string;
  readonly host: string;
  /** Empty for core kinds and for raw requests. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Undefined where there was no answer. */
  readonly status: number | undefined;
  /** Why there was none: the `code` of the ConnectionError, `ABORTED` where the caller gave up, `NOT_SENT` where a gate refused. */
  readonly failure: string | undefined;
  readonly durationMs: number;
  /** What the server wants its callers to know, such as that a version is deprecated. */
  readonly warnings: readonly string[];
}

/** How a client behaves. Everything has a default. */
export interface ClientOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly userAgent?: string;
  /** Told of every try. What it throws is ignored. */
  readonly onRequest?: (record: RequestRecord) => void;
  /**
   * Called at the last moment before each write goes to a connection, repeats included. Where it throws nothing is sent and the
   * call rejects with what it threw.
   */
  readonly gate?: () => void;
  /** Answers requests in this process instead of a server behind a socket. */
  readonly transport?: HandlerTransport;
  /** Connections for all requests but watches, of which each has its own. 16 unless told otherwise. */
  readonly connections?: number;
  /** One try of a read; 30 s unless told otherwise. */
  readonly readTryMs?: number;
  /** One try of a write; 65 s unless told otherwise: servers give up after 60. */
  readonly writeTryMs?: number;
  /** A whole call; two minutes unless told otherwise. */
  readonly totalMs?: number;
  /** 4 unless told otherwise. Answers 429 with a Retry-After do not count, they are limited by `totalMs`. */
  readonly tries?: number;
}

/**
 * Speaks to one API server. Objects come typed by their kind's descriptor, refusals as `ApiError`, broken connections as
 * `ConnectionError`, an aborted signal as its reason.
 *
 * Repeated by itself, with growing jittered pauses and at most until the time limit: reads, whatever failed; writes, only where
 * nothing was sent, the server said 429, or a repeat cannot do more than the first (a dry run, or bound to a resourceVersion or
 * uid). Such a write may then report a conflict with its own first try. Retry-After is honoured.
 */
export interface Client {
  /** The server's address, for messages. */
  readonly server: string;
  get<T extends KubeObject>(kind: KindDescriptor<T>, key: ObjectKey, options?: GetOptions): Promise<T>;
  /** The whole list, read page by page; begun anew where the server forgot it half way. Items have apiVersion and kind. */
  list<T extends KubeObject>(kind: KindDescriptor<T>, options?: ListOptions): Promise<ObjectList<T>>;
  /** The same list page by page, for those who need not hold it whole. */
  pages<T extends KubeObject>(kind: KindDescriptor<T>, options?: ListOptions): AsyncIterable<ListPage<T>>;
  create<T extends KubeObject>(kind: KindDescriptor<T>, object: Draft<T>, options?: WriteOptions): Promise<T>;
  /** Replaces the object, or its subresource. With its resourceVersion it fails with a conflict where somebody was faster. */
  update<T extends KubeObject>(kind: KindDescriptor<T>, object: Draft<T>, options?: WriteOptions): Promise<T>;
  mergePatch<T extends KubeObject>(
    kind: KindDescriptor<T>,
    key: ObjectKey,
    patch: MergePatch<T>,
    options?: WriteOptions,
  ): Promise<T>;
  jsonPatch<T extends KubeObject>(
    kind: KindDescriptor<T>,
    key: ObjectKey,
    patch: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply: the manager owns exactly the fields given. Creates what is not there. */
  apply<T extends KubeObject>(kind: KindDescriptor<T>, object: ApplyDraft<T>, options: ApplyOptions): Promise<T>;
  /** The object as it is now where it stays for its finalizers, or as it was last; undefined where the server shows none. */
  delete<T extends KubeObject>(
    kind: KindDescriptor<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<T | undefined>;
  /**
   * One watch on one connection, begun when iteration begins. It ends when the server ends it, and throws when the connection
   * breaks, the server refuses, or an ERROR event comes. It is never resumed by itself; leaving the loop closes the connection.
   */
  watch<T extends KubeObject>(kind: KindDescriptor<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** Any request. Answers below 300 are returned, others thrown. */
  raw(method: string, path: string, options?: RawOptions): Promise<RawAnswer>;
  /** The same client over the same connections, whose writes pass this gate too. Its `close` closes nothing. */
  withGate(gate: () => void): Client;
  /** Lets requests finish, ends watches, closes all connections. May be repeated. */
  close(): Promise<void>;
}
