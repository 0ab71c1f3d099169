// SPDX-License-Identifier: Apache-2.0
import { StoreError, type StoreErrorCode } from "./store-error.ts";

/** SQLite's primary result codes that mean something else than a failing disk: https://sqlite.org/rescode.html */
const meanings = new Map<number, { code: StoreErrorCode; words?: string }>([
  // Of statements that are always the same: the tables are not ours.
  [1, { code: "damaged" }],
  [5, { code: "locked", words: "another process has it open" }],
  [11, { code: "damaged", words: "the file is damaged" }],
  [13, { code: "full", words: "the disk is full" }],
  [26, { code: "damaged", words: "the file is not a SQLite database" }],
]);

/** The error as a `StoreError` that says what was attempted; one that is a `StoreError` already stays as it is. */
export function asStoreError(error: unknown, attempt: string): StoreError {
  if (error instanceof StoreError) return error;
  const { code = "io", words = error instanceof Error ? error.message : error } =
    meanings.get(resultCode(error) & 0xff) ?? {};
  return new StoreError(code, `${attempt}: ${words}`, { cause: error });
}

function resultCode(error: unknown): number {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
}
