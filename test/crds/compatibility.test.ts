// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { CustomResourceDefinition } from "../../src/api/crd.ts";
import { findKind, kinds } from "../../src/kinds.ts";
import { parseYaml } from "../../src/lib/yaml.ts";
import type { Schema } from "../../src/schema/types.ts";
import { losses } from "./compare.ts";

const folder = join(import.meta.dirname, "previous");
const previous = globSync("*.yaml", { cwd: folder }).map(
  (file) => parseYaml(readFileSync(join(folder, file), "utf8"))[0]?.value as unknown as CustomResourceDefinition,
);
const page = readFileSync(join(import.meta.dirname, "../../docs/compatibility.md"), "utf8");
const named = [...page.matchAll(/^- `([^`]+)`$/gm)].map(([, finding = ""]) => finding);

test("what is accepted no more, or means something else, is named in docs/compatibility.md, and nothing else is", () => {
  const found = previous.flatMap((crd) => {
    const kind = findKind(crd.spec.names.kind);
    return kind === undefined ? [`${crd.spec.names.kind} removed`] : losses(crd, kind.crd());
  });
  assert.deepEqual(found.toSorted(), named.toSorted());
});

test("every kind has its previous CRD", () => {
  const known = previous.map((crd) => crd.spec.names.kind).sort();
  assert.deepEqual(known, kinds.map(({ kind }) => kind).sort());
});

describe("the comparison sees", () => {
  const fields: Record<string, Schema> = {
    a: { type: "string", enum: ["x", "y"], minLength: 1, maxLength: 9, pattern: "^x$" },
    b: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    c: { type: "array", maxItems: 3, items: { type: "object", properties: { d: { type: "string" } } } },
    e: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    f: { type: "object", additionalProperties: { type: "string" } },
    g: { type: "string", nullable: true },
  };
  const base: Schema = { type: "object", required: ["a"], properties: fields };

  const rows: readonly (readonly [name: string, field: string, next: Schema | undefined, finding: string])[] = [
    ["a field that is gone", "b", undefined, "b: removed"],
    ["a nested field that is gone", "c", { ...fields.c, items: { type: "object" } }, "c[].d: removed"],
    ["a value that is refused", "a", { ...fields.a, enum: ["x"] }, "a: y is refused"],
    ["a list of values where any was fine", "g", { ...fields.g, enum: ["x"] }, "g: only x"],
    ["a higher minimum", "b", { ...fields.b, minimum: 2 }, "b: minimum is 2"],
    ["a lower maximum", "b", { ...fields.b, maximum: 8 }, "b: maximum is 8"],
    ["a shorter text", "a", { ...fields.a, maxLength: 8 }, "a: maxLength is 8"],
    ["a shorter list", "c", { ...fields.c, maxItems: 2 }, "c: maxItems is 2"],
    ["another pattern", "a", { ...fields.a, pattern: "^y$" }, 'a: pattern changed from "^x$" to "^y$"'],
    ["a new pattern", "g", { ...fields.g, pattern: "^y$" }, 'g: pattern changed from none to "^y$"'],
    ["another type", "b", { ...fields.b, type: "string" }, 'b: type changed from "integer" to "string"'],
    ["another default", "b", { ...fields.b, default: 4 }, "b: default changed from 3 to 4"],
    ["a new rule", "b", { ...fields.b, "x-kubernetes-validations": [{ rule: "self > 0", message: "no" }] }, "b: no"],
    ["fields that are dropped", "e", { type: "object" }, "e: unknown fields are dropped"],
    ["a closed map", "f", { type: "object" }, "f: unknown fields are dropped"],
    ["an open object with a field that is typed", "e", { ...fields.e, properties: { x: {} } }, "e.x: is checked"],
    [
      "a keyword that nobody compared before",
      "b",
      { ...fields.b, multipleOf: 2 },
      "b: multipleOf changed from none to 2",
    ],
    [
      "a pattern that only begins like the old one",
      "a",
      { ...fields.a, pattern: "^(x|y)z(a)$" },
      'a: pattern changed from "^x$" to "^(x|y)z(a)$"',
    ],
    [
      "items of another type",
      "c",
      { ...fields.c, items: { type: "object", properties: { d: { type: "integer" } } } },
      'c[].d: type changed from "string" to "integer"',
    ],
    ["null refused", "g", { type: "string" }, "g: is not nullable"],
  ];
  for (const [name, field, next, finding] of rows) {
    test(name, () => {
      const { [field]: _, ...others } = fields;
      const properties = next === undefined ? others : { ...fields, [field]: next };
      assert.deepEqual(losses(crdOf(base), crdOf({ ...base, properties })), [`Thing ${finding}`]);
    });
  }

  test("a field that is required now", () => {
    assert.deepEqual(losses(crdOf(base), crdOf({ ...base, required: ["a", "b"] })), ["Thing b: is required"]);
  });

  test("names, scope, versions and columns that are gone", () => {
    const [before, after] = [crdOf(base), crdOf(base)];
    after.spec.scope = "Cluster";
    after.spec.names.shortNames = [];
    after.spec.names.plural = "items";
    const [version] = after.spec.versions;
    assert.ok(version);
    version.additionalPrinterColumns = [];
    Object.assign(version, { subresources: {} });
    assert.deepEqual(losses(before, after), [
      "Thing scope changed from Namespaced",
      "Thing plural changed from things",
      "Thing short name th removed",
      "Thing subresource status removed",
      "Thing column Phase removed",
    ]);
    version.additionalPrinterColumns = [{ name: "Phase", type: "string", jsonPath: ".status.other" }];
    assert.ok(losses(before, after).includes("Thing column Phase changed"));
    version.served = false;
    assert.ok(losses(before, after).includes("Thing version v1 removed"));
    after.spec.versions = [];
    assert.ok(losses(before, after).includes("Thing version v1 removed"));
  });

  test("no loss in what is only added or wider", () => {
    const wider: Schema = {
      type: "object",
      properties: { ...fields, z: { type: "string" }, a: { type: "string", pattern: "^(x|y)$", default: "x" } },
    };
    assert.deepEqual(losses(crdOf(base), crdOf(wider)), []);
  });
});

function crdOf(schema: Schema): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing", shortNames: ["th"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          additionalPrinterColumns: [{ name: "Phase", type: "string", jsonPath: ".status.phase" }],
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
      ],
    },
  };
}
