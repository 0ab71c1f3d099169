// SPDX-License-Identifier: Apache-2.0

/** Any value that JSON can carry. Integers beyond 2^53 are not kept exactly. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** One entry of `x-kubernetes-validations`: a CEL rule that must hold for the value it stands on. */
export interface ValidationRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/** A schema as a CustomResourceDefinition carries it (apiextensions.k8s.io/v1 JSONSchemaProps). */
export interface Schema {
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  format?: string;
  title?: string;
  description?: string;
  default?: Json;
  example?: Json;
  nullable?: boolean;
  enum?: readonly Json[];

  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;

  minLength?: number;
  maxLength?: number;
  pattern?: string;

  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;

  properties?: { readonly [name: string]: Schema };
  additionalProperties?: Schema | boolean;
  required?: readonly string[];
  minProperties?: number;
  maxProperties?: number;

  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  not?: Schema;

  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  "x-kubernetes-list-map-keys"?: readonly string[];
  "x-kubernetes-map-type"?: "atomic" | "granular";
  "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** Where in an object: property names and list indexes, from the root. */
export type Path = readonly (string | number)[];

/** The reasons an API server gives in the causes of a 422, in its own words. */
export type ProblemReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError";

/** One thing that is wrong with an object, as an API server would report it. */
export interface Problem {
  reason: ProblemReason;
  /** Structured, for finding the place in a file. */
  path: Path;
  /** As printed: `spec.extraDisks[0].sizeGB`, `metadata.labels[a.b/c]`, `<nil>` for the root. */
  field: string;
  /** What a Status cause's `message` says: `Invalid value: 0: spec.cpu in body should be ...`. */
  message: string;
}
