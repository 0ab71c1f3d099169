// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FaultEffect, SimulatedRequest } from "../../../engine/testing/simulator.ts";
import {
  createClient,
  type HandlerResponse,
  loadKubeconfig,
  persistentVolumeClaim,
  secret as secretKind,
} from "../../../kube/index.ts";
import type { HarvesterSimulation } from "../simulator.ts";
import { listAt, textAt } from "./read.ts";
import { CLAIMS, EVENTS, IMAGES, machine, SECRETS, type Stage, stage, tokenOf, VMIS, VMS } from "./testing/stage.ts";

const SECRET = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
const kubeconfigOf = ({ secret }: { secret: Readonly<Record<string, string>> }) => secret.kubeconfig ?? "";

test("H14 tokens end from one moment to the next, by the clock or on command; new ones work", async (t) => {
  const { send, pass, harvester } = await stage(t);
  const old = kubeconfigOf(harvester);
  assert.equal((await send("GET", VMS, undefined, old)).status, 200);
  const brief = kubeconfigOf(harvester.renewCredentials({ livesMs: 60_000 }));
  const claims = JSON.parse(Buffer.from(tokenOf(brief).split(".")[1] ?? "", "base64url").toString());
  assert.equal(claims.exp - claims.iat, 60);
  await pass(59_000);
  assert.equal((await send("GET", VMS, undefined, brief)).status, 200);
  await pass(1_000);
  const { status, body } = await send("GET", VMS, undefined, brief);
  assert.deepEqual([status, textAt(body, "reason")], [401, "Unauthorized"]);
  harvester.expireCredentials();
  assert.equal((await send("GET", VMS, undefined, old)).status, 401);
  assert.equal((await send("GET", VMS, undefined, kubeconfigOf(harvester.renewCredentials()))).status, 200);
});

test("H14 the bad access is refused from the start", async (t) => {
  const { send, harvester } = await stage(t);
  assert.equal((await send("GET", VMS, undefined, kubeconfigOf(harvester.badAccess))).status, 401);
});

test("H15 the rights of the older readme and no others: 403 per verb and resource", async (t) => {
  const { send, harvester } = await stage(t);
  const basic = kubeconfigOf(harvester.basicAccess);
  const may = async (method: string, path: string, body?: unknown) =>
    (await send(method, path, body, basic)).status !== 403;
  for (const path of [VMS, VMIS, CLAIMS]) assert.ok(await may("GET", path), path);
  assert.ok(await may("POST", VMS, machine("web-1")));
  assert.ok(await may("GET", `${SECRETS}/s`));
  for (const path of [IMAGES, SECRETS, EVENTS, "/apis/storage.k8s.io/v1/storageclasses", "/api/v1/nodes"])
    assert.ok(!(await may("GET", path)), path);
  assert.ok(!(await may("POST", SECRETS, SECRET)));
  assert.ok(!(await may("PATCH", `${VMS}/web-1`, {})));
  assert.ok(!(await may("DELETE", `${VMIS}/web-1`)));
  assert.ok(await may("DELETE", `${VMS}/web-1`));
  const { message } = await send("POST", SECRETS, SECRET, basic);
  assert.equal(
    message,
    'secrets is forbidden: User "system:serviceaccount:default:butler-basic" cannot create resource "secrets" in API group "" in the namespace "default"',
  );
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { namespace: "default", verb: "create", resource: "secrets" } },
  };
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  for (const [kubeconfig, allowed] of [
    [basic, false],
    [kubeconfigOf(harvester), true],
  ] as const) {
    const { body } = await send("POST", path, review, kubeconfig);
    assert.equal(Reflect.get(Object(body.status), "allowed"), allowed);
  }
  assert.ok(harvester.requests().every((request) => request.path !== path || !request.isWrite));
});

interface Watch {
  readonly next: () => Promise<string>;
  readonly hangUp: () => void;
}

async function watch(harvester: HarvesterSimulation, path: string): Promise<Watch> {
  const gone = new AbortController();
  const answer: HandlerResponse = await harvester.transport({
    method: "GET",
    path,
    headers: { authorization: `Bearer ${tokenOf(harvester.adminKubeconfig)}` },
    body: undefined,
    signal: gone.signal,
  });
  if (typeof answer.body === "string") throw new Error(answer.body);
  const lines = answer.body[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await lines.next();
      return done === true ? "end" : `${JSON.parse(value).type} ${JSON.parse(value).object.code ?? ""}`.trim();
    },
    hangUp: () => gone.abort(),
  };
}

test("H20 watches end, break and answer 410; history is forgotten; the API goes away and comes back", async (t) => {
  const { send, pass, harvester } = await stage(t);
  await send("POST", SECRETS, SECRET);
  const path = `${SECRETS}?watch=1&resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
  for (const [how, then] of [
    ["end", "end"],
    ["expire", "ERROR 410"],
  ] as const) {
    const one = await watch(harvester, path);
    assert.equal(await one.next(), "ADDED");
    assert.equal(await one.next(), "BOOKMARK");
    assert.equal(harvester.watches, 1);
    harvester.cutWatches(how);
    assert.equal(await one.next(), then);
    if (then !== "end") assert.equal(await one.next(), "end");
    assert.equal(harvester.watches, 0);
  }
  const broken = await watch(harvester, path);
  assert.deepEqual([await broken.next(), await broken.next()], ["ADDED", "BOOKMARK"]);
  harvester.restartApi(5_000);
  await assert.rejects(broken.next(), { code: "ECONNRESET" });
  await assert.rejects(send("GET", VMS), { code: "ECONNRESET" });
  await pass(5_000);
  assert.equal((await send("GET", VMS)).status, 200);
});

test("H20 whoever goes on from before a compaction gets 410", async (t) => {
  const { send, harvester } = await stage(t);
  const { body } = await send("GET", SECRETS);
  await send("POST", SECRETS, SECRET);
  harvester.cutWatches("expire");
  await send("POST", SECRETS, { ...SECRET, metadata: { name: "t" } });
  const late = await watch(
    harvester,
    `${SECRETS}?watch=1&resourceVersion=${textAt(body, "metadata", "resourceVersion")}`,
  );
  assert.equal(await late.next(), "ERROR 410");
});

/** What a caller sees of a POST of the Secret, with a fault on it. */
async function post({ send, harvester }: Stage, effect: FaultEffect): Promise<string> {
  harvester.inject({ on: ({ isWrite }: SimulatedRequest) => isWrite, times: 1, effect });
  try {
    return String((await send("POST", SECRETS, SECRET)).status);
  } catch (error) {
    return String(Reflect.get(Object(error), "code"));
  }
}

const effects: readonly (readonly [FaultEffect, seen: string, happens: boolean])[] = [
  [{ type: "refuse", status: 503, message: "not now", retryAfterSeconds: 7 }, "503", false],
  [{ type: "cut-before" }, "ECONNRESET", false],
  [{ type: "lose-answer" }, "ECONNRESET", true],
  [{ type: "twice" }, "409", true],
];
for (const [effect, seen, happens] of effects) {
  test(`the fault "${effect.type}" shows as ${seen}, and the request ${happens ? "happens" : "does not happen"}`, async (t) => {
    const here = await stage(t);
    assert.equal(await post(here, effect), seen);
    assert.deepEqual(here.harvester.leftovers(), happens ? ["Secret default/s"] : []);
    assert.equal((await here.send("GET", `${SECRETS}/s`)).status, happens ? 200 : 404);
  });
}

test("a late request happens when its time has come, though its caller is gone", async (t) => {
  const here = await stage(t);
  assert.equal(await post(here, { type: "late", byMs: 30_000 }), "ECONNRESET");
  await here.pass(29_999);
  assert.deepEqual(here.harvester.leftovers(), []);
  await here.pass(1);
  assert.deepEqual(here.harvester.leftovers(), ["Secret default/s"]);
});

test("a request that hangs does nothing until its caller gives up, and does not hold up the rest", async (t) => {
  const { harvester, send } = await stage(t);
  const takeBack = harvester.inject({ effect: { type: "hang" } });
  const gone = new AbortController();
  const hanging = harvester.transport({ method: "GET", path: VMS, headers: {}, body: undefined, signal: gone.signal });
  await harvester.settled();
  gone.abort();
  await assert.rejects(hanging, { code: "ECONNRESET" });
  takeBack();
  assert.equal((await send("GET", VMS)).status, 200);
});

test("small pages: lists that ask for pages get more of them", async (t) => {
  const { send, harvester } = await stage(t);
  harvester.setPageSize(2);
  for (const name of ["a", "b", "c"]) await send("POST", SECRETS, { ...SECRET, metadata: { name } });
  const { body } = await send("GET", `${SECRETS}?limit=500`);
  assert.equal(listAt(body, "items").length, 2);
  assert.notEqual(textAt(body, "metadata", "continue"), "");
});

test("over a real socket too: TLS by the kubeconfig, faults break connections, the kube client gets along", async (t) => {
  const { harvester, clock } = await stage(t, { listens: true });
  assert.match(harvester.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const config = loadKubeconfig({ text: kubeconfigOf(harvester), trusted: false });
  const client = createClient(config, { clock, random: () => 0.5 });
  t.after(() => client.close());
  assert.equal((await client.list(persistentVolumeClaim, { namespace: "default" })).items.length, 0);
  harvester.inject({ times: 1, effect: { type: "lose-answer" } });
  const draft = { metadata: { namespace: "default", name: "s" } };
  await assert.rejects(client.create(secretKind, draft, { tries: 1 }), { name: "ConnectionError" });
  assert.deepEqual(harvester.leftovers(), ["Secret default/s"]);
});
