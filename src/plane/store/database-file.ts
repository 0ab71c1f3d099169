// SPDX-License-Identifier: Apache-2.0
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { asStoreError } from "./database-error.ts";
import { applicationId, schemaVersion } from "./migrations.ts";
import { StoreError } from "./store-error.ts";

/**
 * The path of the folder's `plane.db`. Makes folder and file where they are missing, readable for the owner only. What is
 * not ours is refused here by its header, before SQLite opens it: opening already tidies up after a crash.
 */
export function prepareFile(dir: string, isOpen: (path: string) => boolean): string {
  const wanted = join(dir, "plane.db");
  try {
    makeFolder(resolve(dir));
    const path = join(realpathSync(dir), "plane.db");
    if (isOpen(path)) throw new StoreError("locked", `open store "${path}": this process has it open already`);
    // SQLite would throw such a log away, and it may hold everything.
    if (!existsSync(path) && existsSync(`${path}-wal`)) {
      throw new StoreError("damaged", `open store "${path}": the file is missing, but its log "${path}-wal" is there`);
    }
    checkHeader(path, readHeader(path));
    chmodSync(path, 0o600);
    return path;
  } catch (error) {
    throw asStoreError(error, `open store "${wanted}"`);
  }
}

/** Makes the folder, and sees to it that it is still there after a power cut. */
function makeFolder(dir: string): void {
  const first = mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = dir; made.length >= first.length; made = dirname(made)) {
    const parent = openSync(dirname(made), "r");
    fsyncSync(parent);
    closeSync(parent);
  }
}

/** The first 100 bytes; makes the file where it is missing. */
function readHeader(path: string): Buffer {
  const file = openSync(path, "a+", 0o600);
  try {
    const header = Buffer.alloc(100);
    return header.subarray(0, readSync(file, header, 0, header.length, 0));
  } finally {
    closeSync(file);
  }
}

/** What the fields are and where: https://sqlite.org/fileformat2.html#the_database_header */
function checkHeader(path: string, header: Buffer): void {
  // Empty, or its making was cut short, which SQLite's journal undoes.
  if (header.length === 0 || existsSync(`${path}-journal`)) return;
  if (header.length < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new StoreError("damaged", `open store "${path}": the file is not a SQLite database`);
  }
  checkOwner(path, header.readInt32BE(68), header.readInt32BE(60));
}

/** Refuses a SQLite file that is not ours, or that a newer version wrote. */
export function checkOwner(path: string, id: number, version: number): void {
  if (id !== applicationId) {
    throw new StoreError("damaged", `open store "${path}": the file is a SQLite database of another program`);
  }
  if (version > schemaVersion) {
    const versions = `it has version ${version}, this program knows up to version ${schemaVersion}`;
    throw new StoreError("newer", `open store "${path}": a newer program wrote it: ${versions}`);
  }
}
