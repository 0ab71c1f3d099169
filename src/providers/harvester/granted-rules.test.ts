// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ResourceRule, secret } from "../../kube/index.ts";
import { grantedRules } from "./granted-rules.ts";
import { virtualMachine } from "./kinds.ts";

const mayGet = { kind: secret, verb: "get", namespace: "default" };

function answer(rule: Partial<ResourceRule>, status: object = {}) {
  const resourceRules = [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"], ...rule }];
  return grantedRules({ resourceRules, incomplete: false, ...status });
}

test("a right is granted where a rule has its verb, group and resource, or all of them", () => {
  for (const rule of [{}, { verbs: ["*"] }, { apiGroups: ["apps", "*"] }, { resources: ["*"] }, { resourceNames: [] }])
    assert.equal(answer(rule).grants(mayGet), true, JSON.stringify(rule));
});

test("a rule for something else grants nothing", () => {
  const others = [{ verbs: ["list"] }, { apiGroups: ["apps"] }, { resources: ["secrets/status"] }, { resources: [] }];
  for (const rule of others) assert.equal(answer(rule).grants(mayGet), false, JSON.stringify(rule));
  assert.equal(answer({}).grants({ ...mayGet, kind: virtualMachine }), false);
});

test("a rule for some names grants those alone", () => {
  const rules = answer({ resourceNames: ["one"] });
  assert.equal(rules.grants(mayGet), false);
  assert.equal(rules.grants({ ...mayGet, name: "one" }), true);
  assert.equal(rules.grants({ ...mayGet, name: "other" }), false);
});

test("a server that has not told of everything has refused nothing", () => {
  for (const status of [{ incomplete: true }, { evaluationError: "an authorizer was away" }]) {
    const rules = answer({}, status);
    assert.equal(rules.grants(mayGet), true);
    assert.equal(rules.grants({ ...mayGet, verb: "delete" }), undefined);
  }
  assert.equal(grantedRules(undefined).grants(mayGet), undefined);
  assert.equal(grantedRules({ resourceRules: null, incomplete: false }).grants(mayGet), false);
});
