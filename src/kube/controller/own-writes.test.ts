// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startPlane } from "../../plane/plane.ts";
import { createCache } from "../cache/cache.ts";
import type { Scope } from "../cache/scope.ts";
import { createClient } from "../client/client.ts";
import type { Client } from "../client/types.ts";
import { manualClock } from "../clock.ts";
import { type Secret, secret } from "../core.ts";
import type { KubeObject } from "../types.ts";
import { createOwnWrites } from "./own-writes.ts";

const plane = await startPlane({ memory: true, listen: false });
after(() => plane.stop());
const namespace = "default";

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
  let go = () => {};
  let gone = Promise.resolve();
  const client = createClient(
    { server: "http://plane" },
    {
      clock,
      async transport(request) {
        const response = await plane.handle({ ...request, user: { name: "test", groups: ["system:masters"] } });
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
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isSettled, false);
    deliver();
    await settled;
    assert.notEqual(cache.get({ namespace, name: "special" }), undefined);
    for (const name of ["plain", "special"]) await client.delete(secret, { namespace, name });
  }));
