// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
import { manualClock } from "../clock.ts";
import { secret } from "../core.ts";
import { ApiError, ConnectionError, isGone, isTimeout } from "../errors.ts";
import type { KubeObject, WatchEvent } from "../types.ts";
import { createClient } from "./client.ts";
import { json, pieces, refuse, type Step, silent, startScriptedServer } from "./testing/scripted-server.ts";
import type { RequestRecord } from "./types.ts";

function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function added(name: string, resourceVersion = "1"): string {
  return line("ADDED", { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "a", resourceVersion } });
}

async function start(t: TestContext, steps: readonly Step[]) {
  const server = await startScriptedServer(steps);
  const clock = manualClock();
  const records: RequestRecord[] = [];
  const client = createClient({ server: server.url }, { clock, onRequest: (record) => void records.push(record) });
  t.after(async () => {
    await client.close();
    await server.stop();
  });
  return { server, clock, client, records };
}

/** What came, by name or version, and how it ended. */
async function read(
  events: AsyncIterable<WatchEvent<KubeObject>>,
): Promise<{ seen: (string | undefined)[]; error?: unknown }> {
  const seen: (string | undefined)[] = [];
  try {
    for await (const event of events)
      seen.push(event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.name);
    return { seen };
  } catch (error) {
    return { seen, error };
  }
}

test("events come in order, whole wherever the bytes are cut, and the stream ends when the server ends it", async (t) => {
  const text = Buffer.from(
    added("ä-€-😀") + line("MODIFIED", { metadata: { name: "b" } }) + line("DELETED", { metadata: { name: "c" } }),
  );
  const bytes = Array.from(text, (_, at) => text.subarray(at, at + 1));
  const { client } = await start(t, [pieces(...bytes)]);
  assert.deepEqual(await read(client.watch(secret)), { seen: ["ä-€-😀", "b", "c"] });
});

test("a watch asks for bookmarks and says all it was told", async (t) => {
  const { client, server } = await start(t, Array(3).fill(pieces("")));
  await read(client.watch(secret));
  const options = { namespace: "a", labelSelector: "x", fieldSelector: "y", resourceVersion: "5", timeoutSeconds: 9 };
  await read(client.watch(secret, { ...options, allowWatchBookmarks: false }));
  await read(client.watch(secret, { sendInitialEvents: true }));
  assert.deepEqual(
    server.seen.map(({ path }) => path),
    [
      "/api/v1/secrets?watch=true&allowWatchBookmarks=true",
      "/api/v1/namespaces/a/secrets?watch=true&labelSelector=x&fieldSelector=y&resourceVersion=5&timeoutSeconds=9",
      "/api/v1/secrets?watch=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true",
    ],
  );
});

test("bookmarks carry their version and tell where the initial events end", async (t) => {
  const annotations = { "k8s.io/initial-events-end": "true" };
  const bookmarks =
    line("BOOKMARK", { metadata: { resourceVersion: "5" } }) +
    line("BOOKMARK", { metadata: { resourceVersion: "6", annotations } });
  const { client } = await start(t, [pieces(bookmarks)]);
  const seen: WatchEvent<KubeObject>[] = [];
  for await (const event of client.watch(secret)) seen.push(event);
  assert.deepEqual(seen, [
    { type: "BOOKMARK", resourceVersion: "5", endsInitialEvents: false },
    { type: "BOOKMARK", resourceVersion: "6", endsInitialEvents: true },
  ]);
});

test("an ERROR event is thrown as the error it carries, after what came before it", async (t) => {
  const status = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
  const { client } = await start(t, [pieces(added("a") + line("ERROR", status))]);
  const { seen, error } = await read(client.watch(secret));
  assert.deepEqual(seen, ["a"]);
  assert.ok(isGone(error));
  assert.equal(error.message, "watch secrets: too old");
});

test("a refusal is thrown as it is, once, with its Retry-After", async (t) => {
  const { client, server, records } = await start(t, [
    refuse(410, "Expired"),
    refuse(429, "x", { "retry-after": "7" }),
  ]);
  assert.ok(isGone((await read(client.watch(secret))).error));
  const { error } = await read(client.watch(secret));
  assert.ok(error instanceof ApiError);
  assert.equal(error.retryAfterMs, 7000);
  assert.equal(server.seen.length, 2);
  assert.deepEqual(
    records.map(({ verb, status }) => [verb, status]),
    [
      ["watch", 410],
      ["watch", 429],
    ],
  );
});

test("a cut connection, half an event and nonsense are thrown, after what came before, and quote nothing", async (t) => {
  const cutOff: Step = (response) => {
    response.writeHead(200);
    response.write(added("a"), () => setImmediate(() => response.destroy()));
  };
  const half = pieces(added("b"), '{"type":"ADDED","object":{"canary');
  const nonsense = pieces(added("c"), '{"canary" oh\n');
  const unknown = pieces(line("CANARY", {}));
  const { client } = await start(t, [cutOff, half, nonsense, unknown]);
  for (const expected of [["a"], ["b"], ["c"], []]) {
    const { seen, error } = await read(client.watch(secret));
    assert.deepEqual(seen, expected);
    assert.ok(error instanceof ConnectionError && error.wasSent);
    assert.doesNotMatch(inspect(error, { depth: 20 }), /canary/i);
  }
});

test("a server that never begins to answer is left after the time limit; one that began may be silent for ever", async (t) => {
  const began: Step = (response) => {
    response.writeHead(200);
    response.flushHeaders();
  };
  const { client, clock, server, records } = await start(t, [silent, began]);
  const first = read(client.watch(secret));
  await server.untilSeen(1);
  await clock.advance(30_000);
  assert.ok(isTimeout((await first).error));
  const controller = new AbortController();
  const second = read(client.watch(secret, { signal: controller.signal }));
  while (records.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(clock.waiting, 0);
  controller.abort("enough");
  assert.deepEqual(await second, { seen: [], error: "enough" });
});

test("leaving the loop closes the connection, and so does closing the client", async (t) => {
  let closed = 0;
  const open: Step = (response) => {
    response.on("close", () => {
      closed += 1;
    });
    response.writeHead(200);
    response.write(added("a"));
  };
  const { client } = await start(t, [open, open]);
  for await (const _event of client.watch(secret)) break;
  while (closed < 1) await new Promise((resolve) => setImmediate(resolve));
  let error: unknown;
  for await (const _event of client.watch(secret)) {
    const reading = client.close();
    await reading.catch((reason) => {
      error = reason;
    });
    break;
  }
  while (closed < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(error, undefined);
});

test("watches take no connection from requests", async (t) => {
  const open: Step = (response) => {
    response.writeHead(200);
    response.write(added("a"));
  };
  const { client } = await start(t, [...Array(20).fill(open), json(200, { metadata: {} })]);
  const watches = Array.from({ length: 20 }, () => client.watch(secret)[Symbol.asyncIterator]());
  await Promise.all(watches.map((each) => each.next()));
  await client.get(secret, { namespace: "a", name: "b" });
  await Promise.all(watches.map((each) => each.return?.()));
});

test("a slow reader makes the server wait instead of filling the memory, and misses nothing", async (t) => {
  const padding = "x".repeat(64 * 1024);
  const one = (at: number) => line("ADDED", { metadata: { name: `${at}`, annotations: { padding } } });
  let sent = 0;
  const count = 600;
  const flood: Step = async (response) => {
    response.writeHead(200);
    for (let at = 0; at < count; at += 1) {
      await new Promise((resolve) => response.write(one(at), resolve));
      sent += 1;
    }
    response.end();
  };
  const { client } = await start(t, [flood]);
  const events = client.watch(secret)[Symbol.asyncIterator]();
  await events.next();
  // Whatever can flow without a reader has flown when nothing more was sent in many turns of the loop.
  for (let quiet = 0, before = sent; quiet < 200; quiet = sent === before ? quiet + 1 : 0, before = sent)
    await new Promise((resolve) => setImmediate(resolve));
  assert.ok(sent < count, `${sent} of ${count} were taken`);
  let seen = 1;
  for (let next = await events.next(); !next.done; next = await events.next()) seen += 1;
  assert.equal(seen, count);
});
