// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { asCrd, typesOf } from "./crd-types.ts";
import { compareVersions, createRegistry, storageKey } from "./registry.ts";
import type { ResourceType } from "./types.ts";

function widgets(...versions: string[]): readonly ResourceType[] {
  return typesOf(
    asCrd({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: versions.map((name, index) => ({ name, served: true, storage: index === 0 })),
      },
    }),
  );
}

test("stable versions come before beta before alpha, newer before older, others last by name", () => {
  const versions = ["foo10", "v1alpha1", "v3beta1", "v1", "v11beta2", "v10", "v2", "foo1", "v10beta3", "v12alpha1"];
  assert.deepEqual(versions.toSorted(compareVersions), [
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v1alpha1",
    "foo1",
    "foo10",
  ]);
});

test("custom types are found while they are served, by path and by kind", () => {
  const registry = createRegistry([]);
  let changes = 0;
  const unsubscribe = registry.subscribe(() => {
    changes += 1;
  });
  registry.setCustomTypes(widgets("v1beta1", "v1"));
  assert.equal(registry.find("example.com", "v1", "widgets")?.kind, "Widget");
  assert.equal(registry.findKind("example.com", "Widget")?.version, "v1");
  assert.equal(registry.findKind("example.com", "Widget", "v1beta1")?.version, "v1beta1");
  assert.deepEqual(registry.groups(), [{ name: "example.com", versions: ["v1", "v1beta1"] }]);
  registry.setCustomTypes([]);
  assert.equal(registry.find("example.com", "v1", "widgets"), undefined);
  assert.equal(changes, 2);
  unsubscribe();
});

test("all versions of a resource share its objects, and it is one resource", () => {
  const registry = createRegistry([]);
  registry.setCustomTypes(widgets("v1", "v1beta1"));
  const keys = registry.all().map((type) => storageKey(type, "a", "b"));
  assert.deepEqual(keys, ["example.com/widgets/a/b", "example.com/widgets/a/b"]);
  assert.equal(registry.resources().length, 1);
});
