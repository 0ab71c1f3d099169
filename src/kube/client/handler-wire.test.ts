// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../clock.ts";
import { secret } from "../core.ts";
import { isNotFound, isTimeout } from "../errors.ts";
import { createClient } from "./client.ts";
import type { HandlerRequest, HandlerTransport } from "./handler-wire.ts";
import type { ClientOptions } from "./types.ts";

const KEY = { namespace: "a", name: "b" };
const headers = { "content-type": "application/json" };
const event = `${JSON.stringify({ type: "ADDED", object: { metadata: KEY } })}\n`;

function clientOn(transport: HandlerTransport, options: ClientOptions = {}) {
  return createClient({ server: "https://plane", credentials: { token: "t" } }, { transport, ...options });
}

test("a server in this process gets the same request as one behind a socket", async () => {
  const seen: HandlerRequest[] = [];
  const client = clientOn(async (request) => {
    seen.push(request);
    return { status: 201, headers, body: JSON.stringify({ metadata: KEY }) };
  });
  await client.create(secret, { metadata: KEY }, { fieldManager: "m" });
  const [request] = seen;
  assert.equal(request?.method, "POST");
  assert.equal(request?.path, "/api/v1/namespaces/a/secrets?fieldManager=m");
  assert.equal(request?.headers.authorization, "Bearer t");
  assert.equal(request?.headers["content-type"], "application/json");
  assert.deepEqual(JSON.parse(String(request?.body)), { metadata: KEY, apiVersion: "v1", kind: "Secret" });
});

test("refusals, faults, time limits and gates are the same too", async () => {
  const status = { kind: "Status", code: 404, reason: "NotFound", message: "no" };
  const refusing = clientOn(async () => ({ status: 404, headers, body: JSON.stringify(status) }));
  await assert.rejects(refusing.get(secret, KEY), isNotFound);
  const faulty = clientOn(() => Promise.reject(new Error("fault")), { tries: 1 });
  await assert.rejects(faulty.get(secret, KEY), { name: "ConnectionError", message: 'get secrets "a/b": fault' });
  const clock = manualClock();
  let signal: AbortSignal | undefined;
  const silent = clientOn(
    (request) => {
      signal = request.signal;
      return new Promise(() => {});
    },
    { clock, tries: 1 },
  );
  const waiting = assert.rejects(silent.get(secret, KEY), isTimeout);
  await clock.untilWaiting();
  await clock.advance(30_000);
  await waiting;
  assert.equal(signal?.aborted, true);
  let calls = 0;
  const counted = clientOn(async () => {
    calls += 1;
    return { status: 200, headers, body: "{}" };
  });
  const gated = counted.withGate(() => {
    throw new Error("shut");
  });
  await assert.rejects(gated.create(secret, { metadata: KEY }), { message: "shut" });
  assert.equal(calls, 0);
});

test("a watch pulls at its own pace and lets go when it is left", async () => {
  const annotations = { padding: "x".repeat(512 * 1024) };
  const big = `${JSON.stringify({ type: "ADDED", object: { metadata: { ...KEY, annotations } } })}\n`;
  let pulled = 0;
  let isReleased = false;
  async function* body() {
    try {
      for (;;) {
        pulled += 1;
        yield big;
      }
    } finally {
      isReleased = true;
    }
  }
  const client = clientOn(async () => ({ status: 200, headers, body: body() }));
  let seen = 0;
  for await (const { type } of client.watch(secret)) {
    assert.equal(type, "ADDED");
    seen += 1;
    if (seen === 50) break;
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isReleased, true);
  assert.ok(pulled < seen + 5, `${pulled} were pulled for ${seen}`);
});

test("closing the client ends its watches and refuses what comes later", async () => {
  const client = clientOn(async ({ signal }) => ({
    status: 200,
    headers,
    body: (async function* () {
      yield event;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    })(),
  }));
  const events = client.watch(secret)[Symbol.asyncIterator]();
  await events.next();
  const next = assert.rejects(events.next(), { code: "CLOSED" });
  await client.close();
  await next;
  await assert.rejects(client.get(secret, KEY), { code: "CLOSED", wasSent: false });
});
