// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from "node:sqlite";
import { asStoreError } from "./database-error.ts";
import { checkOwner, prepareFile } from "./database-file.ts";
import type { Batch, Disk, Row } from "./disk.ts";
import { applicationId, migrations, schemaVersion } from "./migrations.ts";
import { StoreError } from "./store-error.ts";

/** A disk that is a SQLite file; the connection is there for tests. */
export interface Database extends Disk {
  readonly connection: DatabaseSync;
}

/**
 * Paths that this process has open. The operating system forgets a process's locks on a file as soon as the process closes
 * any descriptor of it, so a second store must be turned away before it touches the file.
 */
const openPaths = new Set<string>();

/**
 * Opens `plane.db` in the folder, and makes both where they are missing. Throws a `StoreError` where another process has
 * it open, or where it is damaged, foreign or newer; nothing in it is overwritten then.
 */
export function openDatabase(dir: string): Database {
  const path = prepareFile(dir, (known) => openPaths.has(known));
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path, { timeout: 0 });
    setUp(connection, path);
    const database = makeDatabase(connection, path);
    openPaths.add(path);
    return database;
  } catch (error) {
    if (connection?.isOpen) connection.close();
    throw asStoreError(error, `open store "${path}"`);
  }
}

function setUp(connection: DatabaseSync, path: string): void {
  // Exclusive before the first look at the file: the write-ahead log then needs no shared memory, and the lock stays.
  connection.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON");
  // Takes the lock also where the file is still empty.
  connection.exec("BEGIN EXCLUSIVE");
  migrate(connection, path);
  connection.exec("COMMIT");
  const verdict = pragma(connection, "quick_check(1)");
  if (verdict !== "ok") throw new StoreError("damaged", `open store "${path}": the file is damaged: ${verdict}`);
  // Only now: the first version is made with a rollback journal, so the main file says from the start whose it is.
  if (pragma(connection, "journal_mode = WAL") !== "wal") {
    throw new StoreError("io", `open store "${path}": this file system allows no write-ahead log`);
  }
  // A checkpoint for each 4 MB of log; a log that one huge batch has blown up is cut afterwards.
  connection.exec("PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 16777216");
}

/** Brings an empty or older file to our version. The caller has a transaction open. */
function migrate(connection: DatabaseSync, path: string): void {
  const isEmpty = connection.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
  const version = isEmpty ? 0 : Number(pragma(connection, "user_version"));
  if (!isEmpty) checkOwner(path, Number(pragma(connection, "application_id")), version);
  if (version === schemaVersion) return;
  for (const step of migrations.slice(version)) connection.exec(step);
  connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
}

/** The first value that the pragma answers with. */
function pragma(connection: DatabaseSync, words: string): unknown {
  return Object.values(connection.prepare(`PRAGMA ${words}`).get() ?? {})[0];
}

function makeDatabase(connection: DatabaseSync, path: string): Database {
  const [begin, commit, rollback] = ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"].map((sql) => connection.prepare(sql));
  const insert = connection.prepare("INSERT INTO changes (revision, key, deleted, json) VALUES (?, ?, ?, ?)");
  const remove = connection.prepare("DELETE FROM changes WHERE revision = ?");
  const setCompacted = connection.prepare("UPDATE compaction SET compacted = ?");
  const compacted = connection.prepare("SELECT compacted FROM compaction").get()?.compacted;
  if (typeof compacted !== "number") throw new StoreError("damaged", `open store "${path}": a table is empty`);

  function write({ changes, compaction }: Batch): void {
    begin?.run();
    for (const { type, revision, entry } of changes) {
      insert.run(revision, entry.key, type === "DELETED" ? 1 : 0, entry.json);
    }
    if (compaction !== undefined) {
      for (const revision of compaction.dead) remove.run(revision);
      setCompacted.run(compaction.compacted);
    }
    commit?.run();
  }

  return {
    connection,
    name: path,
    compacted,
    rows: () => readRows(connection),
    commit(batch) {
      try {
        write(batch);
      } catch (error) {
        const failure = asStoreError(error, `write to store "${path}"`);
        // A full disk can be emptied. After any other error nobody knows what is on disk, least of all a failed sync.
        if (failure.code === "full" && connection.isTransaction) rollback?.run();
        throw failure;
      }
    },
    close() {
      try {
        connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch (error) {
        throw asStoreError(error, `close store "${path}"`);
      } finally {
        connection.close();
        openPaths.delete(path);
      }
    },
  };
}

function* readRows(connection: DatabaseSync): Generator<Row> {
  const statement = connection.prepare("SELECT revision, key, deleted, json FROM changes ORDER BY revision");
  for (const { revision, key, deleted, json } of statement.iterate()) {
    yield { revision: Number(revision), key: String(key), isDeleted: deleted === 1, json: String(json) };
  }
}
