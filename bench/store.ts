// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../src/plane/store/index.ts";
import type { KubeObject } from "../src/plane/types.ts";

const rounds = 25;
const sliceMs = 200;
// One writer: the sync is nearly all there is. Sixteen: printing, freezing and indexing each object counts too, and the bare
// side has none of it. Both leave room for a busy disk, which alone moves a share by a third from one run to the next.
const limits: Readonly<Record<number, number>> = { 1: 0.5, 16: 0.2 };

/** Durable creates per second beside what `node:sqlite` alone commits on this disk: one per transaction, and sixteen. */
export async function bench(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "butler-bench-"));
  const rates = new Map<string, number[]>();
  const add = (name: string, rate: number) => rates.set(name, [...(rates.get(name) ?? []), rate]);
  try {
    // Interleaved and in short slices, so that a busy moment of the disk hits all alike.
    for (let round = 0; round < rounds; round++) {
      for (const writers of [1, 16]) {
        add(`node:sqlite ${writers}`, bareRate(join(folder, `bare-${round}-${writers}`), { perTransaction: writers }));
        add(`store ${writers}`, await storeRate(join(folder, `store-${round}-${writers}`), writers));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report(rates);
}

/** What bare SQLite writes. */
interface BareLoad {
  readonly perTransaction: number;
  /** Of each row. Made beforehand: only SQLite is measured. */
  readonly json?: string;
  /** Longer than it takes to fill the log several times, or the copying of the log into the file is not measured. */
  readonly ms?: number;
}

/** Rows per second into the store's own table, by the store's own rules for the disk, with so many rows in each transaction. */
export function bareRate(
  dir: string,
  { perTransaction, json = JSON.stringify(objectOf("name", 1)), ms = sliceMs }: BareLoad,
): number {
  mkdirSync(dir);
  const connection = new DatabaseSync(join(dir, "bare.db"));
  connection.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON");
  connection.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 16777216");
  connection.exec("CREATE TABLE changes (revision INTEGER PRIMARY KEY, key TEXT, deleted INTEGER, json TEXT) STRICT");
  const [begin, commit] = [connection.prepare("BEGIN IMMEDIATE"), connection.prepare("COMMIT")];
  const insert = connection.prepare("INSERT INTO changes (revision, key, deleted, json) VALUES (?, ?, 0, ?)");
  const started = performance.now();
  let count = 0;
  while (performance.now() - started < ms) {
    begin.run();
    for (let row = 0; row < perTransaction; row++) insert.run(++count, `/configmaps/default/c${count}`, json);
    commit.run();
  }
  const rate = (count / (performance.now() - started)) * 1000;
  connection.close();
  return rate;
}

/** Creates per second by so many writers, each of which waits for its write to be on disk before the next. */
async function storeRate(dir: string, writers: number): Promise<number> {
  const store = openStore({ dir });
  const started = performance.now();
  let count = 0;
  async function writeOn(): Promise<void> {
    while (performance.now() - started < sliceMs) {
      const name = `c${count++}`;
      await store.write(`/configmaps/default/${name}`, (_, revision) => ({ put: objectOf(name, revision) }));
    }
  }
  await Promise.all(Array.from({ length: writers }, writeOn));
  const rate = (count / (performance.now() - started)) * 1000;
  await store.close();
  return rate;
}

/** About a kilobyte, a third of it managed fields, as real objects have them. */
function objectOf(name: string, revision: number): KubeObject {
  const data = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`key-${index}`, "value ".repeat(8)]));
  const fields = Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}]));
  const time = "2026-01-01T00:00:00Z";
  const managedFields = [
    {
      manager: "bench",
      operation: "Update",
      apiVersion: "v1",
      time,
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": fields },
    },
  ] as const;
  const metadata = { name, namespace: "default", uid: name, resourceVersion: String(revision), managedFields };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

function report(rates: ReadonlyMap<string, readonly number[]>): number {
  let isFine = true;
  for (const writers of [1, 16]) {
    const [bare, store] = [median(rates.get(`node:sqlite ${writers}`)), median(rates.get(`store ${writers}`))];
    const limit = limits[writers] ?? 0;
    isFine &&= store / bare >= limit;
    const names = [`node:sqlite, ${writers} per commit`, `store, ${writers} at a time`];
    process.stdout.write(
      `${names[0]?.padEnd(28)}${bare.toFixed(0).padStart(7)} rows/s\n` +
        `${names[1]?.padEnd(28)}${store.toFixed(0).padStart(7)} creates/s   share ${(store / bare).toFixed(2)}, least ${limit}\n`,
    );
  }
  process.stdout.write(`median of ${rounds}: ${isFine ? "kept" : "missed"}\n`);
  return isFine ? 0 : 1;
}

function median(list: readonly number[] = []): number {
  return [...list].sort((one, other) => one - other)[Math.floor(list.length / 2)] ?? Number.NaN;
}
