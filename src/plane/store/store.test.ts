// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change, Store } from "../types.ts";
import { type Disk, noDisk } from "./disk.ts";
import { openStore, StoreError } from "./index.ts";
import { createStore } from "./store.ts";
import { objectOf, plain, put, remove } from "./testing/objects.ts";

const KEY = "/pods/default/web";

function names(changes: readonly Change[] | undefined): unknown {
  return changes?.map(({ type, revision, entry, previous }) => [type, revision, entry.key, previous?.revision]);
}

async function filled(count: number, options = {}): Promise<Store> {
  const store = openStore({ memory: true }, options);
  await Promise.all(Array.from({ length: count }, (_, index) => put(store, `/pods/default/p${index}`, index)));
  return store;
}

test("revisions grow by one per write, from 2 on, so that no list has version 0", async () => {
  const store = openStore({ memory: true });
  assert.equal(store.revision, 1);
  await put(store, KEY);
  await put(store, "/pods/default/other");
  await remove(store, KEY);
  assert.equal(store.revision, 4);
});

test("a write that keeps, deletes nothing or throws uses no revision and changes nothing", async () => {
  const store = openStore({ memory: true });
  const entry = await put(store, KEY);
  assert.equal(await store.write(KEY, () => "keep"), entry);
  assert.equal(await store.write("/pods/default/other", () => "keep"), undefined);
  assert.equal(await remove(store, "/pods/default/other"), undefined);
  const mistake = new Error("no");
  await assert.rejects(
    store.write(KEY, () => {
      throw mistake;
    }),
    mistake,
  );
  assert.equal(store.revision, 2);
  assert.equal(store.get(KEY), entry);
});

test("a write is decided on what is on its way, readers see what is on disk only", async () => {
  const store = openStore({ memory: true });
  const seen: unknown[] = [];
  const writes = [1, 2, 3].map((value) =>
    store.write(KEY, (current, revision) => {
      seen.push([current?.object.value, revision]);
      return { put: objectOf(KEY, revision, value) };
    }),
  );
  assert.deepEqual(seen, [
    [undefined, 2],
    [1, 3],
    [2, 4],
  ]);
  assert.deepEqual([store.get(KEY), store.list("/pods/"), store.revision], [undefined, [], 1]);
  await Promise.all(writes);
  assert.deepEqual([store.get(KEY)?.object.value, store.revision], [3, 4]);
});

test("a refusal that rests on a write on its way is heard after that write", async () => {
  const store = openStore({ memory: true });
  const first = put(store, KEY);
  const second = store.write(KEY, () => {
    throw new Error("exists");
  });
  await assert.rejects(second, { message: "exists" });
  assert.ok(store.get(KEY));
  await first;
});

test("a deletion gives the last state under the revision of the deletion", async () => {
  const store = openStore({ memory: true });
  await put(store, KEY, "last");
  const gone = await remove(store, KEY);
  assert.deepEqual(gone?.object, objectOf(KEY, 3, "last"));
  assert.deepEqual(JSON.parse(gone?.json ?? ""), gone?.object);
  assert.equal(store.get(KEY), undefined);
  assert.deepEqual(names(store.changesAfter(1, 10)), [
    ["ADDED", 2, KEY, undefined],
    ["DELETED", 3, KEY, 2],
  ]);
});

test("what is stored is frozen, the object that was put included", async () => {
  const store = openStore({ memory: true });
  const object = { ...objectOf(KEY, 2, ""), spec: { list: [{ a: 1 }] } };
  const entry = await store.write(KEY, () => ({ put: object }));
  assert.equal(entry?.object, object);
  assert.throws(() => object.spec.list.push({ a: 2 }), TypeError);
  assert.throws(() => Object.assign(object.metadata, { name: "x" }), TypeError);
});

test("an object is what its text says from the start, not only after a restart", async () => {
  const store = openStore({ memory: true });
  const object = { ...objectOf(KEY, 2, ""), spec: { gone: undefined, when: new Date(0) } };
  const entry = await store.write(KEY, () => ({ put: object }));
  assert.deepEqual(entry?.object.spec, { when: "1970-01-01T00:00:00.000Z" });
});

test("the current object is there also when its change is long past", async () => {
  const store = openStore({ memory: true });
  await put(store, KEY, "first");
  for (let index = 0; index < 1500; index++) void put(store, "/pods/default/busy", index);
  await put(store, "/pods/default/busy", "last");
  assert.equal(store.get(KEY)?.object.value, "first");
  assert.ok(Object.isFrozen(store.get(KEY)?.object.metadata));
  assert.equal(store.changesAfter(1, 1)?.[0]?.entry.object.value, "first");
});

test("a key that no list would find is refused", async () => {
  const store = openStore({ memory: true });
  for (const key of ["", "pods", "/pods/x", "/pods/a/b/c", "/pods/a/", "//a/b", "/pods/a/\0", "/pods/a/\ud800"]) {
    await assert.rejects(put(store, key), TypeError, JSON.stringify(key));
  }
  assert.equal(store.revision, 1);
});

test("a write cannot start within the decision about another", async () => {
  const store = openStore({ memory: true });
  let inner: Promise<unknown> | undefined;
  const outer = store.write(KEY, (_, revision) => {
    inner = put(store, "/pods/default/inner");
    return { put: objectOf(KEY, revision, "") };
  });
  await assert.rejects(async () => inner, /within another/);
  await outer;
  assert.equal(store.revision, 2);
});

test("changes come oldest first, each once, at most as many as asked for", async () => {
  const store = await filled(5);
  assert.deepEqual(
    store.changesAfter(3, 2)?.map(({ revision }) => revision),
    [4, 5],
  );
  assert.deepEqual(
    store.changesAfter(4, 10)?.map(({ revision }) => revision),
    [5, 6],
  );
  assert.deepEqual(store.changesAfter(6, 10), []);
});

test("history has at most the given length; what is older is undefined", async () => {
  const store = await filled(10, { historyLength: 3 });
  assert.equal(store.changesAfter(7, 10), undefined);
  assert.equal(store.listAt("/pods/", 7), undefined);
  assert.deepEqual(
    store.changesAfter(8, 10)?.map(({ revision }) => revision),
    [9, 10, 11],
  );
  assert.equal(store.listAt("/pods/", 8)?.length, 7);
});

test("history has a bounded amount of text, whatever is written", async () => {
  const store = openStore({ memory: true }, { historyChars: 10_000 });
  for (let index = 0; index < 50; index++) await put(store, KEY, "x".repeat(1000));
  const kept = Array.from({ length: 50 }, (_, back) => store.changesAfter(store.revision - back, 100));
  const longest = kept.findLast((changes) => changes !== undefined) ?? [];
  assert.ok(longest.length >= 3 && longest.length <= 5, `${longest.length}`);
  await put(store, KEY, "x".repeat(20_000));
  assert.deepEqual([store.changesAfter(store.revision, 1), store.changesAfter(store.revision - 1, 1)], [[], undefined]);
});

test("compaction forgets up to and including a revision, and no more than there is", async () => {
  const store = await filled(5);
  store.compact(4);
  assert.equal(store.changesAfter(3, 10), undefined);
  assert.equal(store.listAt("/pods/", 3), undefined);
  assert.deepEqual(
    store.changesAfter(4, 10)?.map(({ revision }) => revision),
    [5, 6],
  );
  assert.equal(store.listAt("/pods/", 4)?.length, 3);
  store.compact(100);
  assert.deepEqual(store.changesAfter(6, 10), []);
  await put(store, KEY);
  assert.deepEqual(store.changesAfter(6, 10)?.length, 1);
});

test("an earlier list has what was there then: changed back, deleted things back, later ones gone", async () => {
  const store = openStore({ memory: true });
  for (const name of ["b", "d", "f"]) await put(store, `/pods/default/${name}`, "old");
  await put(store, "/pods/other/x", "old");
  const [then, revision] = [store.list("/pods/default/"), store.revision];
  await put(store, "/pods/default/b", "new");
  await put(store, "/pods/default/b", "newer");
  await remove(store, "/pods/default/d");
  await put(store, "/pods/default/a", "new");
  await put(store, "/pods/default/g", "new");
  await remove(store, "/pods/default/g");
  assert.deepEqual(plain(store.listAt("/pods/default/", revision)), plain(then));
  assert.equal(store.listAt("/pods/", revision)?.length, 4);
});

test("listeners are called once per commit, when its writes can be read", async () => {
  const store = openStore({ memory: true });
  const seen: number[] = [];
  const stop = store.subscribe(() => seen.push(store.revision));
  await Promise.all([put(store, KEY), put(store, KEY), put(store, KEY)]);
  await put(store, KEY);
  await store.write(KEY, () => "keep");
  stop();
  await put(store, KEY);
  assert.deepEqual(seen, [4, 5]);
});

test("what comes in one turn of the event loop is one commit", async () => {
  const sizes: number[] = [];
  const store = createStore({ ...noDisk(), commit: ({ changes }) => sizes.push(changes.length) });
  await Promise.all(Array.from({ length: 16 }, (_, index) => put(store, `/pods/default/p${index}`)));
  await put(store, KEY);
  assert.deepEqual(sizes, [16, 1]);
});

function failing(error: StoreError): Disk & { isBroken: boolean } {
  const disk = {
    ...noDisk(),
    isBroken: false,
    commit() {
      if (disk.isBroken) throw error;
    },
  };
  return disk;
}

test("a commit that fails rejects all of its writes and what was decided on them; readers see nothing of it", async () => {
  const disk = failing(new StoreError("full", "the disk is full"));
  const store = createStore(disk);
  const before = await put(store, KEY, "before");
  let calls = 0;
  store.subscribe(() => calls++);
  disk.isBroken = true;
  const keep = () => store.write(KEY, () => "keep");
  const outcomes = await Promise.allSettled([
    put(store, KEY, "lost"),
    put(store, KEY, "on top"),
    remove(store, KEY),
    keep(),
  ]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.code),
    ["full", "full", "full", "full"],
  );
  assert.deepEqual([store.get(KEY), store.revision, store.changesAfter(2, 10), calls], [before, 2, [], 0]);
  disk.isBroken = false;
  assert.equal((await put(store, KEY, "after"))?.revision, 3);
});

test("after an error of the disk nothing is written any more, and reads go on", async () => {
  const disk = failing(new StoreError("io", "the disk is broken"));
  const store = createStore(disk);
  await put(store, KEY, "before");
  disk.isBroken = true;
  await assert.rejects(put(store, KEY), { code: "io" });
  disk.isBroken = false;
  await assert.rejects(put(store, KEY), { code: "io", message: "no more writes after one failed: the disk is broken" });
  assert.equal(store.get(KEY)?.object.value, "before");
  await store.close();
});

test("closing writes what is on its way, and refuses what comes later", async () => {
  const store = openStore({ memory: true });
  const last = put(store, KEY);
  const closing = store.close();
  await assert.rejects(put(store, KEY), { code: "closed", message: "the store is closed" });
  assert.equal((await last)?.revision, 2);
  await Promise.all([closing, store.close()]);
});
