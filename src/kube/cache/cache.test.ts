// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigMap } from "../core.ts";
import { isGone } from "../errors.ts";
import { SilentWatchError } from "./follow.ts";
import { HistoryChangedError } from "./history.ts";
import { CacheDisorderError } from "./take-over.ts";
import { answer, status } from "./testing/fake-api.ts";
import { contents, type Stage, startStage } from "./testing/stage.ts";

const MINUTE_MS = 60_000;

async function withStage(run: (stage: Stage) => Promise<void>, ...options: Parameters<typeof startStage>) {
  const stage = startStage(...options);
  try {
    await run(stage);
  } finally {
    await stage.stop();
  }
  assert.equal(stage.clock.waiting, 0, "a wait was left behind");
}

function assertEqual({ cache, api }: Stage) {
  assert.deepEqual(contents(cache.list()), contents(api.objects.values()));
}

test("a cache reads the list as a stream and follows it on the same connection", () =>
  withStage(async (stage) => {
    const { api, cache, settle } = stage;
    assert.equal(cache.isSynced, false);
    assert.equal(cache.age(), Number.POSITIVE_INFINITY);
    await cache.synced;
    api.put("a/one", { x: "1" });
    api.put("a/one", { x: "2" });
    api.put("b/two", {});
    api.remove("b/two");
    await settle();
    assertEqual(stage);
    assert.equal(cache.get({ namespace: "a", name: "one" })?.data?.x, "2");
    assert.deepEqual(api.log, ["stream"]);
  }));

test("a server that streams no lists is asked page by page, and not asked to stream again", () =>
  withStage(
    async (stage) => {
      const { api, cache, clock, settle } = stage;
      await cache.synced;
      await settle();
      assert.deepEqual(api.log, ["stream", "list", "watch from 1"]);
      api.put("a/one", {});
      api.compact();
      api.end("expired");
      await clock.advance(1000);
      assertEqual(stage);
      assert.deepEqual(api.log.slice(3), ["list", "watch from 2"]);
    },
    {},
    { streamsLists: false },
  ));

test("a watch that ends or breaks goes on where it was", () =>
  withStage(async (stage) => {
    const { api, cache, clock, settle } = stage;
    await cache.synced;
    api.put("a/one", {});
    await settle();
    api.end("clean");
    await clock.advance(1000);
    api.put("a/two", {});
    await settle();
    api.end("cut");
    api.put("a/three", {});
    await clock.advance(1000);
    assertEqual(stage);
    assert.deepEqual(api.log, ["stream", "watch from 2", "watch from 3"]);
  }));

test("a bookmark moves the place from which a watch goes on", () =>
  withStage(async ({ api, cache, clock, settle }) => {
    await cache.synced;
    for (let index = 0; index < 5; index += 1) api.put("a/one", { index: `${index}` });
    api.bookmark();
    await settle();
    api.compact();
    api.end("cut");
    await clock.advance(1000);
    assert.equal(api.log.at(-1), "watch from 6");
    assert.equal(cache.position, "6");
  }));

test("410, as a status and in a stream, leads to a new list, and listeners hear what was missed", () =>
  withStage(async (stage) => {
    const { api, cache, clock, settle, problems } = stage;
    await cache.synced;
    for (const key of ["a/stays", "a/changes", "a/goes", "a/anew"]) api.put(key, {});
    await settle();
    const heard: string[] = [];
    const stop = cache.subscribe((old, now) => {
      const of = (object: ConfigMap | undefined) => object?.data?.to ?? (object && "old");
      heard.push(`${(now ?? old)?.metadata.name} ${of(old)} -> ${of(now)}`);
    });
    assert.equal(heard.length, 4);
    heard.length = 0;
    for (const how of ["cut", "expired"] as const) {
      api.end(how);
      api.put("a/changes", { to: how });
      api.remove("a/goes");
      api.put("a/goes", { to: "back" });
      api.remove("a/goes");
      api.remove("a/anew");
      api.put("a/anew", { to: how });
      api.compact();
      await clock.advance(10_000);
      assertEqual(stage);
    }
    stop();
    api.put("a/later", {});
    await settle();
    assert.deepEqual(heard.sort(), [
      "anew cut -> undefined",
      "anew old -> undefined",
      "anew undefined -> cut",
      "anew undefined -> expired",
      "changes cut -> expired",
      "changes old -> cut",
      "goes old -> undefined",
    ]);
    assert.ok(problems.some(isGone));
  }));

test("a server that holds the socket silent is noticed within two bookmark intervals, whatever the wall clock does", () =>
  withStage(async (stage) => {
    const { api, cache, clock, problems, settle } = stage;
    await cache.synced;
    api.bookmark();
    await settle();
    api.end("silence");
    api.put("a/one", {});
    clock.jump(-86_400_000);
    await clock.advance(2 * MINUTE_MS - 1);
    assert.equal(cache.size, 0);
    clock.jump(10 * 86_400_000);
    assert.equal(cache.age(), 2 * MINUTE_MS - 1);
    await clock.advance(1000);
    assertEqual(stage);
    assert.ok(problems[0] instanceof SilentWatchError);
    assert.ok(cache.age() < 1000);
  }));

test("the first bookmark of a watch may take three intervals, and where none comes that is told and the watch begun anew", () =>
  withStage(async (stage) => {
    const { api, cache, clock, problems, settle } = stage;
    await cache.synced;
    await clock.advance(2.5 * MINUTE_MS);
    api.bookmark();
    await settle();
    assert.deepEqual(api.log, ["stream"]);
    api.end("clean");
    await clock.advance(3 * MINUTE_MS + 1000);
    assert.deepEqual(api.log, ["stream", "watch from 1", "list", "watch from 1"]);
    assert.equal(problems.length, 1);
    assert.ok(problems[0] instanceof SilentWatchError && !problems[0].hadBookmark);
    api.put("a/one", {});
    await settle();
    assertEqual(stage);
  }));

test("a server that was restored from a backup is believed after two minutes, with a word about it, and all wait no longer", () => {
  const run = async (stage: Stage) => {
    const { api, cache, clock, problems, settle } = stage;
    await cache.synced;
    api.put("a/kept", { x: "1" });
    const backup = api.backup();
    for (let index = 0; index < 5; index += 1) api.put("a/lost", { index: `${index}` });
    api.put("a/kept", { x: "2" });
    await settle();
    const heard: string[] = [];
    cache.subscribe((_old, now) => void heard.push(`${now?.metadata.name} ${now?.data?.x}`));
    heard.length = 0;
    const waited = cache.waitFor({ namespace: "a", name: "lost" }, "99");
    api.restore(backup);
    await clock.advance(2 * MINUTE_MS);
    assert.equal(cache.get({ namespace: "a", name: "kept" })?.data?.x, "2");
    await clock.advance(6 * MINUTE_MS);
    assertEqual(stage);
    assert.deepEqual(heard.sort(), ["kept 1", "undefined undefined"]);
    assert.equal(cache.history, 1);
    await waited;
    const told = problems.filter((problem) => problem instanceof HistoryChangedError);
    assert.match(String(told), /as of 2, but 8 was seen already, and it insists: it was restored/);
    api.put("a/kept", { x: "3" });
    await settle();
    assertEqual(stage);
  };
  return withStage(run);
});

test("a cache has caught up when it has what the server had, at once where nothing happens", () =>
  withStage(async (stage) => {
    const { api, cache, settle, clock } = stage;
    await cache.synced;
    for (const key of ["a/one", "a/two", "a/three"]) api.put(key, {});
    await settle();
    const never = new AbortController().signal;
    // Others move the server's version, and this kind hears nothing of it.
    api.skip();
    await cache.caughtUp(never);
    api.delayWatches(1000);
    api.put("a/one", { x: "1" });
    api.remove("a/two");
    let isDone = false;
    const done = cache.caughtUp(never).then(() => {
      isDone = true;
    });
    await clock.advance(999);
    assert.equal(isDone, false);
    await clock.advance(1);
    await done;
    assertEqual(stage);
    api.put("a/one", { x: "2" });
    const stop = new AbortController();
    const stopped = assert.rejects(cache.caughtUp(stop.signal), /enough/);
    await settle();
    stop.abort(new Error("enough"));
    await stopped;
    await clock.advance(1000);
  }));

test("bookmarks alone keep a quiet watch alive", () =>
  withStage(async ({ api, cache, clock }) => {
    await cache.synced;
    for (let minute = 0; minute < 60; minute += 1) {
      await clock.advance(MINUTE_MS);
      api.bookmark();
    }
    await clock.advance(MINUTE_MS);
    assert.deepEqual(api.log, ["stream"]);
  }));

test("a list that hangs as a stream is read page by page", () =>
  withStage(async (stage) => {
    const { api, cache, clock, settle } = stage;
    api.intercept(({ url }) => (url.searchParams.has("sendInitialEvents") ? "hold" : undefined));
    api.put("a/one", {});
    await clock.advance(31_000);
    await cache.synced;
    await settle();
    assertEqual(stage);
  }));

test("events that come twice or late change nothing back", () =>
  withStage(async (stage) => {
    const { api, cache, settle, clock } = stage;
    await cache.synced;
    const states: string[] = [];
    cache.subscribe((_old, now) => void states.push(now?.data?.x ?? "gone"));
    api.put("a/one", { x: "1" });
    const first = api.objects.get("a/one");
    api.send({ type: "ADDED", object: first });
    api.put("a/one", { x: "2" });
    api.send({ type: "ADDED", object: first });
    api.send({ type: "DELETED", object: first });
    api.send({ type: "BOOKMARK", object: { ...first, data: undefined } });
    await settle();
    assertEqual(stage);
    assert.deepEqual(api.log, ["stream"]);
    api.remove("a/one");
    await settle();
    api.send({ type: "ADDED", object: first });
    await clock.advance(1000);
    assertEqual(stage);
    assert.deepEqual(states, ["1", "2", "gone"]);
  }));

test("an event that another one overtook is not lost: the state is read anew", () =>
  withStage(async (stage) => {
    const { api, cache, settle, clock, problems } = stage;
    await cache.synced;
    api.hush(true);
    api.put("a/one", { x: "1" });
    api.hush(false);
    api.put("a/two", { x: "2" });
    await settle();
    assert.equal(cache.size, 1);
    api.send({ type: "ADDED", object: api.objects.get("a/one") });
    await clock.advance(1000);
    assertEqual(stage);
    assert.ok(problems[0] instanceof CacheDisorderError);
  }));

test("a list that is older than what was seen is refused and asked for again", () =>
  withStage(
    async (stage) => {
      const { api, cache, clock, settle, problems } = stage;
      await cache.synced;
      await settle();
      api.put("a/one", { x: "1" });
      await settle();
      const stale = { apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "1" }, items: [] };
      api.intercept(({ method, isWatch }) => (method === "GET" && !isWatch ? answer(200, stale) : undefined));
      api.compact();
      api.end("expired");
      await clock.advance(MINUTE_MS);
      assert.equal(cache.get({ namespace: "a", name: "one" })?.data?.x, "1");
      assert.ok(problems.some((problem) => problem instanceof CacheDisorderError));
      api.intercept(undefined);
      api.put("a/one", { x: "2" });
      await clock.advance(MINUTE_MS);
      assertEqual(stage);
    },
    { streamsLists: false },
  ));

test("while nothing works pauses grow, with jitter, up to half a minute; Retry-After is honoured, a minute at most; then all is well at once", () =>
  withStage(
    async (stage) => {
      const { api, cache, clock } = stage;
      let tries = 0;
      api.intercept(() => {
        tries += 1;
        return status(503, "ServiceUnavailable");
      });
      await clock.advance(10 * MINUTE_MS);
      assert.ok(tries > 20 && tries < 45, `${tries} tries`);
      api.intercept(() => {
        tries += 1;
        return status(429, "TooManyRequests", { "retry-after": "86400" });
      });
      await clock.advance(MINUTE_MS);
      tries = 0;
      await clock.advance(10 * MINUTE_MS);
      assert.ok(tries >= 8 && tries <= 10, `${tries} tries`);
      api.intercept(undefined);
      api.put("a/one", {});
      await clock.advance(2 * MINUTE_MS);
      assertEqual(stage);
      assert.equal(cache.isSynced, true);
    },
    { random: Math.random, streamsLists: false },
  ));

test("a server that ends every watch at once is not asked in a loop", () =>
  withStage(async ({ api, cache, clock }) => {
    await cache.synced;
    api.intercept(({ isWatch }) => (isWatch ? { ...answer(200, ""), body: "" } : undefined));
    api.end("clean");
    await clock.advance(10 * MINUTE_MS);
    assert.ok(api.log.length < 5);
  }));

test("a server that ends every watch after one event is asked again after a pause that does not grow", () =>
  withStage(async (stage) => {
    const { api, cache, clock } = stage;
    await cache.synced;
    let watches = 0;
    api.intercept(({ isWatch }) => {
      if (!isWatch) return undefined;
      watches += 1;
      if (watches > 1000) return "hold";
      api.put("a/busy", {});
      const event = { type: "MODIFIED", object: api.objects.get("a/busy") };
      return { ...answer(200, ""), body: `${JSON.stringify(event)}\n` };
    });
    api.end("clean");
    await clock.advance(MINUTE_MS);
    assert.ok(watches > 200 && watches < 700, `${watches} watches`);
    assertEqual(stage);
  }));

test("transforms and indexes: what is dropped is not kept, what is found is what is there", () => {
  let isFailing = false;
  const transform = (object: ConfigMap) => {
    if (isFailing) throw new Error("transform");
    return { ...object, data: { kept: object.data?.kept ?? "" } };
  };
  const byKept = ({ data }: ConfigMap) => (data?.kept === "bad" ? assert.fail("index") : [data?.kept ?? ""]);
  return withStage(
    async ({ api, cache, settle, problems }) => {
      await cache.synced;
      api.put("a/one", { kept: "x", dropped: "secret" });
      api.put("a/two", { kept: "x" });
      api.put("a/three", { kept: "bad" });
      api.put("a/two", { kept: "y" });
      await settle();
      const names = (value: string) => cache.byIndex("kept", value).map(({ metadata }) => metadata.name);
      assert.deepEqual([names("x"), names("y"), names("bad"), names("none")], [["one"], ["two"], [], []]);
      assert.deepEqual(cache.get({ namespace: "a", name: "one" })?.data, { kept: "x" });
      cache.addIndex("namespace", ({ metadata }) => [metadata.namespace ?? ""]);
      assert.equal(cache.byIndex("namespace", "a").length, 3);
      assert.throws(() => cache.addIndex("kept", () => []), /another index/);
      assert.throws(() => cache.byIndex("other", ""), /no index/);
      assert.equal(cache.findByIndex("namespace", "a", () => true)?.metadata.namespace, "a");
      assert.equal(
        cache.findByIndex("namespace", "a", () => false),
        undefined,
      );
      assert.equal(problems.length, 1);
      isFailing = true;
      api.put("a/four", { kept: "z" });
      api.remove("a/one");
      await settle();
      assert.deepEqual([names("z"), names("x")], [["four"], []]);
    },
    { transform, indexes: { kept: byKept } },
  );
});

test("a listener that throws keeps nothing from the others, and listeners never see half of a list", () =>
  withStage(async ({ api, cache, clock, problems }) => {
    await cache.synced;
    const sizes: number[] = [];
    cache.subscribe(() => assert.fail("listener"));
    cache.subscribe(() => void sizes.push(cache.size));
    api.end("cut");
    for (const name of ["one", "two", "three"]) api.put(`a/${name}`, {});
    api.compact();
    await clock.advance(5000);
    assert.deepEqual(sizes, [3, 3, 3]);
    assert.equal(problems.filter((problem) => problem instanceof assert.AssertionError).length, 3);
  }));

test("what was written is waited for: a version, a deletion, on a watch that is minutes late", () =>
  withStage(async ({ api, cache, clock, settle }) => {
    await cache.synced;
    const key = { namespace: "a", name: "one" };
    const done: string[] = [];
    api.put("a/one", {});
    await settle();
    const uid = cache.uid(key) ?? "";
    // The stream falls behind little by little, so that it is never silent.
    const minute = async () => {
      api.bookmark();
      await clock.advance(MINUTE_MS);
    };
    for (let lateness = 0; lateness <= 5 * MINUTE_MS; lateness += MINUTE_MS / 2) {
      api.delayWatches(lateness);
      await minute();
    }
    const version = api.put("a/one", { x: "1" });
    assert.equal(cache.seen(key, version), false);
    void cache.waitFor(key, version).then(() => done.push("version"));
    api.remove("a/one");
    void cache.waitForGone(key, uid).then(() => done.push("gone"));
    void cache.waitFor({ namespace: "a", name: "elsewhere" }, version).then(() => done.push("elsewhere"));
    const enough = new AbortController();
    const given = assert.rejects(cache.waitFor(key, "999", enough.signal), /enough/);
    for (let minutes = 1; minutes < 5; minutes += 1) {
      await minute();
      assert.deepEqual(done, []);
    }
    assert.deepEqual(api.log, ["stream"]);
    await clock.advance(MINUTE_MS + 1);
    await settle();
    assert.deepEqual(done.sort(), ["elsewhere", "gone", "version"]);
    enough.abort(new Error("enough"));
    await given;
    // What is on its way arrives.
    await clock.advance(10 * MINUTE_MS);
  }));

test("a cache that is stopped before it was synced says so, and leaves nothing open", async () => {
  const stage = startStage();
  stage.api.intercept(() => "hold");
  await stage.settle();
  await stage.stop();
  await assert.rejects(stage.cache.synced, /the test is over/);
  assert.deepEqual([stage.clock.waiting, stage.api.watches], [0, 0]);
});
