// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startPlane } from "../../plane/plane.ts";
import { createCache } from "../cache/cache.ts";
import type { Scope } from "../cache/scope.ts";
import { answer, status } from "../cache/testing/fake-api.ts";
import { createClient } from "../client/client.ts";
import type { HandlerRequest, HandlerResponse } from "../client/handler-wire.ts";
import type { Client } from "../client/types.ts";
import { manualClock } from "../clock.ts";
import { type Secret, secret } from "../core.ts";
import { isConflict, isForbidden } from "../errors.ts";
import type { KubeObject } from "../types.ts";
import { createOwnWrites } from "./own-writes.ts";

const plane = await startPlane({ memory: true, listen: false });
after(() => plane.stop());
const namespace = "default";

/** What a server in between makes of a request; undefined passes it on. */
type Instead = (request: HandlerRequest, execute: () => Promise<unknown>) => Promise<HandlerResponse> | undefined;

/** A cache on a plane in this process, all its time standing still: bookmarks never come. */
async function stage(scope: Scope, run: (on: Awaited<ReturnType<typeof open>>) => Promise<void>): Promise<void> {
  const on = await open(scope);
  try {
    await run(on);
  } finally {
    on.ended.abort(new Error("the test is over"));
    await on.running;
    await on.client.close();
  }
  assert.equal(on.clock.waiting, 0);
}

async function open(scope: Scope) {
  const clock = manualClock();
  let isLate = false;
  let instead: Instead = () => undefined;
  let go = () => {};
  let gone = Promise.resolve();
  const client = createClient(
    { server: "http://plane" },
    {
      clock,
      async transport(request) {
        const execute = () => plane.handle({ ...request, user: { name: "test", groups: ["system:masters"] } });
        const response = (await instead(request, execute)) ?? (await execute());
        if (!request.path.includes("watch=true")) return response;
        async function* late(body: string | AsyncIterable<string>) {
          for await (const piece of typeof body === "string" ? [body] : body) {
            if (isLate) await gone;
            yield piece;
          }
        }
        return { ...response, body: late(response.body) };
      },
    },
  );
  const cache = createCache(client, secret, { ...scope, clock });
  const ended = new AbortController();
  const running = cache.start(ended.signal);
  await cache.synced;
  const problems: unknown[] = [];
  const untyped = cache as unknown as ReturnType<typeof createCache<KubeObject>>;
  const onProblem = (error: unknown) => void problems.push(error);
  const writes = createOwnWrites({ client, caches: [untyped], clock, random: () => 0.5, onProblem });
  const writer: Client = writes.clientFor("key", client);
  return {
    clock,
    client,
    cache,
    ended,
    running,
    writes,
    writer,
    problems,
    /** Puts something between the client and the server. */
    intercept(next: Instead) {
      instead = next;
    },
    delay() {
      isLate = true;
      gone = new Promise((resolve) => {
        go = resolve;
      });
    },
    deliver() {
      isLate = false;
      go();
    },
  };
}

function draft(name: string, own: Partial<Secret> & { labels?: Record<string, string> } = {}) {
  const { labels = {}, ...rest } = own;
  return { metadata: { name, namespace, labels }, ...rest };
}

/** Lets promises run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a write that a selector leaves out is not waited for", () =>
  stage({ labelSelector: "mine=yes" }, async ({ writes, writer, cache, problems }) => {
    const never = new AbortController().signal;
    await writer.create(secret, draft("foreign"));
    assert.equal(writes.areSeen("key"), true);
    await writer.mergePatch(secret, { namespace, name: "foreign" }, { metadata: { labels: { mine: "no" } } });
    await writes.settled("key", never);
    const metadata = { name: "own", namespace, labels: { mine: "yes" } };
    await writer.apply(secret, { metadata }, { fieldManager: "test" });
    await writes.settled("key", never);
    assert.notEqual(cache.get({ namespace, name: "own" }), undefined);
    // Everything up to here was seen with it.
    assert.equal(writes.areSeen("key"), true);
    assert.equal(writes.size, 0);
    assert.deepEqual(problems, []);
    for (const name of ["own", "foreign"]) await writer.delete(secret, { namespace, name });
    await writes.settled("key", never);
  }));

test("an object that its own write has taken out of the cache is waited for until it is out", () =>
  stage({ labelSelector: "mine=yes" }, async ({ writes, writer, client, cache, delay, deliver }) => {
    const key = { namespace, name: "leaves" };
    const never = new AbortController().signal;
    delay();
    await client.create(secret, draft("leaves", { labels: { mine: "yes" } }));
    await writer.mergePatch(secret, key, { metadata: { labels: { mine: null } } });
    // The cache does not have it yet, and may be asked: it is out, as it was left.
    assert.equal(cache.get(key), undefined);
    assert.equal(writes.areSeen("key"), true);
    const seen: (string | undefined)[] = [];
    cache.subscribe((_old, now) => {
      // What is older than the own write is not worked on when it turns up after all.
      seen.push(now?.metadata.name);
      assert.equal(writes.areSeen("key"), now === undefined);
    });
    deliver();
    await cache.caughtUp(never);
    await client.create(secret, draft("last", { labels: { mine: "yes" } }));
    await cache.caughtUp(never);
    assert.deepEqual(seen, ["leaves", undefined, "last"]);
    assert.equal(writes.areSeen("key"), true);
    assert.equal(writes.size, 0);
    for (const name of ["leaves", "last"]) await client.delete(secret, { namespace, name });
  }));

test("where only the server knows whether a selector takes an object, it is asked", () =>
  stage({ fieldSelector: "type=example.com/special" }, async ({ writes, writer, client, cache, delay, deliver }) => {
    const never = new AbortController().signal;
    await writer.create(secret, draft("plain"));
    assert.equal(writes.areSeen("key"), false);
    await writes.settled("key", never);
    delay();
    await writer.create(secret, draft("special", { type: "example.com/special" }));
    let isSettled = false;
    const settled = writes.settled("key", never).then(() => {
      isSettled = true;
    });
    for (let count = 0; count < 20; count += 1) await turn();
    assert.equal(isSettled, false);
    deliver();
    await settled;
    assert.notEqual(cache.get({ namespace, name: "special" }), undefined);
    for (const name of ["plain", "special"]) await client.delete(secret, { namespace, name });
  }));

test("a write of which an earlier try was kept is waited for, though its last one was refused", () =>
  stage({}, async ({ writes, writer, client, cache, clock, delay, deliver, intercept }) => {
    const key = { namespace, name: "doubtful" };
    const never = new AbortController().signal;
    const made = await client.create(secret, draft("doubtful"));
    await cache.caughtUp(never);
    delay();
    let tries = 0;
    intercept(({ method }, execute) => {
      if (method !== "PUT") return undefined;
      tries += 1;
      if (tries > 1) return Promise.resolve(status(403, "Forbidden"));
      return execute().then(() => Promise.reject(Object.assign(new Error("cut"), { code: "ECONNRESET" })));
    });
    const refused = assert.rejects(writer.update(secret, { ...made, data: { x: "MQ==" } }), isForbidden);
    while (clock.nextInMs === undefined || clock.nextInMs > 1000) await turn();
    await clock.advance(1000);
    await refused;
    assert.equal(tries, 2);
    assert.equal(writes.areSeen("key"), false);
    const settled = writes.settled("key", never);
    deliver();
    await settled;
    assert.equal(cache.get(key)?.data?.x, "MQ==");
    await client.delete(secret, key);
  }));

test("writes that are answered with a Scale or a Status are waited for, tokens are not", () =>
  stage({}, async ({ writes, writer, client, cache, delay, deliver, intercept }) => {
    const key = { namespace, name: "scaled" };
    const never = new AbortController().signal;
    const { metadata } = await client.create(secret, draft("scaled"));
    await cache.caughtUp(never);
    intercept(({ path }) =>
      path.includes("/scaled/token")
        ? Promise.resolve(answer(201, { kind: "TokenRequest", metadata: key }))
        : undefined,
    );
    await writer.create(secret, draft("scaled"), { subresource: "token" });
    assert.equal(writes.areSeen("key"), true);
    for (const kind of ["Scale", "Status"]) {
      delay();
      intercept(({ path }) => {
        if (!path.includes("/scaled/scale")) return undefined;
        return client.mergePatch(secret, key, { data: { x: btoa(kind) } }).then(({ metadata: { resourceVersion } }) => {
          const { uid } = metadata;
          return answer(200, { kind, metadata: kind === "Scale" ? { ...key, uid, resourceVersion } : {} });
        });
      });
      await writer.mergePatch(secret, key, {}, { subresource: "scale" });
      assert.equal(writes.areSeen("key"), false, kind);
      const settled = writes.settled("key", never);
      deliver();
      await settled;
      assert.equal(cache.get(key)?.data?.x, btoa(kind));
    }
    await client.delete(secret, key);
  }));

test("a conflict is asked after with the rights that the cache has", () =>
  stage({}, async ({ writes, writer, client, cache, intercept, problems }) => {
    const key = { namespace, name: "listed" };
    const never = new AbortController().signal;
    await client.create(secret, draft("listed"));
    await cache.caughtUp(never);
    intercept(({ method, path }) => {
      if (method === "PATCH") return Promise.resolve(status(409, "Conflict"));
      return path.endsWith("/listed") && method === "GET" ? Promise.resolve(status(403, "Forbidden")) : undefined;
    });
    await assert.rejects(writer.mergePatch(secret, key, {}), isConflict);
    assert.equal(writes.areSeen("key"), false);
    await writes.settled("key", never);
    assert.deepEqual(problems, []);
    await client.delete(secret, key);
  }));

test("an object that was deleted before the cache heard of it is not worked on when it turns up", () =>
  stage({}, async ({ writes, writer, client, cache, delay, deliver, intercept }) => {
    const key = { namespace, name: "twice" };
    const never = new AbortController().signal;
    await client.create(secret, draft("twice"));
    await cache.caughtUp(never);
    delay();
    await client.delete(secret, key);
    const { metadata } = await client.create(secret, draft("twice"));
    intercept(({ method }, execute) =>
      method === "DELETE"
        ? execute().then(() => answer(200, { kind: "Status", metadata: {}, details: { uid: metadata.uid } }))
        : undefined,
    );
    await writer.delete(secret, key);
    // The cache still has its predecessor.
    assert.equal(writes.areSeen("key"), false);
    const settled = writes.settled("key", never);
    const seen: [string | undefined, boolean][] = [];
    const stop = cache.subscribe((old, now) => {
      if ((now ?? old)?.metadata.name === "twice") seen.push([now?.metadata.uid, writes.areSeen("key")]);
    });
    for (let count = 0; count < 20; count += 1) await turn();
    deliver();
    await settled;
    await cache.caughtUp(never);
    await client.create(secret, draft("last"));
    await cache.caughtUp(never);
    stop();
    const [, ...later] = seen;
    assert.deepEqual(later, [
      [undefined, true],
      [metadata.uid, false],
      [undefined, true],
    ]);
    assert.equal(writes.areSeen("key"), true);
    assert.equal(writes.size, 0);
    await client.delete(secret, { namespace, name: "last" });
  }));
