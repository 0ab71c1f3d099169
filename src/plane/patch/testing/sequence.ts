// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../../schema/go-text.ts";
import type { Json, Schema } from "../../../schema/index.ts";
import type { ResourceType } from "../../types.ts";
import type { JsonObject } from "../json-object.ts";

/** A kind that sequences are run on. */
export interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly isCustom: boolean;
  readonly hasStatus: boolean;
  readonly schema: Schema;
  /**
   * For kinds that the server fills in: what our functions lead to has to be in its answer, and of what it filled in besides
   * only managedFields are compared.
   */
  readonly isFilledIn?: boolean;
  /** The plane's own type of a built-in kind, to read objects with; only managedFields are compared. */
  readonly type?: ResourceType;
}

/** What is asked of a server, and by which manager. */
export type Step = {
  readonly by: string;
  /** The path below the object's own. */
  readonly subresource?: "status";
} & Request;

/** Objects may leave out who they are. */
type Request =
  | { readonly create: JsonObject }
  | { readonly update: (live: JsonObject) => JsonObject }
  | { readonly merge: Json }
  | { readonly json: Json }
  | { readonly strategic: Json }
  | { readonly apply: Json; readonly force?: boolean };

/** Requests one after the other, on one object. */
export interface Sequence {
  readonly name: string;
  readonly subject: Subject;
  readonly steps: readonly Step[];
}

/** What a server said: the object, or why not. */
export type Answer = { readonly object: JsonObject } | { readonly refusal: Refusal };

export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly causes: readonly Json[];
}

/** An object as it is sent: with its type and name, where it does not say otherwise. */
export function addressed({ apiVersion, kind }: Subject, object: Json, name: string): Json {
  if (!isObject(object)) return object;
  const metadata = isObject(object.metadata) ? { name, ...object.metadata } : (object.metadata ?? { name });
  return { apiVersion, kind, ...object, metadata };
}
