// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SecretKeys } from "../api/index.ts";
import { missingKeys } from "./secret-keys.ts";

const user = { required: { username: "", password: "" }, optional: { "ca.pem": "" } };
const token = { required: { token: "", tokenSecret: "" } };
const lacks = (data: Record<string, string>, sets: readonly SecretKeys[] = [user, token], secretKey?: string) =>
  missingKeys({ sets, secretKey, data });

test("one complete set is enough, whatever else is there", () => {
  assert.equal(lacks({ username: "u", password: "p" }), undefined);
  assert.equal(lacks({ token: "t", tokenSecret: "s", username: "u" }), undefined);
});

test("of the set that was begun the missing keys are named, otherwise of all sets; never a value", () => {
  assert.equal(lacks({ username: "hidden" }), 'the key "password"');
  assert.equal(lacks({}), 'the keys "username" and "password", or the keys "token" and "tokenSecret"');
});

test("an empty value is none", () => {
  assert.equal(lacks({ username: "u", password: "" }), 'the key "password"');
});

test("credentialsRef.key stands for the only key of a set", () => {
  const one = [{ required: { kubeconfig: "" } }];
  assert.equal(lacks({ own: "x" }, one, "own"), undefined);
  assert.equal(lacks({ kubeconfig: "x" }, one, "own"), 'the key "own"');
  assert.equal(lacks({ username: "u", password: "p" }, [user], "password"), undefined);
});

test("a provider that needs no keys lacks none", () => {
  assert.equal(lacks({}, []), undefined);
});
