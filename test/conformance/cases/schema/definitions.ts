// SPDX-License-Identifier: Apache-2.0
import { crd } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";
import { objectOf } from "./kinds.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

type Refused = (group: string) => JsonObject;

/** A case in which each of the CRDs is refused. */
function refuses(name: string, definitions: readonly Refused[]): Case {
  return {
    name,
    answers: definitions.map(() => 422),
    async run(t) {
      for (const define of definitions) await t.request("POST", `${CRDS}?dryRun=All`, define(t.group));
    },
  };
}

/** A CRD whose spec has this schema. */
function withSpec(spec: JsonObject): Refused {
  return (group) => crd({ group, kind: "Box", spec });
}

function withRule(rule: JsonObject, type: JsonObject = { type: "string" }): Refused {
  return withSpec(objectOf({ field: { ...type, "x-kubernetes-validations": [rule] } }));
}

/** A CRD with other things than its schema changed. */
function withFields(fields: (group: string) => JsonObject): Refused {
  return (group) => {
    const definition = crd({ group, kind: "Box" });
    return { ...definition, spec: { ...(definition.spec as JsonObject), ...fields(group) } };
  };
}

export const definitions: readonly Case[] = [
  refuses("a CRD is named after its plural and group", [
    (group) => ({ ...crd({ group, kind: "Box" }), metadata: { name: `boxes.${group}` } }),
    () => crd({ group: "no-dot", kind: "Box" }),
  ]),
  refuses("a CRD needs a schema, and types all through it", [
    withFields(() => ({ versions: [{ name: "v1", served: true, storage: true }] })),
    withSpec(objectOf({ field: {} })),
    withSpec(objectOf({ list: { type: "array" } })),
    withSpec(objectOf({ field: { type: "text" } })),
  ]),
  refuses("a schema may not say what structural schemas cannot", [
    withSpec(objectOf({ list: { type: "array", items: { type: "string" }, uniqueItems: true } })),
    withSpec(objectOf({ a: { type: "string" } }, { additionalProperties: { type: "string" } })),
    withSpec(objectOf({}, { anyOf: [{ properties: { a: { type: "string" } } }] })),
    withSpec(objectOf({ a: { type: "string", pattern: "(" } })),
  ]),
  refuses("a default must be valid and complete", [
    withSpec(objectOf({ field: { type: "integer", default: "one" } })),
    withSpec(objectOf({ field: { ...objectOf({ a: { type: "string" } }), default: { b: "unknown" } } })),
  ]),
  refuses("a list of type map needs keys that its items have", [
    withSpec(
      objectOf({
        list: { type: "array", items: objectOf({ a: { type: "string" } }), "x-kubernetes-list-type": "map" },
      }),
    ),
    withSpec(
      objectOf({
        list: {
          type: "array",
          items: objectOf({ a: { type: "string" } }),
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["a"],
        },
      }),
    ),
  ]),
  refuses("a rule must give true or false and use fields that are there", [
    withRule({ rule: "self + 'a'" }),
    withRule({ rule: "self.missing == 1" }),
    withRule({ rule: "" }),
  ]),
  refuses("a rule's message is one line, its field exists, and its reason is known", [
    withRule({ rule: "self == 'a'", message: "two\nlines" }),
    withRule({ rule: "self == 'a'", fieldPath: ".missing" }),
    withRule({ rule: "self == 'a'", reason: "JustBecause" }),
    withRule({ rule: "self == 'a'", messageExpression: "1 + 1" }),
  ]),
  {
    name: "a rule must be an expression",
    answers: [422],
    async run(t) {
      await t.request("POST", CRDS, withRule({ rule: "self ==" })(t.group), { words: false });
    },
  },
  refuses("rules may not cost too much", [
    withRule({ rule: "self.all(x, self.all(y, x == y))" }, { type: "array", items: { type: "string" } }),
  ]),
  refuses("a CRD stores exactly one version, and each has a name of its own", [
    withFields(() => ({ versions: [] })),
    (group) => {
      const definition = crd({ group, kind: "Box" });
      const spec = definition.spec as JsonObject & { versions: JsonObject[] };
      return { ...definition, spec: { ...spec, versions: [...spec.versions, ...spec.versions] } };
    },
  ]),
  refuses("a CRD's names are lower case labels, its kind is not a list", [
    withFields(() => ({ names: { plural: "boxs", singular: "Box", kind: "box_", listKind: "box_" } })),
    withFields(() => ({ scope: "Galaxy" })),
  ]),
  refuses("groups of Kubernetes itself need an approval", [() => crd({ group: "stable.k8s.io", kind: "Box" })]),
  refuses("printer columns and selectable fields must point at something", [
    (group) => crd({ group, kind: "Box", columns: [{ name: "Size", type: "sizeable", jsonPath: "spec.size" }] }),
    (group) => crd({ group, kind: "Box", selectableFields: [{ jsonPath: ".spec.missing" }] }),
    (group) =>
      crd({ group, kind: "Box", subresources: { scale: { specReplicasPath: "spec", statusReplicasPath: "" } } }),
  ]),
];
