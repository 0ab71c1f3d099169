// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { createNamespace, kubernetesTest, type TestServer } from "../../../test/kubernetes/harness.ts";
import { requestInfo } from "../request-info.ts";
import type { User } from "../types.ts";
import { decide, denial } from "./authorizer.ts";
import { escalationProblem } from "./escalation.ts";
import { createPolicy } from "./policy.ts";
import { accessCases, accessObjects, escalationCases } from "./testing/access-cases.ts";
import { fakeStore } from "./testing/fake-store.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const agent = new Agent({ keepAlive: true });
after(() => agent.destroy());
let prepared: Promise<void> | undefined;

function prepare(server: TestServer): Promise<void> {
  prepared ??= install(server);
  return prepared;
}

async function install(server: TestServer): Promise<void> {
  for (const namespace of ["team-a", "team-b"]) await createNamespace(server, namespace);
  for (const [plural, object] of accessObjects) {
    const { namespace } = object.metadata;
    const path = namespace === undefined ? `${RBAC}/${plural}` : `${RBAC}/namespaces/${namespace}/${plural}`;
    const { status, body } = await server.request("POST", path, object);
    assert.equal(status, 201, JSON.stringify(body));
  }
  // Roles reach the authorizer by a watch: wait for the last one.
  const last = { name: "b-user", groups: ["team-b", "system:authenticated"] };
  const path = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/team-b/machinerequests";
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await sendAs(server, last, { method: "GET", path })).status !== 403) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the bindings do not take effect");
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface Heard {
  readonly status: number;
  readonly message: string;
  readonly details: unknown;
}

/** Sends as the admin, who may act as anybody. By node:https, since undici puts several groups into one header. */
async function sendAs(server: TestServer, user: User, { method, path, body }: Sent): Promise<Heard> {
  const { ca, adminCertificate: cert, adminKey: key } = server;
  const headers = {
    "impersonate-user": user.name,
    ...(user.groups.length === 0 ? {} : { "impersonate-group": [...user.groups] }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const call = request(`${server.url}${path}`, { method, ca, cert, key, agent, headers });
  call.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer]: IncomingMessage[] = await once(call, "response");
  assert.ok(answer !== undefined);
  const { statusCode: status = 0 } = answer;
  // An open watch never ends; that it is open says enough.
  if (status === 200 && path.includes("watch")) {
    answer.destroy();
    return { status, message: "", details: undefined };
  }
  const received = await text(answer);
  const isJson = String(answer.headers["content-type"]).startsWith("application/json");
  const { message = "", details } = Object(isJson && received !== "" ? JSON.parse(received) : {});
  return { status, message, details };
}

const policy = createPolicy(fakeStore(accessObjects));

kubernetesTest("a real server decides every request as we do, in the same words", async (server) => {
  await prepare(server);
  const differences: unknown[] = [];
  for (const { user, method, path, isAllowed } of accessCases) {
    const info = requestInfo(method, path);
    const { allowed, reason } = decide(policy, user, info);
    const refusal = allowed ? undefined : denial(user, info, reason).status;
    // What is allowed must not be done, or the next cases find another world.
    const harmless = method === "GET" || method === "HEAD" ? path : `${path}?dryRun=All`;
    const real = await sendAs(server, user, { method, path: harmless });
    const isRealAllowed = real.status !== 403;
    const isSame =
      isRealAllowed === allowed &&
      isAllowed === allowed &&
      (allowed || method === "HEAD" || (real.message === refusal?.message && same(real.details, refusal.details)));
    if (!isSame) differences.push({ user: user.name, method, path, isAllowed, allowed, refusal, real });
  }
  assert.deepEqual(differences, []);
  assert.ok(accessCases.length >= 60);
});

kubernetesTest("a real server gives the same reasons in reviews", async (server) => {
  await prepare(server);
  const differences: unknown[] = [];
  for (const { user, method, path } of accessCases) {
    const info = requestInfo(method, path);
    const { isResource, verb, group, namespace, plural, subresource, name } = info;
    const attributes = isResource
      ? { resourceAttributes: { verb, group, namespace, resource: plural, subresource, name } }
      : { nonResourceAttributes: { verb, path: info.path } };
    const spec = { user: user.name, groups: user.groups, ...attributes };
    const { body } = await server.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec });
    const { allowed, reason = "" } = Object(Object(body).status);
    const own = decide(policy, user, info);
    if (own.allowed !== allowed || !isSameReason(own.reason, reason))
      differences.push({ user: user.name, method, path, own, real: Object(body).status });
  }
  assert.deepEqual(differences, []);
});

/** Several bindings may allow the same; which of them is named is a matter of chance on the real server. */
function isSameReason(own: string, real: string): boolean {
  return own === real || (own.startsWith("RBAC: allowed by") && real.startsWith("RBAC: allowed by"));
}

kubernetesTest("a real server guards roles and bindings against escalation as we do", async (server) => {
  await prepare(server);
  const differences: unknown[] = [];
  for (const { name, user, plural, object } of escalationCases) {
    const { namespace } = object.metadata;
    const path = namespace === undefined ? `${RBAC}/${plural}` : `${RBAC}/namespaces/${namespace}/${plural}`;
    const info = requestInfo("POST", path);
    const own = escalationProblem(policy, { user, info, object })?.status;
    const real = await sendAs(server, user, { method: "POST", path: `${path}?dryRun=All`, body: object });
    const mayTry = decide(policy, user, info).allowed;
    if (!mayTry) assert.equal(real.status, 403, name);
    else if (real.status !== (own?.code ?? 201) || (own !== undefined && real.message !== own.message))
      differences.push({ name, own: own?.message, real });
  }
  assert.deepEqual(differences, []);
});

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  return Object.entries(Object(value)).sort(([one], [other]) => (one < other ? -1 : 1));
}
