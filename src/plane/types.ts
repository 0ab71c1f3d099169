// SPDX-License-Identifier: Apache-2.0
import type { Json, Problem, Resource, Schema } from "../schema/index.ts";

/** An object as the API carries it. What is in the store is frozen: changing one means making another. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** What every object has. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** An object that this one goes with. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Which fields a manager has set, by apply or otherwise. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: { readonly [key: string]: Json };
  readonly subresource?: string;
}

/** One resource that the server knows: a built-in kind or a version of a CustomResourceDefinition. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** What of create, get, list, watch, update, patch, delete, deletecollection is served. */
  readonly verbs: readonly string[];
  /** Whether `/status` is served; the main resource then ignores status and `/status` everything else. */
  readonly hasStatus: boolean;
  readonly scale?: ScaleSubresource;
  /** The whole object's schema: OpenAPI, strategic and apply patches are made by it. */
  readonly schema: Schema;
  /** Validation, defaulting and pruning by that schema. */
  readonly resource: Resource;
  readonly columns: readonly TableColumn[];
  /** JSON paths that field selectors may use besides metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[];
  /** Whether it comes from a CustomResourceDefinition. */
  readonly isCustom: boolean;
  /** What a built-in kind does beyond its schema. */
  readonly behaviour?: KindBehaviour;
  /**
   * How objects are kept where that is not as they are shown: versions of one CRD, or two groups that are views of one
   * resource. Left out, an object is kept as it is shown, below its own group and plural.
   */
  readonly storage?: StorageView;
  /** Whether a PUT without a resourceVersion is taken as "whatever is there now". Custom resources refuse it. */
  readonly allowsUnconditionalUpdate?: boolean;
  /** Whether a PUT of what does not exist creates it. */
  readonly allowsCreateOnUpdate?: boolean;
  /** Whether a delete answers with the last state of the object instead of a Status. */
  readonly returnsDeletedObject?: boolean;
  /** A Warning header for every request to this type, such as that the version is deprecated. */
  readonly warning?: string;
  /** Served, but never stored: reviews, which are answered when created. */
  readonly isVirtual?: boolean;
  /** Subresources besides status and scale, for discovery and routing, such as `token` and `finalize`. */
  readonly subresources?: readonly SubresourceType[];
}

/** How an object that is shown in one way is kept in another. Both functions are pure. */
export interface StorageView {
  readonly group: string;
  readonly plural: string;
  /** The stored object as this type shows it. */
  show(stored: KubeObject): KubeObject;
  /** The object as it is stored. */
  keep(shown: KubeObject): KubeObject;
}

/** A subresource that is neither status nor scale. */
export interface SubresourceType {
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of its body, where that is another than the resource's own. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
}

/** Where an object has its replicas, as simple JSON paths. */
export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A column of `kubectl get`. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description: string;
  readonly priority: number;
  /** A JSON path, or a function for what no path can say. */
  readonly value: string | ((object: KubeObject, nowMs: number) => Json);
}

/** The hooks of a built-in kind. All are pure; what is thrown is a `StatusError`. */
export interface KindBehaviour {
  /** Fills in what the server fills in, before validation. */
  prepareCreate?(object: KubeObject): KubeObject;
  prepareUpdate?(object: KubeObject, old: KubeObject): KubeObject;
  /** Problems beyond the schema's. */
  validate?(object: KubeObject, old: KubeObject | undefined): readonly Problem[];
  /** What an update of the status subresource may change; left out, it is `status` alone. */
  prepareStatusUpdate?(object: KubeObject, old: KubeObject): KubeObject;
  /** Changes what is kept when a delete marks the object instead of removing it, such as a namespace's phase. */
  prepareDelete?(object: KubeObject): KubeObject;
  /** Whether something besides `metadata.finalizers` keeps a deleted object, such as a namespace's spec.finalizers. */
  holdsDeletion?(object: KubeObject): boolean;
  /** Throws where this object may not be deleted at all. */
  checkDelete?(object: KubeObject): void;
  /** Texts for Warning headers. */
  warnings?(object: KubeObject, old: KubeObject | undefined): readonly string[];
  /** The values of selectable fields that do not stand at their path, by name without the leading dot. */
  selectableValues?(object: KubeObject): Readonly<Record<string, string>>;
  /** Whether an update of these two counts as a new generation; kinds without a generation leave this out. */
  changesGeneration?(object: KubeObject, old: KubeObject): boolean;
}

/** An object in the store. */
export interface Entry {
  readonly key: string;
  /** The revision of the last write; also the object's resourceVersion. */
  readonly revision: number;
  readonly object: KubeObject;
  /** The object as JSON text, ready to be sent. */
  readonly json: string;
  /** The last type that was found to show the object just as it is stored: kept here so that nobody looks twice. */
  plainType?: ResourceType | undefined;
  /** The last selector that the object, just as it is stored, was held against: lists come again and again. */
  verdict?: Verdict | undefined;
}

/** Whether a selector selects an object. One for each selector and outcome, shared by all objects. */
export interface Verdict {
  readonly selector: string;
  readonly isSelected: boolean;
}

/** One write, as watchers see it. */
export interface Change {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object after the write; for DELETED the last state, with the deletion's revision as its resourceVersion. */
  readonly entry: Entry;
  /** The object before the write. */
  readonly previous: Entry | undefined;
}

/** What a write wants: another object, no object, or nothing (the entry stays as it is and no revision is used). */
export type Wanted = { readonly put: KubeObject } | "delete" | "keep";

/**
 * Where objects live. Keys are `<group>/<plural>/<namespace or empty>/<name>`; lists go by prefix, in key order.
 * Promises: revisions grow by one per write and never repeat, also across crashes; what `write` resolved with is on
 * disk; readers and listeners see writes only once they are on disk, in revision order, each exactly once.
 */
export interface Store {
  /** The revision of the last write that is on disk. */
  readonly revision: number;
  get(key: string): Entry | undefined;
  /** The entries below the prefix, in key order: a snapshot that later writes do not change. */
  list(prefix: string): readonly Entry[];
  /** The list as it was at an earlier revision; undefined once that is compacted. */
  listAt(prefix: string, revision: number): readonly Entry[] | undefined;
  /**
   * One read-modify-write. `change` gets the newest state, writes that are still on their way to disk included, and the
   * revision its result will have; it may throw, and then nothing happens. Writes to any keys are strictly serial.
   * Resolves with the entry that watchers see: what was put, for "delete" the last state under the deletion's revision, for
   * "keep" the current one; undefined where there is none. What was put is frozen. Rejects with what `change` threw, or with
   * a `StoreError`.
   */
  write(key: string, change: (current: Entry | undefined, revision: number) => Wanted): Promise<Entry | undefined>;
  /** What happened after the revision, oldest first, at most `limit`; undefined once that is compacted. */
  changesAfter(revision: number, limit: number): readonly Change[] | undefined;
  /** Called after each commit. Returns how to stop. */
  subscribe(listener: () => void): () => void;
  /** Forgets history up to and including the revision. Also happens by itself; see the options. */
  compact(revision: number): void;
  close(): Promise<void>;
}

/** Who sent a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A request, from the network or from inside the process. */
export interface PlaneRequest {
  readonly method: string;
  /** Path and query, as on the wire. */
  readonly path: string;
  /** Lower case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | undefined;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** The subject of the client certificate, where the connection has one. */
  readonly certificate?: {
    readonly commonName: string;
    readonly organizations: readonly string[];
    /** SHA-256 of the certificate, in hexadecimal digits. */
    readonly fingerprint?: string;
    /** Set where another authority than ours signed it: such a one is not believed. */
    readonly isForeign?: boolean;
  };
  /** Set where the caller is the process itself and needs no authentication. */
  readonly user?: User;
}

/** An answer. */
export interface PlaneResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text, or for watches a stream that is pulled at the client's pace. */
  readonly body: string | AsyncIterable<string>;
}

/** Serves a request. Never throws: what goes wrong is an answer. */
export type Handler = (request: PlaneRequest) => Promise<PlaneResponse>;

/** A path taken apart. */
export interface RequestInfo {
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
  readonly subresource: string;
  readonly name: string;
  /** What follows the subresource. */
  readonly rest: readonly string[];
}

/** Tells the time; tests give their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after the delay. Returns how to call it off. */
  after(delayMs: number, callback: () => void): () => void;
}
