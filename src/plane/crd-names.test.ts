// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptNames, hasItsNames } from "./crd-names.ts";
import { asCrd, type CrdNames, type CustomResourceDefinition } from "./crd-types.ts";

function crd(names: CrdNames, acceptedNames?: CrdNames): CustomResourceDefinition {
  return asCrd({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.example.com` },
    spec: { group: "example.com", scope: "Cluster", names, versions: [] },
    ...(acceptedNames === undefined ? {} : { status: { acceptedNames } }),
  });
}

const widget: CrdNames = {
  plural: "widgets",
  singular: "widget",
  shortNames: ["wd"],
  kind: "Widget",
  listKind: "WidgetList",
};
const gadget: CrdNames = {
  plural: "gadgets",
  singular: "gadget",
  shortNames: ["gd"],
  kind: "Gadget",
  listKind: "GadgetList",
};
const taken = crd(widget, widget);

test("names that nobody has are accepted", () => {
  const { acceptedNames, namesAccepted } = acceptNames(crd(gadget), [taken]);
  assert.deepEqual(acceptedNames, gadget);
  assert.deepEqual([namesAccepted.status, namesAccepted.reason], ["True", "NoConflicts"]);
  assert.equal(hasItsNames(crd(gadget, acceptedNames)), true);
});

test("a name that a neighbour was given first is refused, the others are accepted", () => {
  const outcome = (names: CrdNames) => {
    const { acceptedNames, namesAccepted } = acceptNames(crd(names), [taken]);
    return [namesAccepted.reason, namesAccepted.message, acceptedNames.plural, acceptedNames.kind];
  };
  assert.deepEqual(outcome({ ...gadget, kind: "Widget" }), [
    "KindConflict",
    '"Widget" is already in use',
    "gadgets",
    "",
  ]);
  assert.deepEqual(outcome({ ...gadget, singular: "widgets" })[0], "SingularConflict");
  assert.deepEqual(
    outcome({ ...gadget, shortNames: ["wd", "widget"] })[1],
    '["wd" is already in use, "widget" is already in use]',
  );
  assert.deepEqual(outcome({ ...gadget, listKind: "Widget" })[0], "ListKindConflict");
});

test("names of other groups, and one's own, are no hindrance", () => {
  const other = asCrd({ ...taken, spec: { ...taken.spec, group: "other.com" } });
  assert.equal(acceptNames(crd({ ...gadget, kind: "Widget" }), [other]).namesAccepted.status, "True");
  assert.equal(acceptNames(taken, [taken]).namesAccepted.status, "True");
});
