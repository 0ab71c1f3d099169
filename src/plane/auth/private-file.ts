// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** The text of a file, which from then on only its owner may read; undefined where there is none. */
export function readPrivateFile(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8");
    chmodSync(path, 0o600);
    return text;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Writes a file that only its owner may read. Whoever reads meanwhile, or after a crash, finds the old or the new text,
 * never a part. Folders that are missing are made, for the owner alone.
 */
export function writePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
