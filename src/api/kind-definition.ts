// SPDX-License-Identifier: Apache-2.0
import type { z } from "zod";
import type { Json, ValidationRule } from "../schema/types.ts";

/** A column of `kubectl get`. `wide` ones show with `-o wide` only. */
export interface Column {
  name: string;
  type: "string" | "integer" | "boolean" | "date";
  jsonPath: string;
  wide?: boolean;
}

/** What one file of `src/api` states about its kind; everything else is derived from it. */
export interface KindDefinition<Spec extends z.ZodObject = z.ZodObject, Status extends z.ZodObject = z.ZodObject> {
  kind: string;
  plural: string;
  shortName: string;
  scope: "Namespaced" | "Cluster";
  /** One or two sentences: what an object of this kind is for. */
  description: string;
  spec: Spec;
  /** Whether an object may leave `spec` out altogether. */
  specOptional?: boolean;
  status: Status;
  /** Given to `status` when it is absent, so that a new object shows its phase at once. */
  statusDefault?: Json;
  /** Rules that need more than `spec` alone; they stand at the object's root. */
  rules?: readonly ValidationRule[];
  columns: readonly Column[];
  /** What each phase of `status.phase` means; printed in the reference. */
  phases?: Readonly<Record<string, string>>;
  /** A hint for the reader of the reference: what to know that no field says. */
  notes?: readonly string[];
  /** Rewrites an older shape of the kind; see `Kind.normalise`. */
  normalise?(object: KubernetesObject): Normalised;
}

/** An object of any kind as it comes from a file or a server. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name?: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    generation?: number;
    uid?: string;
    resourceVersion?: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    finalizers?: string[];
  };
}

/** An object in today's shape, and what its author should know about the shape it came in. */
export interface Normalised {
  object: KubernetesObject;
  warnings: readonly Warning[];
}

/** Something deprecated that still works; `path` is where it stands in the object as it was written. */
export interface Warning {
  path: readonly (string | number)[];
  message: string;
}
