// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ResourceType, User } from "../types.ts";

/** Names one object of a type; the namespace is empty for cluster-scoped ones. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** What every write may carry. */
export interface WriteOptions {
  /** Who asks; the process itself when left out, which admission is told as `system:apiserver`. */
  readonly user?: User;
  /** For managedFields. */
  readonly manager?: string;
  /** Everything is done but the write. */
  readonly dryRun?: boolean;
  /** What becomes of fields that the schema does not know. Warn when left out. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** `status`, `scale` or `finalize`; empty for the object itself. */
  readonly subresource?: string;
  /** What strict decoding has already found in the body, such as keys given twice. */
  readonly strictErrors?: readonly string[];
  /** Called before something is created by an update or apply; throws where that is not allowed. */
  readonly authorizeCreate?: () => void;
}

/** What a write led to. */
export interface Written {
  /** The object as it is now, or was last. */
  readonly object: KubeObject;
  /** The same as JSON text. */
  readonly json: string;
  /** Whether it did not exist before. */
  readonly isNew: boolean;
  /** Whether it is gone now. */
  readonly isGone: boolean;
  /** Texts for Warning headers. */
  readonly warnings: readonly string[];
}

/** How to delete, as in `DeleteOptions`. */
export interface DeleteOptions {
  readonly user?: User;
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** A patch and what kind of patch it is. */
export type Patch =
  | { readonly type: "json"; readonly operations: unknown }
  | { readonly type: "merge" | "strategic"; readonly body: unknown }
  | { readonly type: "apply"; readonly body: unknown; readonly force: boolean };

/**
 * The verbs, as the HTTP handlers and the lifecycle controllers use them. Every rule of the API holds for both; only
 * authorization is the handler's. What cannot be done is thrown as a `StatusError`.
 */
export interface Objects {
  get(type: ResourceType, key: ObjectKey): KubeObject | undefined;
  createObject(type: ResourceType, namespace: string, object: KubeObject, options?: WriteOptions): Promise<Written>;
  /** With a function in place of the object: what the newest state becomes; it may return that state to change nothing. */
  updateObject(
    type: ResourceType,
    key: ObjectKey,
    object: KubeObject | ((current: KubeObject) => KubeObject),
    options?: WriteOptions,
  ): Promise<Written>;
  patchObject(type: ResourceType, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<Written>;
  deleteObject(type: ResourceType, key: ObjectKey, options?: DeleteOptions): Promise<Written>;
}
