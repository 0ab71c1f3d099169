// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { requestInfo } from "../request-info.ts";
import type { User } from "../types.ts";
import { decide } from "./authorizer.ts";
import { createImpersonation } from "./impersonation.ts";
import { createPolicy } from "./policy.ts";
import { fakeStore } from "./testing/fake-store.ts";
import { impersonationCases, impersonationObjects } from "./testing/impersonation-cases.ts";

const info = requestInfo("GET", "/api/v1/namespaces/default/pods");
const master: User = { name: "m", groups: ["system:masters"] };

function impersonation() {
  const policy = createPolicy(fakeStore(impersonationObjects));
  return createImpersonation((user, wanted) => decide(policy, user, wanted));
}

test("a request without the headers is the user's own", () => {
  assert.equal(impersonation().effectiveUser(master, { accept: "x" }, info), master);
});

test("who may act as others is them, with the groups they have", () => {
  const { effectiveUser } = impersonation();
  const as = (headers: Record<string, string>) => effectiveUser(master, headers, info);
  assert.deepEqual(as({ "impersonate-user": "joe" }), { name: "joe", groups: ["system:authenticated"] });
  assert.deepEqual(as({ "impersonate-user": "joe", "impersonate-group": "a, b", "impersonate-uid": "7" }), {
    name: "joe",
    uid: "7",
    groups: ["a", "b", "system:authenticated"],
  });
  assert.deepEqual(as({ "impersonate-user": "system:serviceaccount:n:s" }).groups, [
    "system:serviceaccounts",
    "system:serviceaccounts:n",
    "system:authenticated",
  ]);
  assert.deepEqual(as({ "impersonate-user": "system:anonymous" }).groups, ["system:unauthenticated"]);
  assert.deepEqual(as({ "impersonate-user": "x", "impersonate-extra-a%2fb": "c" }).extra, { "a/b": ["c"] });
});

test("every case is decided as a real server does", () => {
  for (const { user, headers, path, answer } of impersonationCases) {
    const { effectiveUser } = impersonation();
    const act = () =>
      effectiveUser({ name: user, groups: ["system:authenticated"] }, headers, requestInfo("GET", path));
    if (typeof answer === "string") assert.throws(act, { message: answer }, JSON.stringify(headers));
    else assert.deepEqual(act(), answer, JSON.stringify(headers));
  }
});
