// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInTypes } from "../kinds/index.ts";
import { requestInfo } from "../request-info.ts";
import { StatusError } from "../status-error.ts";
import type { KubeObject, PlaneRequest, User } from "../types.ts";
import { createAuth } from "./auth.ts";
import { type Authority, createAuthority } from "./authority.ts";
import { accessObjects } from "./testing/access-cases.ts";
import { fakeStore } from "./testing/fake-store.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const admin: User = { name: "admin", groups: ["system:masters", "system:authenticated"] };
const account: KubeObject = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "bot", namespace: "team-a", uid: "account-1" },
};
const secret: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "tied", namespace: "team-a", uid: "secret-1" },
};

function setUp() {
  const store = fakeStore(accessObjects);
  store.put("serviceaccounts", account);
  store.put("secrets", secret);
  const clock = { ms: START, now: () => clock.ms };
  const authority = createAuthority();
  const auth = createAuth({ store, clock, authority, newId: () => "id-1" });
  return { store, clock, authority, auth };
}

type Parts = ReturnType<typeof setUp>;

function review({ auth }: Parts, kind: string, spec: unknown, user: User = admin): KubeObject {
  const type = builtInTypes().find((one) => one.kind === kind);
  assert.ok(type !== undefined, kind);
  const object = { apiVersion: "", kind: "", metadata: {}, ...(spec === undefined ? {} : { spec }) };
  const answer = auth.review({ type, info: requestInfo("POST", "/"), object, user });
  assert.ok(answer !== undefined);
  return answer;
}

function requestToken({ auth }: Parts, spec: unknown, more: object = {}): KubeObject {
  const type = builtInTypes().find(({ kind }) => kind === "ServiceAccount");
  assert.ok(type !== undefined);
  const info = requestInfo("POST", "/api/v1/namespaces/team-a/serviceaccounts/bot/token");
  const object = { apiVersion: "", kind: "", metadata: {}, spec, ...more };
  const answer = auth.review({ type, info, object, user: admin });
  assert.ok(answer !== undefined);
  return answer;
}

function tokenOf(answer: KubeObject): string {
  return Object(answer.status).token;
}

function withToken(token: string): Pick<PlaneRequest, "headers"> {
  return { headers: { authorization: `Bearer ${token}` } };
}

test("without credentials a request is anonymous, with wrong ones it is refused", () => {
  const { auth, authority } = setUp();
  const anonymous = { name: "system:anonymous", groups: ["system:unauthenticated"] };
  assert.deepEqual(auth.authenticate({ headers: {} }), anonymous);
  assert.deepEqual(auth.authenticate({ headers: { authorization: "Basic YTpi" } }), anonymous);
  assert.deepEqual(auth.authenticate({ headers: { authorization: "Bearer" } }), anonymous);
  assert.equal(auth.authenticate(withToken("wrong")), undefined);
  assert.equal(auth.authenticate(withToken("a.b.c")), undefined);
  assert.equal(auth.authenticate(withToken(`${authority.adminToken}x`)), undefined);
});

test("the administrator is known by the static token", () => {
  const { auth, authority } = setUp();
  const user = { name: "butler-admin", groups: ["system:masters", "system:authenticated"] };
  assert.deepEqual(auth.authenticate(withToken(authority.adminToken)), user);
  assert.deepEqual(auth.authenticate({ headers: { authorization: `bearer ${authority.adminToken}` } }), user);
});

test("a certificate names user and groups; one of another authority is no credential but beside a token no harm", () => {
  const { auth, authority } = setUp();
  const certificate = { commonName: "jane", organizations: ["a"], fingerprint: "ff" };
  assert.deepEqual(auth.authenticate({ headers: {}, certificate }), {
    name: "jane",
    groups: ["a", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=ff"] },
  });
  const foreign = { ...certificate, isForeign: true };
  assert.equal(auth.authenticate({ headers: {}, certificate: foreign }), undefined);
  const both = { ...withToken(authority.adminToken), certificate: foreign };
  assert.equal(auth.authenticate(both)?.name, "butler-admin");
  const nameless = { commonName: "", organizations: ["system:masters"] };
  assert.equal(auth.authenticate({ headers: {}, certificate: nameless })?.name, "system:anonymous");
});

test("a service account is known by its token until the token ends", () => {
  const parts = setUp();
  const answer = requestToken(parts, { expirationSeconds: 600 });
  assert.deepEqual(answer.metadata, {
    name: "bot",
    namespace: "team-a",
    uid: "account-1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  });
  assert.deepEqual(answer.spec, { audiences: ["https://127.0.0.1"], expirationSeconds: 600, boundObjectRef: null });
  assert.equal(Object(answer.status).expirationTimestamp, "2026-01-01T00:10:00Z");
  const request = withToken(tokenOf(answer));
  assert.deepEqual(parts.auth.authenticate(request), {
    name: "system:serviceaccount:team-a:bot",
    uid: "account-1",
    groups: ["system:serviceaccounts", "system:serviceaccounts:team-a", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": ["JTI=id-1"] },
  });
  // The server grants a minute for clocks that differ.
  parts.clock.ms = START + 660_000;
  assert.ok(parts.auth.authenticate(request) !== undefined);
  parts.clock.ms = START + 661_000;
  assert.equal(parts.auth.authenticate(request), undefined);
});

test("a token ends with its service account, and another one of the same name does not revive it", () => {
  const parts = setUp();
  const request = withToken(tokenOf(requestToken(parts, {})));
  assert.ok(parts.auth.authenticate(request) !== undefined);
  parts.store.remove("serviceaccounts", account);
  assert.equal(parts.auth.authenticate(request), undefined);
  parts.store.put("serviceaccounts", { ...account, metadata: { ...account.metadata, uid: "account-2" } });
  assert.equal(parts.auth.authenticate(request), undefined);
});

test("a token bound to a secret ends with that", () => {
  const parts = setUp();
  const boundObjectRef = { kind: "Secret", apiVersion: "v1", name: "tied" };
  const request = withToken(tokenOf(requestToken(parts, { boundObjectRef })));
  assert.ok(parts.auth.authenticate(request) !== undefined);
  parts.store.remove("secrets", secret);
  assert.equal(parts.auth.authenticate(request), undefined);
});

test("a token for others is none for this server, and one that was changed is none at all", () => {
  const parts = setUp();
  assert.equal(parts.auth.authenticate(withToken(tokenOf(requestToken(parts, { audiences: ["vault"] })))), undefined);
  const token = tokenOf(requestToken(parts, {}));
  const [header = "", payload = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: "system:serviceaccount:kube-system:x" }));
  assert.equal(parts.auth.authenticate(withToken(`${header}.${forged.toString("base64url")}.${signature}`)), undefined);
  const unsigned = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  assert.equal(parts.auth.authenticate(withToken(`${unsigned}.${payload}.${signature}`)), undefined);
  const other = createAuth({ store: parts.store, clock: parts.clock, authority: createAuthority() });
  assert.equal(other.authenticate(withToken(token)), undefined);
});

test("tokens survive a restart with the same keys", () => {
  const { store, clock, authority } = setUp();
  const start = (kept: Authority) => createAuth({ store, clock, authority: kept });
  const token = tokenOf(requestToken({ store, clock, authority, auth: start(authority) }, {}));
  assert.ok(start(authority).authenticate(withToken(token)) !== undefined);
});

test("what cannot be had is refused in the server's words", () => {
  const parts = setUp();
  const refusals: [object, object, string][] = [
    [
      { expirationSeconds: 599 },
      {},
      "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
    ],
    [{ expirationSeconds: 2 ** 32 + 1 }, {}, "may not specify a duration larger than 2^32 seconds"],
    [
      { boundObjectRef: { kind: "Foo", apiVersion: "v1", name: "x" } },
      {},
      "cannot bind token to object of type /v1, Kind=Foo",
    ],
    [{ boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "x" } }, {}, 'secrets "x" not found'],
    [{ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "x" } }, {}, 'pods "x" not found'],
    [{ boundObjectRef: { kind: "Secret", name: "tied", uid: "q" } }, {}, "does not match the UID in record"],
    [{}, { metadata: { name: "z" } }, "must match the service account name if specified"],
    [
      {},
      { metadata: { uid: "z" } },
      "the UID in the token request (z) does not match the UID of the service account (account-1)",
    ],
    [{}, { apiVersion: "v1", kind: "TokenRequest" }, 'no kind "TokenRequest" is registered for version "v1"'],
    [
      { expirationSeconds: "x" },
      {},
      "cannot unmarshal string into Go struct field TokenRequestSpec.spec.expirationSeconds of type int64",
    ],
  ];
  for (const [spec, more, words] of refusals)
    assert.throws(
      () => requestToken(parts, spec, more),
      (error) => error instanceof StatusError && error.message.includes(words),
      words,
    );
});

test("reviews answer by the same rules as requests", () => {
  const parts = setUp();
  const attributes = { verb: "list", group: "butler.butlerlabs.dev", resource: "machinerequests" };
  const vera: User = { name: "vera", groups: ["system:authenticated"] };
  const allowed = {
    allowed: true,
    reason: 'RBAC: allowed by ClusterRoleBinding "machine-viewers" of ClusterRole "machine-viewer" to User "vera"',
  };
  const self = review(parts, "SelfSubjectAccessReview", { resourceAttributes: attributes }, vera);
  assert.deepEqual(self.status, allowed);
  const spec = { user: "vera", resourceAttributes: attributes };
  assert.deepEqual(review(parts, "SubjectAccessReview", spec).status, allowed);
  const path = { user: "vera", nonResourceAttributes: { verb: "get", path: "/metrics" } };
  assert.deepEqual(review(parts, "SubjectAccessReview", path).status, { allowed: false });
  const rules = review(parts, "SelfSubjectRulesReview", { namespace: "team-a" }, vera);
  assert.deepEqual(rules.spec, {});
  assert.equal(Object(rules.status).resourceRules.length, 3);
  assert.deepEqual(review(parts, "SelfSubjectReview", undefined, vera).status, {
    userInfo: { username: "vera", groups: ["system:authenticated"] },
  });
});

test("a token review tells whose token it is, or why it is nobody's, without repeating it", () => {
  const parts = setUp();
  const token = tokenOf(requestToken(parts, {}));
  const status = (spec: object) => Object(review(parts, "TokenReview", spec).status);
  assert.equal(status({ token }).user.username, "system:serviceaccount:team-a:bot");
  assert.deepEqual(status({ token, audiences: ["x", "https://127.0.0.1"] }).audiences, ["https://127.0.0.1"]);
  assert.deepEqual(status({ token, audiences: ["x"] }), {
    user: {},
    error: '[invalid bearer token, token audiences ["https://127.0.0.1"] is invalid for the target audiences ["x"]]',
  });
  assert.deepEqual(status({ token: "secret-text" }), { user: {}, error: "invalid bearer token" });
  assert.throws(() => status({ token: "" }), { message: "token is required for TokenReview in authentication" });
});

test("a review that is wrong is refused in the server's words", () => {
  const parts = setUp();
  assert.throws(() => review(parts, "SubjectAccessReview", {}), {
    message:
      '.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of ' +
      'nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": ' +
      "at least one of user or group must be specified]",
  });
  assert.throws(() => review(parts, "SelfSubjectRulesReview", {}), { message: "no namespace on request" });
});

test("nothing that is refused shows a secret", () => {
  const parts = setUp();
  const { adminToken } = parts.authority;
  const spec = { token: `${adminToken}x` };
  const answer = review(parts, "TokenReview", spec);
  assert.ok(!JSON.stringify(answer.status).includes(adminToken));
});
