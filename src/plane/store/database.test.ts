// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { openDatabase } from "./database.ts";
import { openStore } from "./index.ts";
import { applicationId, schemaVersion } from "./migrations.ts";
import { createStore } from "./store.ts";
import { plain, put, remove, temporaryFolder } from "./testing/objects.ts";

const KEY = "/pods/default/web";

/** A folder with a store that was closed properly, with objects enough for several pages. */
async function closedStore(context: TestContext): Promise<string> {
  const dir = temporaryFolder(context);
  const store = openStore({ dir });
  for (let index = 0; index < 50; index++) void put(store, `/pods/default/p${index}`, "x".repeat(500));
  await store.close();
  return dir;
}

/** The same with something done to the file by other means. */
async function tampered(context: TestContext, tamper: (path: string) => void): Promise<string> {
  const dir = await closedStore(context);
  tamper(join(dir, "plane.db"));
  return dir;
}

function edit(path: string, sql: string): void {
  const connection = new DatabaseSync(path);
  connection.exec(sql);
  connection.close();
}

function overwrite(path: string, offset: number, length: number): void {
  const content = readFileSync(path);
  content.fill(0xa5, offset, offset + length);
  writeFileSync(path, content);
}

function rowCount(dir: string): unknown {
  const connection = new DatabaseSync(join(dir, "plane.db"), { readOnly: true });
  const row = connection.prepare("SELECT count(*) AS count FROM changes").get();
  connection.close();
  return row?.count;
}

test("folder and file are made, for the owner only", async (context) => {
  const dir = join(temporaryFolder(context), "some", "where");
  const store = openStore({ dir });
  await put(store, KEY);
  const modes = [dir, join(dir, "..")].map((path) => statSync(path).mode & 0o777);
  const files = ["plane.db", "plane.db-wal"].map((name) => statSync(join(dir, name)).mode & 0o777);
  assert.deepEqual(
    [modes, files],
    [
      [0o700, 0o700],
      [0o600, 0o600],
    ],
  );
  await store.close();
});

test("a file that others can read is closed to them when it is opened", async (context) => {
  const dir = await tampered(context, (path) => chmodSync(path, 0o644));
  const store = openStore({ dir });
  assert.equal(statSync(join(dir, "plane.db")).mode & 0o777, 0o600);
  await store.close();
});

test("the live connection syncs each commit, holds its lock and bounds its log", (context) => {
  const { connection, close } = openDatabase(temporaryFolder(context));
  const pragma = (name: string) => Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  assert.deepEqual(
    ["journal_mode", "synchronous", "fullfsync", "locking_mode", "wal_autocheckpoint", "journal_size_limit"].map(
      pragma,
    ),
    ["wal", 2, 1, "exclusive", 1000, 16777216],
  );
  assert.deepEqual(["application_id", "user_version"].map(pragma), [applicationId, schemaVersion]);
  close();
});

test("a closed store is one file, and everything is there when it is opened again", async (context) => {
  const dir = temporaryFolder(context);
  const first = openStore({ dir });
  await put(first, KEY, "é\u0000\u2028\ud800");
  await put(first, KEY, "later");
  await put(first, "apps/deployments/default/x", "other");
  await remove(first, "apps/deployments/default/x");
  const [list, history, early] = [first.list(""), first.changesAfter(1, 100), first.listAt("", 2)];
  await first.close();
  assert.ok(!existsSync(join(dir, "plane.db-wal")));
  const second = openStore({ dir });
  assert.equal(second.revision, 5);
  assert.deepEqual(plain(second.list("")), plain(list));
  assert.deepEqual(plain(second.listAt("", 2)), plain(early));
  const flat = (changes: typeof history) =>
    changes?.map(({ type, revision, entry, previous }) => [type, revision, plain([entry]), previous?.json]);
  assert.deepEqual(flat(second.changesAfter(1, 100)), flat(history));
  await second.close();
});

test("revisions go on where they were, also when everything was deleted and compacted", async (context) => {
  const dir = temporaryFolder(context);
  const first = openStore({ dir });
  await put(first, KEY);
  await remove(first, KEY);
  first.compact(3);
  await first.close();
  assert.equal(rowCount(dir), 0);
  const second = openStore({ dir });
  assert.equal(second.revision, 3);
  assert.equal((await put(second, KEY))?.revision, 4);
  await second.close();
});

test("rows that nobody needs are deleted on the way, not only at the end", async (context) => {
  const dir = temporaryFolder(context);
  const database = openDatabase(dir);
  const store = createStore(database, { historyLength: 100 });
  for (let round = 0; round < 100; round++) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => put(store, `/pods/default/p${index % 10}`, round)));
  }
  const count = Number(database.connection.prepare("SELECT count(*) AS count FROM changes").get()?.count);
  assert.ok(count < 1000, `${count} rows after 5,000 writes`);
  await store.close();
  assert.equal(rowCount(dir), 110);
});

test("an explicit compaction reaches the disk without another write", async (context) => {
  const database = openDatabase(temporaryFolder(context));
  const store = createStore(database);
  await Promise.all(Array.from({ length: 1000 }, () => put(store, KEY)));
  store.compact(store.revision);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(database.connection.prepare("SELECT count(*) AS count FROM changes").get()?.count, 1);
  await store.close();
});

test("a shorter history than the file has takes effect at once", async (context) => {
  const store = openStore({ dir: await closedStore(context) }, { historyLength: 5 });
  assert.equal(store.changesAfter(store.revision - 6, 10), undefined);
  assert.equal(store.changesAfter(store.revision - 5, 10)?.length, 5);
  assert.equal(store.list("").length, 50);
  await store.close();
});

test("the log stays small however much is written", async (context) => {
  const dir = temporaryFolder(context);
  const store = openStore({ dir }, { historyLength: 10 });
  for (let round = 0; round < 60; round++) {
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => put(store, `/pods/default/p${index}`, "x".repeat(40_000))),
    );
  }
  assert.ok(statSync(join(dir, "plane.db-wal")).size < 8 * 2 ** 20);
  assert.ok(statSync(join(dir, "plane.db")).size < 32 * 2 ** 20);
  await store.close();
});

test("a second process is refused with the file's name, and the first goes on", async (context) => {
  const dir = temporaryFolder(context);
  const store = openStore({ dir });
  await put(store, KEY);
  const index = new URL("index.ts", import.meta.url);
  const script = `import { openStore } from ${JSON.stringify(index)};
    try { openStore({ dir: process.argv[1] }); } catch ({ code, message }) { console.log(JSON.stringify({ code, message })); }`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script, dir], { encoding: "utf8" });
  const message = `open store "${join(dir, "plane.db")}": another process has it open`;
  assert.deepEqual(JSON.parse(stdout), { code: "locked", message });
  await put(store, KEY);
  await store.close();
});

test("the same process is refused a second time, and the lock holds nevertheless", async (context) => {
  const dir = temporaryFolder(context);
  const store = openStore({ dir });
  assert.throws(() => openStore({ dir: join(dir, ".") }), {
    code: "locked",
    message: /this process has it open already/,
  });
  assert.throws(() => edit(join(dir, "plane.db"), "SELECT 1 FROM sqlite_schema"), /locked/);
  await store.close();
  await openStore({ dir }).close();
});

const refused: readonly { name: string; tamper: (path: string) => void; code: string; message: RegExp }[] = [
  {
    name: "a text file",
    tamper: (path) => writeFileSync(path, "dear diary"),
    code: "damaged",
    message: /plane\.db": the file is not a SQLite database$/,
  },
  {
    name: "a file of zeros",
    tamper: (path) => writeFileSync(path, Buffer.alloc(8192)),
    code: "damaged",
    message: /not a SQLite database$/,
  },
  {
    name: "a file that was cut in the middle",
    tamper: (path) => truncateSync(path, 3 * 4096),
    code: "damaged",
    message: /plane\.db": the file is damaged/,
  },
  {
    name: "a file with an overwritten page",
    tamper: (path) => overwrite(path, 3 * 4096, 4096),
    code: "damaged",
    message: /plane\.db": the file is damaged/,
  },
  {
    name: "a file whose list of free pages is wrong, which reading alone would not show",
    tamper: (path) => overwrite(path, 36, 4),
    code: "damaged",
    message: /plane\.db": the file is damaged: .*Freelist/s,
  },
  {
    name: "another program's database",
    tamper: (path) => edit(path, "PRAGMA application_id = 7"),
    code: "damaged",
    message: /plane\.db": the file is a SQLite database of another program$/,
  },
  {
    name: "a file of a newer version",
    tamper: (path) => edit(path, `PRAGMA user_version = ${schemaVersion + 1}`),
    code: "newer",
    message: new RegExp(`it has version ${schemaVersion + 1}, this program knows up to version ${schemaVersion}$`),
  },
  {
    name: "a file with a write missing in the middle",
    tamper: (path) => edit(path, "DELETE FROM changes WHERE revision = 20"),
    code: "damaged",
    message: /plane\.db": the file is damaged: revision 21 of "\/pods\/default\/p19" follows revision 19$/,
  },
  {
    name: "a file without its tables",
    tamper: (path) => edit(path, "DROP TABLE changes"),
    code: "damaged",
    message: /no such table: changes$/,
  },
];
for (const { name, tamper, code, message } of refused) {
  test(`${name} is refused and left as it is`, async (context) => {
    const dir = await tampered(context, tamper);
    const before = readFileSync(join(dir, "plane.db"));
    for (const _ of ["once", "again"]) assert.throws(() => openStore({ dir }), { name: "StoreError", code, message });
    assert.ok(readFileSync(join(dir, "plane.db")).equals(before));
  });
}

test("a log whose file is missing is not thrown away", (context) => {
  const dir = temporaryFolder(context);
  writeFileSync(join(dir, "plane.db-wal"), "everything");
  assert.throws(() => openStore({ dir }), { code: "damaged", message: /plane\.db-wal" is there/ });
  assert.equal(readFileSync(join(dir, "plane.db-wal"), "utf8"), "everything");
});

test("a file whose making was cut short is made again", async (context) => {
  const dir = temporaryFolder(context);
  writeFileSync(join(dir, "plane.db"), "");
  await openStore({ dir }).close();
});

test("a folder that cannot be made or used is an error that names the file", (context) => {
  const dir = temporaryFolder(context);
  writeFileSync(join(dir, "file"), "");
  assert.throws(() => openStore({ dir: join(dir, "file") }), {
    code: "io",
    message: /file\/plane\.db": (EEXIST|ENOTDIR)/,
  });
  mkdirSync(join(dir, "plane.db"));
  assert.throws(() => openStore({ dir }), { code: "io", message: /EISDIR/ });
});

test("a full disk rejects the write; when there is room again, writing goes on", async (context) => {
  const dir = temporaryFolder(context);
  const database = openDatabase(dir);
  const store = createStore(database);
  await put(store, KEY, "before");
  database.connection.exec("PRAGMA max_page_count = 20");
  const message = `write to store "${join(dir, "plane.db")}": the disk is full`;
  await assert.rejects(put(store, KEY, "x".repeat(200_000)), { code: "full", message });
  assert.deepEqual([store.get(KEY)?.object.value, store.revision], ["before", 2]);
  assert.equal((await put(store, KEY, "small"))?.revision, 3);
  database.connection.exec("PRAGMA max_page_count = 100000");
  assert.equal((await put(store, KEY, "x".repeat(200_000)))?.revision, 4);
  await store.close();
  const again = openStore({ dir });
  assert.deepEqual(
    again.changesAfter(1, 10)?.map(({ entry }) => String(entry.object.value).length),
    [6, 5, 200_000],
  );
  await again.close();
});

test("an error that is not a full disk ends writing, and what was written before is there afterwards", async (context) => {
  const dir = temporaryFolder(context);
  const database = openDatabase(dir);
  const store = createStore(database);
  await put(store, KEY, "before");
  database.connection.exec("PRAGMA query_only = ON");
  await assert.rejects(put(store, KEY, "lost"), { code: "io", message: /readonly/ });
  database.connection.exec("PRAGMA query_only = OFF");
  await assert.rejects(put(store, KEY, "refused"), {
    code: "io",
    message: /^no more writes after one failed: write to/,
  });
  await store.close();
  const again = openStore({ dir });
  assert.deepEqual([again.get(KEY)?.object.value, again.revision], ["before", 2]);
  await again.close();
});
