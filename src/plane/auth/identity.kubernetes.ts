// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { Pool } from "undici";
import { kubernetesTest, type TestServer } from "../../../test/kubernetes/harness.ts";
import { builtInTypes } from "../kinds/index.ts";
import { requestInfo } from "../request-info.ts";
import { asObject } from "../rest/admit.ts";
import { StatusError } from "../status-error.ts";
import type { KubeObject, User } from "../types.ts";
import { createAuth } from "./auth.ts";
import { createAuthority } from "./authority.ts";
import { fakeStore } from "./testing/fake-store.ts";
import { impersonationCases, impersonationObjects } from "./testing/impersonation-cases.ts";

const admin: User = { name: "butler-admin", groups: ["system:masters", "system:authenticated"] };
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";

async function messageFor(
  server: TestServer,
  user: string,
  { path, headers }: { path: string; headers: Readonly<Record<string, string>> },
): Promise<string> {
  const { certificate: cert, key } = await server.issueClient(user, []);
  const pool = new Pool(server.url, { connect: { ca: server.ca, cert, key } });
  try {
    const answer = await pool.request({ method: "GET", path, headers });
    return Object(await answer.body.json()).message ?? "";
  } finally {
    await pool.destroy();
  }
}

kubernetesTest(
  "a real server lets users act as others, or refuses it in the words that are recorded",
  async (server) => {
    for (const [plural, object] of impersonationObjects) {
      const { status } = await server.request("POST", `/apis/rbac.authorization.k8s.io/v1/${plural}`, object);
      assert.equal(status, 201);
    }
    const ready = () =>
      messageFor(server, "new-way", {
        path: "/api/v1/namespaces/default/configmaps",
        headers: { "impersonate-user": "joe" },
      });
    for (let tries = 0; tries < 100 && !(await ready()).includes('User "joe"'); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    // The server tells a refusal in the words of the way that worked before; so refusals come first, of other users.
    for (const { user, headers, path, answer } of impersonationCases) {
      const message = await messageFor(server, user, { path, headers });
      if (typeof answer !== "string") assert.match(message, new RegExp(`User "${answer.name}" cannot list`));
      else if (user !== "old-way") assert.equal(message, answer);
    }
  },
);

/** The bodies of token requests; `SECRET` stands for the secret's uid. */
const TOKEN_REQUESTS: readonly object[] = [
  {},
  { spec: { expirationSeconds: 600, audiences: ["a", "b"] } },
  { spec: { expirationSeconds: 599 } },
  { spec: { expirationSeconds: 4294967297 } },
  { spec: { expirationSeconds: "x" } },
  { spec: { audiences: "x" } },
  { spec: { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "tied" } } },
  { spec: { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "none" } } },
  { spec: { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "tied", uid: "other" } } },
  { spec: { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "none" } } },
  { spec: { boundObjectRef: { kind: "Node", apiVersion: "v1", name: "none" } } },
  { spec: { boundObjectRef: { kind: "Thing", apiVersion: "a.b/v2", name: "none" } } },
  { metadata: { name: "other" } },
  { metadata: { namespace: "other" } },
  { metadata: { uid: "other" } },
  { apiVersion: "v1", kind: "TokenRequest" },
  { apiVersion: "authentication.k8s.io/v1", kind: "Other" },
];

async function created(server: TestServer, path: string, object: object): Promise<KubeObject> {
  const { status, body } = await server.request("POST", path, object);
  assert.equal(status, 201, JSON.stringify(body));
  const { apiVersion: _, ...rest } = asObject(Object(body));
  return { ...rest, apiVersion: "v1" };
}

interface Outcome {
  readonly code: number;
  readonly message?: string | undefined;
  readonly spec?: unknown;
  readonly claims?: readonly string[];
}

function outcomeOf(code: number, body: unknown): Outcome {
  const { message, spec, status } = Object(body);
  if (code >= 300) return { code, message };
  const claims = JSON.parse(Buffer.from(status.token.split(".")[1], "base64url").toString());
  return { code, spec, claims: [...Object.keys(claims).sort(), ...Object.keys(claims["kubernetes.io"]).sort()] };
}

kubernetesTest("a real server answers token requests as we do", async (server) => {
  const account = await created(server, ACCOUNTS, { metadata: { name: "bot" } });
  const secret = await created(server, "/api/v1/namespaces/default/secrets", { metadata: { name: "tied" } });
  const store = fakeStore([
    ["serviceaccounts", account],
    ["secrets", secret],
  ]);
  const auth = createAuth({ store, clock: { now: () => Date.now() }, authority: createAuthority() });
  const type = builtInTypes().find(({ kind }) => kind === "ServiceAccount");
  assert.ok(type !== undefined);
  for (const name of ["bot", "none"]) {
    const path = `${ACCOUNTS}/${name}/token`;
    for (const body of TOKEN_REQUESTS) {
      const { status, body: answer } = await server.request("POST", path, body);
      let own: Outcome;
      try {
        const object = asObject(Object(body));
        own = outcomeOf(201, auth.review({ type, info: requestInfo("POST", path), object, user: admin }));
      } catch (error) {
        assert.ok(error instanceof StatusError, String(error));
        own = outcomeOf(error.status.code, error.status);
      }
      assert.deepEqual(own, outcomeOf(status, answer), `${name} ${JSON.stringify(body)}`);
    }
  }
});

kubernetesTest("a real server reviews tokens as we do", async (server) => {
  const account = await created(server, ACCOUNTS, { metadata: { name: "reviewed" } });
  const store = fakeStore([["serviceaccounts", account]]);
  const auth = createAuth({ store, clock: { now: () => Date.now() }, authority: createAuthority() });
  const accounts = builtInTypes().find(({ kind }) => kind === "ServiceAccount");
  const reviews = builtInTypes().find(({ kind }) => kind === "TokenReview");
  assert.ok(accounts !== undefined && reviews !== undefined);
  const path = `${ACCOUNTS}/reviewed/token`;
  const empty = { apiVersion: "", kind: "", metadata: {} };
  const info = requestInfo("POST", path);
  const own = Object(auth.review({ type: accounts, info, object: empty, user: admin })?.status).token;
  const real = Object(Object((await server.request("POST", path, {})).body).status).token;
  const changed = (token: string) => `${token.slice(0, -4)}${token.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
  const rows: ((token: string) => object)[] = [
    (token) => ({ token }),
    (token) => ({ token, audiences: ["x", "https://127.0.0.1"] }),
    (token) => ({ token, audiences: ["x", "y"] }),
    (token) => ({ token: changed(token) }),
    () => ({ token: "nonsense" }),
    () => ({ token: "a.b.c" }),
  ];
  for (const row of rows) {
    const object = { ...empty, spec: row(own) };
    const answer = auth.review({ type: reviews, info: requestInfo("POST", "/"), object, user: admin });
    const { body } = await server.request("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: row(real) });
    assert.deepEqual(withoutId(answer?.status), withoutId(Object(body).status));
  }
});

/** Tokens have ids of their own. */
function withoutId(status: unknown): unknown {
  return JSON.parse(JSON.stringify(status).replace(/JTI=[-0-9a-f]+/, "JTI"));
}

kubernetesTest(
  "a certificate of another authority is refused, a header of another scheme is not looked at",
  async (server) => {
    const { certificate: cert, key } = createAuthority().issueClient("jane", ["system:masters"]);
    const send = async (connect: object, headers: Record<string, string>) => {
      const pool = new Pool(server.url, { connect: { ca: server.ca, ...connect } });
      try {
        const answer = await pool.request({ method: "GET", path: "/healthz", headers });
        await answer.body.dump();
        return answer.statusCode;
      } finally {
        await pool.destroy();
      }
    };
    assert.equal(await send({ cert, key }, {}), 401);
    assert.equal(await send({}, { authorization: "Basic YTpi" }), 200);
    assert.equal(await send({}, { authorization: "Bearer" }), 200);
    assert.equal(await send({}, { authorization: "Bearer x" }), 401);
  },
);
