// SPDX-License-Identifier: Apache-2.0
import type { Registry } from "../registry.ts";
import type { Clock, KubeObject, ResourceType, Store, User } from "../types.ts";

/** What the verbs work on. */
export interface Machinery {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly admission: readonly AdmissionFunction[];
}

/** Where names and ids come from; tests give their own. */
export interface Randomness {
  uid(): string;
  /** The five characters behind a generateName. */
  suffix(): string;
}

/** A write that is about to happen. */
export interface AdmissionReview {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The object to be stored; undefined for a delete. */
  readonly object: KubeObject | undefined;
  /** The object as it is; undefined for a create. */
  readonly old: KubeObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
}

/** What admission makes of a write: another object, warnings, or neither. */
export interface AdmissionAnswer {
  readonly object?: KubeObject;
  readonly warnings?: readonly string[];
}

/**
 * Looks at writes before they are validated and may change or refuse them, as an admission webhook would; it refuses by
 * throwing a `StatusError`. It runs in the middle of the write, so it is synchronous.
 */
export type AdmissionFunction = (review: AdmissionReview) => AdmissionAnswer | undefined;

/** Who writes when the process itself does. */
export const SERVER_USER: User = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** A time as Kubernetes writes it in metadata: whole seconds, UTC. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
