// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../schema/index.ts";
import type { KubeObject } from "../types.ts";
import { applyPatch } from "./apply-patch.ts";
import { PatchError } from "./patch-error.ts";
import { frozen, objectOf } from "./testing/objects.ts";
import { thing } from "./testing/thing.ts";

interface Options {
  readonly by?: string;
  readonly force?: boolean;
  readonly time?: string;
}

function apply(
  live: KubeObject | undefined,
  spec: Json,
  { by = "a", force = false, time = "2026-01-01T00:00:01Z" }: Options = {},
): KubeObject {
  const { apiVersion, kind, schema } = thing;
  const config = frozen({ apiVersion, kind, metadata: { name: "x" }, spec });
  const { object } = applyPatch({ live, config, manager: by, force, schema, time });
  return frozen({ ...object, metadata: { uid: "uid-of-x", ...object.metadata } });
}

test("an apply that changes nothing returns the object that is there, so that nothing is written", () => {
  const live = apply(undefined, { text: "x", items: [{ name: "n" }], set: ["s"] });
  const { apiVersion, kind, schema } = thing;
  const config = { apiVersion, kind, metadata: { name: "x" }, spec: { set: ["s"], items: [{ name: "n" }], text: "x" } };
  const applied = applyPatch({ live, config, manager: "a", force: false, schema, time: "2026-01-01T00:00:09Z" });
  assert.equal(applied.object, live);
});

test("neither the live object nor the configuration is changed", () => {
  const first = apply(undefined, { items: [{ name: "a", tags: ["x"] }], open: { a: { b: 1 } } });
  const second = apply(first, { items: [{ name: "b" }], open: { a: { c: 2 } } }, { by: "b" });
  assert.deepEqual(apply(second, {}).spec, { items: [{ name: "b" }], open: { a: { c: 2 } } });
});

test("conflicts are thrown in the server's words, grouped by manager, with a cause each", () => {
  const first = apply(undefined, { text: "x", map: { k: "v" } });
  const second = apply(first, { number: 1 }, { by: "b" });
  const causes = [
    { reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".spec.text" },
    { reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".spec.map.k" },
    { reason: "FieldManagerConflict", message: 'conflict with "b"', field: ".spec.number" },
  ];
  const message =
    'Apply failed with 3 conflicts: conflicts with "a":\n- .spec.text\n- .spec.map.k\nconflicts with "b":\n- .spec.number';
  assert.throws(
    () => apply(second, { text: "y", map: { k: "w" }, number: 2 }, { by: "c" }),
    new PatchError("conflict", message, causes),
  );
});

test("a configuration of another kind is refused", () => {
  const live = objectOf({});
  const write = { live, manager: "a", force: false, schema: thing.schema, time: "2026-01-01T00:00:01Z" };
  const refusals: readonly (readonly [unknown, string])[] = [
    [{ apiVersion: "v1", kind: "Secret" }, "invalid object type: /v1, Kind=Secret"],
    [{ apiVersion: "g/v1" }, "invalid object type: g/v1, Kind="],
    [{ apiVersion: "a/b/c", kind: "K" }, "invalid object type: /, Kind="],
    [{}, "invalid object type: /, Kind="],
    [null, "invalid object type: /, Kind="],
    [
      [],
      "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
  ];
  for (const [config, message] of refusals)
    assert.throws(() => applyPatch({ ...write, config }), new PatchError("badRequest", message));
});

test("what is nested too deep is refused and does not end the process", () => {
  let deep: Json = 1;
  for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
  const { apiVersion, kind, schema } = thing;
  const config = { apiVersion, kind, spec: { open: deep } };
  const write = { live: undefined, manager: "a", force: false, schema, time: "2026-01-01T00:00:01Z" };
  assert.throws(() => applyPatch({ ...write, config }), { reason: "badRequest" });
});

test("keys of the prototype are keys like any other", () => {
  const live = apply(undefined, { open: JSON.parse('{"__proto__":{"x":1},"constructor":1}') });
  const both = apply(live, { open: JSON.parse('{"__proto__":{"y":2}}') }, { by: "b" });
  assert.equal(JSON.stringify(both.spec), '{"open":{"__proto__":{"x":1,"y":2},"constructor":1}}');
  assert.equal(JSON.stringify(apply(both, {}).spec), '{"open":{"__proto__":{"y":2}}}');
});

test("lists of thousands of items are applied without comparing each with each", () => {
  const items = Array.from({ length: 5_000 }, (_, index) => ({ name: `n${index}`, value: "v" }));
  const live = apply(undefined, { items });
  const next = apply(live, { items: items.slice(1).reverse() });
  assert.equal(Object(next.spec).items.length, 4_999);
});
