// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { findKind, kinds } from "./kinds.ts";
import { providers } from "./providers/index.ts";
import type { Schema } from "./schema/types.ts";

test("a kind is found by any of its names", () => {
  for (const name of ["MachineRequest", "machinerequests", "machinerequest", "MR"]) {
    assert.equal(findKind(name)?.kind, "MachineRequest");
  }
  assert.equal(findKind("machine"), undefined);
});

test("there are nine kinds, each with names of its own", () => {
  assert.equal(kinds.length, 9);
  const names = kinds.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]);
  assert.equal(new Set(names).size, names.length);
});

test("every provider has a block in ProviderConfig, a place in the other kinds, and keys for its Secret", () => {
  const spec = (kind: string) => findKind(kind)?.schema().properties?.spec?.properties;
  for (const { name, secretKeys } of providers) {
    assert.ok(spec("ProviderConfig")?.[name], name);
    assert.ok(spec("TenantCluster")?.infrastructureOverride?.properties?.[name], name);
    assert.ok(spec("ClusterBootstrap")?.provider?.enum?.includes(name), name);
    assert.ok(secretKeys.length > 0, name);
  }
  assert.equal(providers.length, 6);
});

test("every field has a description that is a sentence", () => {
  for (const kind of kinds) {
    for (const [path, { description }] of fieldsOf(kind.schema(), "")) {
      assert.match(description ?? "", /^[A-Z`0-9].+[.`]$/s, `${kind.kind} ${path}: ${description}`);
    }
  }
});

test("every kind has the status subresource and shows its age", () => {
  for (const kind of kinds) {
    const [version] = kind.crd().spec.versions;
    assert.deepEqual(version?.subresources, { status: {} });
    assert.equal(version?.additionalPrinterColumns.at(-1)?.name, "Age");
  }
});

function* fieldsOf(schema: Schema, path: string): Generator<[string, Schema]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const here = `${path}.${name}`;
    if (here !== ".metadata") yield [here, field];
    yield* fieldsOf(field, here);
    yield* fieldsOf(field.items ?? {}, `${here}[]`);
  }
}
