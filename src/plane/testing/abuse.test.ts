// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingRules, type PolicyRule } from "../auth/policy-rule.ts";
import { startInProcess } from "./in-process.ts";

const many = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);
const MAPS = "/api/v1/namespaces/default/configmaps";

test("a rule that means billions of parts is refused without looking at them all", () => {
  const none: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const wanted = { ...none, apiGroups: many(2000), resources: many(2000), verbs: many(2000) };
  assert.equal(missingRules([], [wanted]).length, 1000);
  const half = { ...wanted, apiGroups: many(1999) };
  assert.deepEqual(missingRules([half], [wanted]), [wanted], "too many parts to look at: missing as a whole");
  assert.deepEqual(missingRules([wanted], [half]), []);
  assert.deepEqual(missingRules([{ ...none, apiGroups: ["*"], resources: ["*"], verbs: ["*"] }], [wanted]), []);
});

test("very many unknown fields are warned about, not a fault", async (t) => {
  const { plane, request } = await startInProcess();
  t.after(() => plane.stop());
  const fields = Object.fromEntries(many(200_000).map((name) => [name, 1]));
  const { status } = await request("POST", MAPS, { ...fields, metadata: { name: "x" } });
  assert.equal(status, 201);
});

test("YAML beyond what is read quickly is refused; JSON of that size is not", async (t) => {
  const { plane, request } = await startInProcess();
  t.after(() => plane.stop());
  const yaml = { "content-type": "application/yaml" };
  assert.equal((await request("POST", MAPS, `a: [\n${",\n".repeat(100_000)}`, yaml)).status, 413);
  const data = { text: "x".repeat(200_000) };
  assert.equal((await request("POST", MAPS, JSON.stringify({ metadata: { name: "x" }, data }), yaml)).status, 201);
});

test("a definition whose versions are served no more goes with its objects", async (t) => {
  const { plane, request } = await startInProcess();
  t.after(() => plane.stop());
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object" } },
  };
  const names = { kind: "Widget", plural: "widgets" };
  const crd = {
    metadata: { name: "widgets.example.com" },
    spec: { group: "example.com", scope: "Cluster", names, versions: [version] },
  };
  assert.equal((await request("POST", crds, crd)).status, 201);
  await plane.settled();
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
  assert.equal((await request("POST", "/apis/example.com/v1/widgets", widget)).status, 201);
  const patch = [{ op: "replace", path: "/spec/versions/0/served", value: false }];
  const json = { "content-type": "application/json-patch+json" };
  assert.equal((await request("PATCH", `${crds}/widgets.example.com`, patch, json)).status, 200);
  await request("DELETE", `${crds}/widgets.example.com`);
  await plane.settled();
  assert.equal((await request("GET", `${crds}/widgets.example.com`)).status, 404);
  assert.deepEqual(
    [...plane.dump().keys()].filter((key) => key.startsWith("example.com/")),
    [],
  );
});
