// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { secret } from "../core.ts";
import { isGone } from "../errors.ts";
import { createClient } from "./client.ts";
import { eagerClock } from "./testing/eager-clock.ts";
import { json, refuse, type Step, startScriptedServer } from "./testing/scripted-server.ts";

const expired = refuse(410, "Expired");

function page(names: readonly string[], next = "", resourceVersion = "9"): Step {
  const items = names.map((name) => ({ metadata: { name, namespace: "a" } }));
  const metadata = { resourceVersion, ...(next === "" ? {} : { continue: next, remainingItemCount: 1 }) };
  return json(200, { kind: "SecretList", apiVersion: "v1", metadata, items });
}

async function start(t: TestContext, steps: readonly Step[]) {
  const server = await startScriptedServer(steps);
  const client = createClient({ server: server.url }, { clock: eagerClock() });
  t.after(async () => {
    await client.close();
    await server.stop();
  });
  const queries = () => server.seen.map(({ path }) => new URL(path, server.url).search);
  return { client, queries };
}

const namesOf = (items: readonly { metadata: { name?: string } }[]) => items.map(({ metadata }) => metadata.name);

test("a list is read page by page and comes out whole, each item with apiVersion and kind", async (t) => {
  const { client, queries } = await start(t, [page(["a", "b"], "t=1"), page(["c"], "t=2"), page(["d"])]);
  const options = {
    namespace: "a",
    labelSelector: "x=y",
    limit: 2,
    resourceVersion: "5",
    resourceVersionMatch: "NotOlderThan",
  } as const;
  const { items, resourceVersion } = await client.list(secret, options);
  assert.deepEqual(namesOf(items), ["a", "b", "c", "d"]);
  assert.ok(items.every(({ apiVersion, kind }) => apiVersion === "v1" && kind === "Secret"));
  assert.equal(resourceVersion, "9");
  assert.deepEqual(queries(), [
    "?labelSelector=x%3Dy&resourceVersion=5&resourceVersionMatch=NotOlderThan&limit=2",
    "?labelSelector=x%3Dy&limit=2&continue=t%3D1",
    "?labelSelector=x%3Dy&limit=2&continue=t%3D2",
  ]);
});

test("pages are of 500 unless told otherwise, and 0 means all at once", async (t) => {
  const { client, queries } = await start(t, [page([]), page([])]);
  assert.deepEqual(await client.list(secret), { items: [], resourceVersion: "9" });
  await client.list(secret, { limit: 0 });
  assert.deepEqual(queries(), ["?limit=500", ""]);
});

test("a list that the server forgets half way is begun anew and has nothing of the first in it", async (t) => {
  const steps = [page(["gone", "a"], "1"), expired, page(["a"], "2", "11"), page(["b"], "", "11")];
  const { client } = await start(t, steps);
  const { items, resourceVersion } = await client.list(secret, { limit: 2 });
  assert.deepEqual(namesOf(items), ["a", "b"]);
  assert.equal(resourceVersion, "11");
});

test("a list that is forgotten again and again is asked for in one piece", async (t) => {
  const steps = [page(["a"], "1"), expired, page(["a"], "2"), expired, page(["a", "b", "c"])];
  const { client, queries } = await start(t, steps);
  assert.deepEqual(namesOf((await client.list(secret, { limit: 1 })).items), ["a", "b", "c"]);
  assert.deepEqual(queries(), ["?limit=1", "?limit=1&continue=1", "?limit=1", "?limit=1&continue=2", ""]);
});

test("readers of pages are told when to forget what they have", async (t) => {
  const { client } = await start(t, [page(["a"], "1"), expired, page(["b"])]);
  const seen: [boolean, (string | undefined)[]][] = [];
  for await (const { isRestart, items } of client.pages(secret)) seen.push([isRestart, namesOf(items)]);
  assert.deepEqual(seen, [
    [false, ["a"]],
    [true, ["b"]],
  ]);
});

test("a version that is gone from the start is the caller's to know", async (t) => {
  const { client } = await start(t, [expired]);
  await assert.rejects(client.list(secret, { resourceVersion: "1", resourceVersionMatch: "Exact" }), isGone);
});

test("whoever stops reading pages asks for no more", async (t) => {
  const { client, queries } = await start(t, [page(["a"], "1")]);
  for await (const _page of client.pages(secret)) break;
  assert.equal(queries().length, 1);
});

test("an item that is no object makes a bad answer, not a broken program", async (t) => {
  for (const item of [null, "text", {}]) {
    const { client } = await start(t, [json(200, { metadata: { resourceVersion: "9" }, items: [item] })]);
    await assert.rejects(client.list(secret, { tries: 1 }), { name: "ConnectionError", code: "BAD_ANSWER" });
  }
});
