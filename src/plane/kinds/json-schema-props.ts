// SPDX-License-Identifier: Apache-2.0
import {
  anything,
  boolean,
  int64,
  list,
  listBy,
  map,
  named,
  needed,
  number,
  of,
  optional,
  pointer,
  type Struct,
  struct,
  text,
  type ValueType,
} from "./fields.ts";

const DEFINITIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

const self: ValueType = { is: "struct", struct: () => jsonSchemaProps };
const opaqueSelf: ValueType = { ...self, isOpaque: true };

function selfOr(other: "boolean" | "structs" | "texts"): ValueType {
  return { is: "struct or", struct: () => jsonSchemaProps, other };
}

const externalDocs = struct(`${DEFINITIONS}.ExternalDocumentation`, "A link to documentation.", {
  description: optional(text, "What is there."),
  url: optional(text, "Where it is."),
});

const validationRule = struct(`${DEFINITIONS}.ValidationRule`, "A CEL rule that a value must follow.", {
  rule: needed(text, "The CEL expression; the value is self, the one before an update oldSelf."),
  message: optional(text, "What to say when the rule is broken."),
  messageExpression: optional(text, "A CEL expression that makes the message."),
  reason: pointer(
    named("v1.FieldValueErrorReason", [
      "FieldValueDuplicate",
      "FieldValueForbidden",
      "FieldValueInvalid",
      "FieldValueRequired",
    ]),
    "The reason to give when the rule is broken.",
  ),
  fieldPath: optional(text, "The field to name when the rule is broken."),
  optionalOldSelf: pointer(boolean, "Whether the rule also runs where there is no old value."),
});

/** A JSON schema as a CustomResourceDefinition carries it. */
export const jsonSchemaProps: Struct = struct(`${DEFINITIONS}.JSONSchemaProps`, "A JSON schema.", {
  id: optional(text, "Not supported."),
  $schema: optional({ is: "text", go: "v1.JSONSchemaURL" }, "Not supported."),
  $ref: pointer(text, "Not supported."),
  description: optional(text, "What the value is."),
  type: optional(text, "object, array, string, integer, number or boolean."),
  format: optional(text, "A form that text or numbers must have, such as date-time or int32."),
  title: optional(text, "A name for the value."),
  default: pointer(anything, "The value where none is given."),
  maximum: pointer(number, "The largest number."),
  exclusiveMaximum: optional(boolean, "Whether the largest number itself is too large."),
  minimum: pointer(number, "The smallest number."),
  exclusiveMinimum: optional(boolean, "Whether the smallest number itself is too small."),
  maxLength: pointer(int64, "The most characters."),
  minLength: pointer(int64, "The fewest characters."),
  pattern: optional(text, "A regular expression that text must match."),
  maxItems: pointer(int64, "The most items."),
  minItems: pointer(int64, "The fewest items."),
  uniqueItems: optional(boolean, "Not supported; see x-kubernetes-list-type."),
  multipleOf: pointer(number, "What numbers must be a multiple of."),
  enum: optional(list(anything), "The values there are."),
  maxProperties: pointer(int64, "The most properties."),
  minProperties: pointer(int64, "The fewest properties."),
  required: optional(list(text), "Properties that must be there."),
  items: pointer(selfOr("structs"), "The schema of a list's items."),
  allOf: optional(list(opaqueSelf), "Schemas that must all hold."),
  oneOf: optional(list(opaqueSelf), "Schemas of which exactly one must hold."),
  anyOf: optional(list(opaqueSelf), "Schemas of which one must hold."),
  not: pointer(opaqueSelf, "A schema that must not hold."),
  properties: optional(map(self), "The schemas of named properties."),
  additionalProperties: pointer(selfOr("boolean"), "The schema of all other properties."),
  patternProperties: optional(map(opaqueSelf), "Not supported."),
  dependencies: optional(map(selfOr("texts"), { go: "v1.JSONSchemaDependencies" }), "Not supported."),
  additionalItems: pointer(selfOr("boolean"), "Not supported."),
  definitions: optional(map(opaqueSelf, { go: "v1.JSONSchemaDefinitions" }), "Not supported."),
  externalDocs: pointer(of(externalDocs), "Where more is written."),
  example: pointer(anything, "A value, as an example."),
  nullable: optional(boolean, "Whether null is a value."),
  "x-kubernetes-preserve-unknown-fields": pointer(
    boolean,
    "Whether properties that the schema does not name are kept.",
  ),
  "x-kubernetes-embedded-resource": optional(boolean, "Whether the value is a whole Kubernetes object."),
  "x-kubernetes-int-or-string": optional(boolean, "Whether the value is an integer or text."),
  "x-kubernetes-list-map-keys": optional(list(text), "The properties by which items of a map-like list are known."),
  "x-kubernetes-list-type": pointer(text, "How lists merge: atomic, set or map."),
  "x-kubernetes-map-type": pointer(text, "How objects merge: granular or atomic."),
  "x-kubernetes-validations": optional(
    listBy("rule", of(validationRule), { go: "v1.ValidationRules" }),
    "CEL rules that the value must follow.",
  ),
});
