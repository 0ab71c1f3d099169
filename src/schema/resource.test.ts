// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileResource, type Resource } from "./resource.ts";
import type { Json, Schema } from "./types.ts";

const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["cpu"],
      properties: {
        cpu: { type: "integer", minimum: 1 },
        role: { type: "string", default: "worker", enum: ["worker", "control-plane"] },
        labels: { type: "object", additionalProperties: { type: "string" } },
        disks: {
          type: "array",
          items: { type: "object", properties: { size: { type: "integer", default: 10 } } },
        },
      },
      "x-kubernetes-validations": [
        { rule: "self.cpu < 5 || self.role == 'worker'", message: "too large", fieldPath: ".cpu" },
      ],
    },
    status: { type: "object", properties: { phase: { type: "string", maxLength: 3 } } },
  },
};

const resource = compileResource(schema, { scope: "Namespaced" });

const thing = (spec: Json, metadata: Json = { name: "x" }) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata,
  spec,
});

function texts(problems: ReturnType<Resource["validate"]>): string[] {
  return problems.map(({ field, message }) => `${field}: ${message}`);
}

test("all problems are given at once, each with its place", () => {
  const { problems } = resource.admit(thing({ cpu: 0, labels: { "a.b": 1 } }, { name: "X" }));
  assert.deepEqual(
    problems.map(({ path }) => path),
    [["metadata", "name"], ["spec", "cpu"], ["spec", "labels", "a.b"], []],
  );
  assert.equal(texts(problems)[1], "spec.cpu: Invalid value: 0: spec.cpu in body should be greater than or equal to 1");
});

test("rules run beside wrong ranges, but not beside wrong types", () => {
  const beside = resource.admit(thing({ cpu: -5, role: "control-plane" })).problems;
  assert.equal(beside.length, 1);
  const large = resource.admit(thing({ cpu: 9, role: "control-plane" })).problems;
  assert.deepEqual(texts(large), ["spec.cpu: Invalid value: too large"]);
  const wrong = resource.admit(thing({ cpu: "9", role: "control-plane" })).problems;
  assert.match(texts(wrong).at(-1) ?? "", /some validation rules were not checked/);
});

test("the object that comes back is pruned and defaulted, the one given is unchanged", () => {
  const given = thing({ cpu: 1, disks: [{}, { size: 5, colour: "red" }], other: 1 }, { name: "x", odd: 1 });
  const before = structuredClone(given);
  const { object, problems, unknownFields } = resource.admit(given);
  assert.deepEqual(given, before);
  assert.deepEqual(problems, []);
  assert.deepEqual(object, thing({ cpu: 1, role: "worker", disks: [{ size: 10 }, { size: 5 }] }));
  assert.deepEqual(
    unknownFields.map(({ field }) => field),
    ["metadata.odd", "spec.disks[1].colour", "spec.other"],
  );
});

test("strictly, unknown fields are reported alone", () => {
  const { problems, unknownFields } = resource.admit(thing({ cpu: 0, other: 1 }), { strict: true });
  assert.deepEqual(problems, []);
  assert.deepEqual(unknownFields, [{ path: ["spec", "other"], field: "spec.other" }]);
});

test("metadata that cannot be read is malformed, and nothing else is looked at", () => {
  const { malformed, problems } = resource.admit(thing({ cpu: 0 }, { name: "x", labels: { a: 1 } }));
  assert.equal(malformed, "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string");
  assert.deepEqual(
    problems.map(({ path }) => path),
    [["metadata", "labels", "a"]],
  );
});

test("a namespace is only for namespaced kinds, and dropped elsewhere", () => {
  const cluster = compileResource(schema, { scope: "Cluster" });
  const { object, problems } = cluster.admit(thing({ cpu: 1 }, { name: "x", namespace: "d" }));
  assert.deepEqual(problems, []);
  assert.deepEqual(object.metadata, { name: "x" });
});

test("a write to the status checks the status alone, in the words of a root", () => {
  const old = thing({ cpu: 0 });
  const { problems } = resource.admit({ ...old, status: { phase: "Pending" } }, { old, subresource: "status" });
  assert.equal(texts(problems)[0], "status.phase: Too long: may not be more than 3 bytes");
  assert.equal(problems.length, 2);
});

test("what is unchanged does not refuse an update", () => {
  const old = thing({ cpu: 0, role: "odd" });
  assert.deepEqual(resource.admit(thing({ cpu: 0, role: "odd", labels: {} }), { old }).problems, []);
  assert.equal(resource.admit(thing({ cpu: -1, role: "odd" }), { old }).problems.length, 1);
});

test("the two halves of admit give what the whole gives", () => {
  const given = thing({ cpu: 9, role: "control-plane", other: 1 });
  const { object, unknownFields } = resource.decode(given);
  const { problems, warnings } = resource.check(object);
  assert.deepEqual(resource.admit(given), { object, unknownFields, problems, warnings });
});

test("values that are nested too deeply are one problem, not a crash", () => {
  let deep: Json = {};
  for (let level = 0; level < 100_000; level++) deep = { a: deep };
  assert.match(texts(resource.admit(thing(deep)).problems)[0] ?? "", /must not be nested deeper than 500 levels/);
});

test("an admitted object is admitted unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const { object, malformed } = resource.admit(thing(value as Json));
      if (malformed !== undefined) return;
      const again = resource.admit(object);
      assert.deepEqual(again.object, object);
      assert.deepEqual(again.unknownFields, []);
    }),
  );
});
