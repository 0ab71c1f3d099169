// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
import { manualClock } from "../clock.ts";
import { configMap, lease, secret } from "../core.ts";
import {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  isTimeout,
  isTransient,
} from "../errors.ts";
import { createClient } from "./client.ts";
import { eagerClock } from "./testing/eager-clock.ts";
import {
  cut,
  cutAfter,
  json,
  pieces,
  refuse,
  type Step,
  silent,
  startScriptedServer,
} from "./testing/scripted-server.ts";
import type { ClientOptions, RequestRecord } from "./types.ts";

const KEY = { namespace: "a", name: "b" };
const OBJECT = { apiVersion: "v1", kind: "Secret", metadata: { ...KEY, resourceVersion: "7", uid: "u" } };

async function start(t: TestContext, steps: readonly Step[], options: ClientOptions & { prefix?: string } = {}) {
  const server = await startScriptedServer(steps);
  const clock = eagerClock();
  const records: RequestRecord[] = [];
  const client = createClient(
    { server: server.url + (options.prefix ?? ""), credentials: { token: "canary-token" } },
    { clock, random: () => 0.5, onRequest: (record) => void records.push(record), ...options },
  );
  t.after(async () => {
    await client.close();
    await server.stop();
  });
  return { server, clock, client, records };
}

test("every verb has exactly its method, path, query, type and body", async (t) => {
  const { server, client } = await start(t, Array(9).fill(json(200, OBJECT)));
  const dry = { dryRun: true, fieldValidation: "Strict", fieldManager: "m" } as const;
  await client.get(secret, KEY, { resourceVersion: "0" });
  await client.create(secret, { metadata: KEY, type: "x" }, dry);
  await client.update(secret, OBJECT, { subresource: "status" });
  await client.mergePatch(secret, KEY, { data: null, metadata: { labels: { a: null } } });
  await client.jsonPatch(secret, KEY, [{ op: "remove", path: "/data" }]);
  await client.apply(secret, { metadata: KEY, data: { k: "dg==" } }, { fieldManager: "m", force: true });
  await client.delete(secret, KEY);
  const preconditions = { uid: "u", resourceVersion: "7" };
  const deleted = { preconditions, propagationPolicy: "Foreground", gracePeriodSeconds: 0, dryRun: true } as const;
  await client.delete(secret, KEY, deleted);
  await client.raw("POST", "/x?y=z", { body: { a: 1 } });
  const path = "/api/v1/namespaces/a/secrets";
  const typed = { apiVersion: "v1", kind: "Secret" };
  assert.deepEqual(
    server.seen.map(({ method, path, headers, body }) => [
      method,
      path,
      headers["content-type"],
      body && JSON.parse(body),
    ]),
    [
      ["GET", `${path}/b?resourceVersion=0`, undefined, ""],
      [
        "POST",
        `${path}?fieldManager=m&dryRun=All&fieldValidation=Strict`,
        "application/json",
        { metadata: KEY, type: "x", ...typed },
      ],
      ["PUT", `${path}/b/status`, "application/json", OBJECT],
      ["PATCH", `${path}/b`, "application/merge-patch+json", { data: null, metadata: { labels: { a: null } } }],
      ["PATCH", `${path}/b`, "application/json-patch+json", [{ op: "remove", path: "/data" }]],
      [
        "PATCH",
        `${path}/b?fieldManager=m&force=true`,
        "application/apply-patch+yaml",
        { metadata: KEY, data: { k: "dg==" }, ...typed },
      ],
      ["DELETE", `${path}/b`, undefined, ""],
      [
        "DELETE",
        `${path}/b`,
        "application/json",
        { apiVersion: "v1", kind: "DeleteOptions", ...deleted, dryRun: ["All"] },
      ],
      ["POST", "/x?y=z", "application/json", { a: 1 }],
    ],
  );
});

test("each request says who sends it, what it takes and which it is, below the path of the server's address", async (t) => {
  const { server, client } = await start(t, Array(5).fill(json(200, OBJECT)), {
    prefix: "/k8s/clusters/c-1/",
    userAgent: "x/1",
  });
  for (let count = 0; count < 5; count += 1) await client.get(secret, KEY);
  const [first, second] = server.seen;
  assert.equal(first?.path, "/k8s/clusters/c-1/api/v1/namespaces/a/secrets/b");
  assert.equal(first?.headers.authorization, "Bearer canary-token");
  assert.equal(first?.headers["user-agent"], "x/1");
  assert.equal(first?.headers.accept, "application/json");
  assert.match(String(first?.headers["audit-id"]), /^[0-9a-f]{16}-1$/);
  assert.notEqual(first?.headers["audit-id"], second?.headers["audit-id"]);
  assert.ok(server.connections <= 2, "connections are kept");
});

test("a read survives cut connections, half answers and passing errors of the server", async (t) => {
  const steps = [cut, cutAfter('{"kind":"Sec'), pieces('{"apiVersion":"v1","kind'), json(200, OBJECT)];
  const { client, clock, records } = await start(t, steps);
  assert.deepEqual(await client.get(secret, KEY), OBJECT);
  assert.deepEqual(clock.pauses, [50, 100, 200]);
  assert.deepEqual(
    records.map(({ attempt, status }) => [attempt, status]),
    [
      [1, undefined],
      [2, 200],
      [3, 200],
      [4, 200],
    ],
  );
});

test("a read gives up after its tries with the last error", async (t) => {
  const { client, server } = await start(t, [
    cut,
    refuse(500, "InternalError"),
    refuse(502, ""),
    refuse(503, "ServiceUnavailable"),
  ]);
  await assert.rejects(
    client.get(secret, KEY),
    (error) => isTransient(error) && error instanceof ApiError && error.status === 503,
  );
  assert.equal(server.seen.length, 4);
});

test("Retry-After is honoured for reads and for writes, in seconds and as a date by the server's clock", async (t) => {
  const date = new Date(Date.UTC(2020, 0, 1)).toUTCString();
  const later = new Date(Date.UTC(2020, 0, 1) + 10_000).toUTCString();
  const steps = [
    refuse(429, "TooManyRequests", { "retry-after": "3" }),
    refuse(429, "TooManyRequests", { "retry-after": later, date }),
    json(201, OBJECT),
    refuse(503, "ServiceUnavailable", { "retry-after": "2" }),
    json(200, OBJECT),
  ];
  const { client, clock } = await start(t, steps);
  await client.create(secret, { metadata: KEY });
  await client.get(secret, KEY);
  const [first = 0, second = 0, third = 0] = clock.pauses;
  assert.ok(first >= 3000 && first < 4000, `${first}`);
  assert.ok(second >= 10_000 && second <= 12_000, `${second}`);
  assert.equal(third, 2000);
});

test("a server that keeps putting us off is left when the time for the call is over, not earlier", async (t) => {
  const clock = eagerClock((delayMs) => delayMs === 11_000);
  const { client, server } = await start(t, Array(60).fill(refuse(429, "TooManyRequests", { "retry-after": "10" })), {
    clock,
  });
  await assert.rejects(client.create(secret, { metadata: KEY }), {
    name: "ApiError",
    status: 429,
    retryAfterMs: 10_000,
  });
  assert.ok(clock.monotonic() > 100_000 && clock.monotonic() < 120_000);
  assert.equal(server.seen.length, clock.pauses.length + 1);
});

test("a write is not sent twice where twice could be too often", async (t) => {
  const { client, server } = await start(t, [cut, refuse(500, "x"), refuse(504, "Timeout"), cut, cut, cut]);
  const wasSent = (error: unknown) => error instanceof ConnectionError && error.wasSent;
  await assert.rejects(client.create(secret, { metadata: KEY }), wasSent);
  await assert.rejects(client.mergePatch(secret, KEY, { data: null }), ApiError);
  await assert.rejects(client.apply(secret, { metadata: KEY }, { fieldManager: "m" }), ApiError);
  await assert.rejects(client.delete(secret, KEY), wasSent);
  await assert.rejects(client.update(secret, { metadata: KEY }), wasSent);
  await assert.rejects(client.raw("POST", "/x"), wasSent);
  assert.equal(server.seen.length, 6);
});

test("a write that is bound to a version or a uid, or a dry run, is repeated", async (t) => {
  const ok = json(200, OBJECT);
  const { client, server } = await start(t, [cut, ok, cut, ok, cut, ok, cut, ok, cut, ok, cut, ok]);
  await client.update(secret, OBJECT);
  await client.mergePatch(secret, KEY, { metadata: { resourceVersion: "7" } });
  await client.jsonPatch(secret, KEY, [{ op: "test", path: "/metadata/resourceVersion", value: "7" }]);
  await client.apply(secret, { metadata: { ...KEY, resourceVersion: "7" } }, { fieldManager: "m" });
  await client.delete(secret, KEY, { preconditions: { uid: "u" } });
  await client.create(secret, { metadata: KEY }, { dryRun: true });
  assert.equal(server.seen.length, 12);
});

test("a write that never left is repeated, and says so when it cannot", async (t) => {
  const { client, server } = await start(t, []);
  await server.stop();
  t.mock.method(server, "stop", async () => {});
  await assert.rejects(client.create(secret, { metadata: KEY }), (error) => {
    assert.ok(error instanceof ConnectionError);
    assert.equal(error.wasSent, false);
    assert.equal(error.code, "ECONNREFUSED");
    assert.match(error.message, /^create secrets "a\/b": connect ECONNREFUSED 127\.0\.0\.1/);
    return true;
  });
});

test("a write of which one try may have had an effect says so, however its last one ends", async (t) => {
  const doubts: string[] = [];
  const onDoubt = (what: string) => ({ onDoubt: () => void doubts.push(what) });
  const leave: Step = (response) => {
    void stopped();
    response.destroy();
  };
  const steps = [refuse(429, "TooManyRequests"), json(200, OBJECT), cut, refuse(403, "Forbidden"), leave];
  const { client, server } = await start(t, steps);
  const stopped = server.stop;
  t.mock.method(server, "stop", async () => {});
  await client.update(secret, OBJECT, onDoubt("put off"));
  await assert.rejects(client.update(secret, OBJECT, onDoubt("refused at last")), isForbidden);
  await assert.rejects(client.update(secret, OBJECT, onDoubt("server gone")), (error) => {
    assert.ok(error instanceof ConnectionError);
    assert.deepEqual([error.code, error.wasSent], ["ECONNREFUSED", true]);
    return true;
  });
  assert.deepEqual(doubts, ["refused at last", "server gone"]);
});

test("one try is over after its time limit, by the client's clock, whether headers or the body are late", async (t) => {
  const slow: Step = (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"kind":');
  };
  const clock = manualClock();
  const { client, server } = await start(t, [silent, slow, json(200, OBJECT)], { clock });
  const answer = client.get(secret, KEY);
  await server.untilSeen(1);
  await clock.advance(30_000);
  await clock.advance(100);
  await server.untilSeen(2);
  await clock.advance(30_000);
  await clock.advance(100);
  assert.deepEqual(await answer, OBJECT);
  assert.equal(clock.waiting, 0, "no timer is left behind");
});

test("the whole call is over after its own time limit, and a time limit says whether the request had left", async (t) => {
  const clock = manualClock();
  const { client, server } = await start(t, [silent], { clock });
  const answer = assert.rejects(client.get(secret, KEY, { totalMs: 1000 }), (error) => {
    assert.ok(isTimeout(error) && error instanceof ConnectionError && error.wasSent);
    assert.match(error.message, /^get secrets "a\/b": no complete answer within 1000 ms$/);
    return true;
  });
  await server.untilSeen(1);
  await clock.advance(1000);
  await answer;
});

test("an aborted signal ends a call at once: before it, under way, and in the pause before the next try", async (t) => {
  const clock = manualClock();
  const { client, server, records } = await start(t, [silent, cut], { clock });
  await assert.rejects(client.get(secret, KEY, { signal: AbortSignal.abort("early") }), (reason) => reason === "early");
  assert.equal(server.seen.length, 0);
  const controller = new AbortController();
  const underWay = client.get(secret, KEY, { signal: controller.signal });
  await server.untilSeen(1);
  controller.abort("now");
  await assert.rejects(underWay, (reason) => reason === "now");
  assert.equal(records.at(-1)?.failure, "ABORTED");
  const other = new AbortController();
  const between = client.get(secret, KEY, { signal: other.signal });
  await server.untilSeen(2);
  while (clock.nextInMs !== 50) await new Promise((resolve) => setImmediate(resolve));
  other.abort("later");
  await assert.rejects(between, (reason) => reason === "later");
  assert.equal(clock.waiting, 0);
});

test("a gate that closes while a write waits for a connection keeps it from being sent", async (t) => {
  let isOpen = true;
  const gate = () => {
    if (!isOpen) throw new Error("not the leader");
  };
  let release = () => {};
  const held: Step = (response, request) => {
    release = () => json(200, OBJECT)(response, request);
  };
  const { client, server, records } = await start(t, [held, json(200, OBJECT)], { connections: 1 });
  const gated = client.withGate(gate);
  const first = client.get(secret, KEY);
  await server.untilSeen(1);
  const second = assert.rejects(gated.create(secret, { metadata: KEY }), { message: "not the leader" });
  isOpen = false;
  release();
  await first;
  await second;
  assert.equal(records.at(-1)?.failure, "NOT_SENT");
  await gated.close();
  await gated.get(secret, KEY);
  assert.deepEqual(
    server.seen.map(({ method }) => method),
    ["GET", "GET"],
    "reads pass, and the connections are still there",
  );
});

test("a request that is given up while it waits for a connection never leaves, and costs no connection", async (t) => {
  let release = () => {};
  const held: Step = (response, request) => {
    release = () => json(200, OBJECT)(response, request);
  };
  const { client, server } = await start(t, [held, json(200, OBJECT)], { connections: 1 });
  const first = client.get(secret, KEY);
  await server.untilSeen(1);
  const controller = new AbortController();
  const second = client.create(secret, { metadata: KEY }, { signal: controller.signal });
  controller.abort("enough");
  await assert.rejects(second, (reason) => reason === "enough");
  const third = client.get(secret, KEY);
  release();
  await Promise.all([first, third]);
  assert.deepEqual([server.seen.length, server.connections], [2, 1]);
});

test("a repeat passes the gate again", async (t) => {
  let calls = 0;
  const gate = () => {
    calls += 1;
    if (calls > 1) throw new Error("not the leader");
  };
  const { client, server } = await start(t, [cut], { gate });
  await assert.rejects(client.update(secret, OBJECT), { message: "not the leader" });
  assert.equal(server.seen.length, 1);
});

test("refusals are typed errors that say what was asked, what the server said and which request it was", async (t) => {
  const causes = [{ reason: "FieldValueInvalid", field: "data", message: "no" }];
  const invalid = {
    kind: "Status",
    code: 422,
    reason: "Invalid",
    message: "bad",
    details: { causes, retryAfterSeconds: 1 },
  };
  const { client } = await start(t, [
    refuse(404, "NotFound"),
    refuse(409, "AlreadyExists"),
    refuse(409, "Conflict"),
    json(422, invalid),
    (response) => response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found\n"),
    (response) => response.writeHead(302, { location: "http://elsewhere" }).end("<html>"),
  ]);
  await assert.rejects(client.get(lease, KEY), isNotFound);
  await assert.rejects(client.create(secret, { metadata: KEY }), isAlreadyExists);
  await assert.rejects(client.update(secret, OBJECT), (error) => isConflict(error) && !isAlreadyExists(error));
  await assert.rejects(client.update(secret, OBJECT), (error) => {
    assert.ok(error instanceof ApiError);
    const { status, code, reason, causes: got, retryAfterMs, message, requestId } = error;
    assert.deepEqual(
      { status, code, reason, retryAfterMs },
      { status: 422, code: 422, reason: "Invalid", retryAfterMs: 1000 },
    );
    assert.deepEqual(got, causes);
    assert.equal(message, 'update secrets "a/b": bad');
    assert.match(String(requestId), /-4$/);
    return true;
  });
  await assert.rejects(client.raw("GET", "/nope"), { status: 404, message: "GET /nope: 404 page not found" });
  await assert.rejects(client.raw("GET", "/moved"), { status: 302, message: "GET /moved: the server answered 302" });
});

test("no credential and no part of an unreadable answer is in any error", async (t) => {
  const leak = pieces('{"data":{"password":"canary-secret');
  const { client } = await start(t, [leak, cut, refuse(401, "Unauthorized"), silent], { tries: 1 });
  const controller = new AbortController();
  for (const attempt of [
    client.get(secret, KEY),
    client.create(secret, { metadata: KEY, stringData: { password: "canary-secret" } }),
    client.get(secret, KEY),
  ])
    await assert.rejects(attempt, (error) => !/canary/.test(inspect(error, { depth: 20, showHidden: true })));
  controller.abort();
});

test("an answer that is no object is said to be none", async (t) => {
  const { client } = await start(t, [
    json(200, [1]),
    (response) => response.end("fine"),
    json(200, { metadata: {}, items: 1 }),
  ]);
  await assert.rejects(client.get(secret, KEY), { name: "ConnectionError", code: "BAD_ANSWER" });
  await assert.rejects(client.get(secret, KEY), { name: "ConnectionError", code: "BAD_ANSWER" });
  await assert.rejects(client.list(secret), { name: "ConnectionError", code: "BAD_ANSWER" });
});

test("a mistake in the arguments rejects and sends nothing", async (t) => {
  const { client, server } = await start(t, []);
  await assert.rejects(client.get(secret, { name: "x" }), TypeError);
  await assert.rejects(client.create(secret, { metadata: { name: "x" } }), TypeError);
  await assert.rejects(client.update(secret, { metadata: { namespace: "x" } }), TypeError);
  assert.equal(server.seen.length, 0);
});

test("requests are recorded with verb, resource, status, duration and the server's warnings", async (t) => {
  const { client, records } = await start(t, [json(200, OBJECT, { warning: '299 - "old \\"v1\\"", 299 - "x"' })]);
  await client.get(configMap, KEY, { subresource: "status" });
  const [record] = records;
  assert.ok(record);
  const { id: _id, host: _host, durationMs, ...rest } = record;
  assert.ok(durationMs >= 0);
  const asked = { verb: "get", method: "GET", group: "", resource: "configmaps", subresource: "status" };
  assert.deepEqual(rest, { ...asked, attempt: 1, status: 200, failure: undefined, warnings: ['old "v1"', "x"] });
});

test("what a listener throws is its own problem", async (t) => {
  const onRequest = () => {
    throw new Error("metrics are down");
  };
  const { client } = await start(t, [json(200, OBJECT)], { onRequest });
  await client.get(secret, KEY);
});

test("sixteen connections carry what is sent at once, and no more", async (t) => {
  const { client, server } = await start(t, Array(64).fill(json(200, OBJECT)));
  await Promise.all(Array.from({ length: 64 }, () => client.get(secret, KEY)));
  assert.ok(server.connections <= 16, `${server.connections}`);
});

test("a closed client refuses at once, and closing twice is fine", async (t) => {
  const { client, server } = await start(t, [json(200, OBJECT)]);
  await client.get(secret, KEY);
  await client.close();
  await client.close();
  await assert.rejects(client.get(secret, KEY), { code: "CLOSED", wasSent: false });
  assert.equal(server.seen.length, 1);
});
