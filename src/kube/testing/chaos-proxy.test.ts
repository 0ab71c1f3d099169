// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startPlane } from "../../plane/plane.ts";
import { createClient } from "../client/client.ts";
import { loadKubeconfig } from "../client/kubeconfig.ts";
import { json, pieces, startScriptedServer } from "../client/testing/scripted-server.ts";
import { manualClock } from "../clock.ts";
import { configMap, namespace } from "../core.ts";
import { ConnectionError, isGone, isTooManyRequests, isTransient } from "../errors.ts";
import { chaosProxy } from "./chaos-proxy.ts";
import { type ChaosRequest, type ChaosScript, seededChaos } from "./chaos-script.ts";

const plane = await startPlane({ memory: true });
after(() => plane.stop());
const target = loadKubeconfig({ text: plane.kubeconfig, trusted: false });

/** A client behind a proxy in front of the plane, in a namespace of its own. */
async function stage(script: ChaosScript, run: (stage: Awaited<ReturnType<typeof open>>) => Promise<void>) {
  const opened = await open(script);
  try {
    await run(opened);
  } finally {
    await opened.proxy.stop();
    await opened.client.close();
    await opened.direct.close();
  }
}

async function open(script: ChaosScript) {
  const clock = manualClock();
  const proxy = await chaosProxy({ target, script, clock });
  const direct = createClient(target);
  const client = createClient(proxy.config, { tries: 1 });
  const { metadata } = await direct.create(namespace, { metadata: { generateName: "chaos-" } });
  return { proxy, direct, client, clock, namespace: metadata.name ?? "" };
}

const isCreate = ({ method }: ChaosRequest) => method === "POST";

test("what is not made to go wrong passes: reads, writes and watches over TLS with the caller's own identity", () =>
  stage({}, async ({ client, proxy, namespace }) => {
    const made = await client.create(configMap, { metadata: { name: "one", namespace }, data: { a: "1" } });
    assert.deepEqual((await client.get(configMap, { namespace, name: "one" })).data, { a: "1" });
    for await (const event of client.watch(configMap, { namespace, fieldSelector: "metadata.name=one" })) {
      assert.equal(event.type === "BOOKMARK" ? "" : event.object.metadata.uid, made.metadata.uid);
      break;
    }
    assert.deepEqual(proxy.statistics().faults, {});
    assert.equal(proxy.statistics().requests, 3);
  }));

test("a request that is cut or refused never reaches the server", () =>
  stage(
    {
      request: (request) =>
        isCreate(request) ? (request.repeat === 0 ? "cut" : { status: 429, retryAfterSeconds: 7 }) : undefined,
    },
    async ({ client, proxy, namespace }) => {
      const create = () => client.create(configMap, { metadata: { name: "one", namespace } }, { totalMs: 5_000 });
      await assert.rejects(create(), ConnectionError);
      await assert.rejects(create(), (error) => isTooManyRequests(error) && error.retryAfterMs === 7_000);
      const { items } = await client.list(configMap, { namespace, fieldSelector: "metadata.name=one" });
      assert.equal(items.length, 0);
      assert.deepEqual(proxy.statistics().faults, { "request cut": 1, "request 429": 1 });
    },
  ));

test("an answer that is lost or cut half way leaves the server's work done", () =>
  stage(
    { response: (request) => (isCreate(request) ? (request.repeat === 0 ? "cut" : "truncate") : undefined) },
    async ({ client, namespace }) => {
      for (const name of ["one", "two"])
        await assert.rejects(
          client.create(configMap, { metadata: { name, namespace } }),
          (error) => error instanceof ConnectionError && error.wasSent,
        );
      const { items } = await client.list(configMap, { namespace, fieldSelector: "metadata.name!=kube-root-ca.crt" });
      assert.equal(items.length, 2);
    },
  ));

test("a duplicated create is executed twice and answered once, with the second outcome", () =>
  stage({ request: (request) => (isCreate(request) ? "duplicate" : undefined) }, async ({ client, namespace }) => {
    await assert.rejects(client.create(configMap, { metadata: { name: "one", namespace } }), { status: 409 });
    const made = await client.create(configMap, { metadata: { generateName: "many-", namespace } });
    const { items } = await client.list(configMap, { namespace });
    assert.equal(items.filter(({ metadata }) => metadata.name?.startsWith("many-")).length, 2);
    assert.ok(items.some(({ metadata }) => metadata.uid === made.metadata.uid));
  }));

test("delays are measured on the given clock", () =>
  stage({ request: () => ({ delayMs: 60_000 }) }, async ({ client, clock, namespace }) => {
    let isDone = false;
    const reading = client.list(configMap, { namespace }).then(() => {
      isDone = true;
    });
    await clock.untilWaiting();
    await clock.advance(59_999);
    assert.equal(isDone, false);
    await clock.advance(1);
    await reading;
  }));

test("a reordered request waits until the next one went, or until its time is up", async () => {
  const server = await startScriptedServer([json(200, {}), json(200, {}), json(200, {})]);
  const clock = manualClock();
  const script: ChaosScript = { request: ({ path }) => (path === "/first" ? "reorder" : undefined) };
  const proxy = await chaosProxy({ target: { server: server.url }, script, clock });
  const client = createClient(proxy.config, { tries: 1 });
  const first = client.raw("GET", "/first");
  await clock.untilWaiting();
  await Promise.all([client.raw("GET", "/second"), first]);
  assert.deepEqual(
    server.seen.map(({ path }) => path),
    ["/second", "/first"],
  );
  const alone = client.raw("GET", "/first");
  await clock.untilWaiting();
  await clock.advance(100);
  await alone;
  await proxy.stop();
  await client.close();
  await server.stop();
});

test("a silent network swallows everything and tells nobody; an open one lets new connections through", () =>
  stage({}, async ({ client, proxy, namespace }) => {
    await client.list(configMap, { namespace });
    proxy.network("silent");
    const aborted = AbortSignal.timeout(150);
    await assert.rejects(client.list(configMap, { namespace, signal: aborted }), { name: "TimeoutError" });
    proxy.network("cut");
    await assert.rejects(client.list(configMap, { namespace }), isTransient);
    proxy.network("open");
    await client.list(configMap, { namespace });
  }));

test("connections can be cut, held silent and kept waiting when they are opened", async () => {
  const faults = ["cut", "hold", undefined] as const;
  await stage({ connection: (index) => faults[index] }, async ({ client, proxy, namespace }) => {
    await assert.rejects(client.list(configMap, { namespace }), isTransient);
    await assert.rejects(client.list(configMap, { namespace, signal: AbortSignal.timeout(150) }));
    assert.deepEqual(proxy.statistics().faults, { "connection cut": 1, "connection hold": 1 });
    assert.equal(proxy.statistics().connections >= 2, true);
  });
});

const line = (name: string) =>
  `${JSON.stringify({ type: "ADDED", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name } } })}\n`;

/** The names that a watch of a, b and c yields, and how it ended. */
async function watched(script: ChaosScript) {
  const server = await startScriptedServer([pieces(line("a") + line("b"), line("c"))]);
  const proxy = await chaosProxy({ target: { server: server.url }, script, clock: manualClock() });
  const client = createClient(proxy.config);
  const names: string[] = [];
  let error: unknown;
  try {
    for await (const event of client.watch(configMap, { signal: AbortSignal.timeout(1_000) }))
      if (event.type !== "BOOKMARK") names.push(event.object.metadata.name ?? "");
  } catch (thrown) {
    error = thrown;
  }
  await client.close();
  await proxy.stop();
  await server.stop();
  return { names: names.join(""), error };
}

test("events of a watch are cut, truncated, expired, dropped, doubled and swapped as the script says", async () => {
  const at = (fault: NonNullable<ReturnType<NonNullable<ChaosScript["event"]>>>): ChaosScript => ({
    event: ({ index }) => (index === 1 ? fault : undefined),
  });
  assert.deepEqual(await watched({}), { names: "abc", error: undefined });
  assert.equal((await watched(at("drop"))).names, "ac");
  assert.equal((await watched(at("duplicate"))).names, "abbc");
  assert.equal((await watched(at("reorder"))).names, "acb");
  const expired = await watched(at("expire"));
  assert.equal(expired.names, "a");
  assert.ok(isGone(expired.error));
  for (const fault of ["cut", "truncate"] as const) {
    const broken = await watched(at(fault));
    assert.ok("a".startsWith(broken.names));
    assert.ok(broken.error instanceof ConnectionError);
  }
});

test("the same seed does the same, another seed another thing", async () => {
  const rates = {
    request: { cut: 0.2, unavailable: 0.2, tooManyRequests: 0.1 },
    response: { truncate: 0.2, delay: 0.1 },
    event: { expire: 0.1, cut: 0.2 },
    gone: 0.05,
  };
  const requests = Array.from({ length: 200 }, (_, index) => {
    const path = `/api/v1/namespaces/n/configmaps${index % 3 === 0 ? "?watch=true" : `/${index % 7}`}`;
    return { index, repeat: index >> 2, method: "GET", path, isWatch: index % 3 === 0 };
  });
  const fate = (seed: number) => {
    const script = seededChaos(seed, rates);
    return JSON.stringify(
      requests.map((request) => [
        script.request?.(request) ?? "",
        script.response?.(request) ?? "",
        script.event?.({ request, index: request.index % 5, line: "" }) ?? "",
      ]),
    );
  };
  assert.equal(fate(1), fate(1));
  assert.notEqual(fate(1), fate(2));
  const cuts = requests.filter((request) => seededChaos(3, rates).request?.(request) === "cut").length;
  assert.ok(cuts > 20 && cuts < 60, `${cuts} of 200 were cut`);
});

test("a server that is not there looks like a cut connection, and stopping may be repeated", async () => {
  const server = await startScriptedServer([json(200, {})]);
  await server.stop();
  const proxy = await chaosProxy({ target: { server: server.url } });
  const client = createClient(proxy.config, { tries: 1 });
  await assert.rejects(client.raw("GET", "/version"), ConnectionError);
  assert.deepEqual(proxy.statistics().faults, { "server unreachable": 1 });
  await client.close();
  await proxy.stop();
  await proxy.stop();
});
