// SPDX-License-Identifier: Apache-2.0

/**
 * What is wrong with the store: another process has it open, the file is not a store of ours or broken, it was written
 * by a newer version, the disk is full, the disk failed (nothing is written any more), or it was closed.
 */
export type StoreErrorCode = "locked" | "damaged" | "newer" | "full" | "io" | "closed";

/** Thrown by `openStore`, and what `write` rejects with where not the caller's `change` is at fault. Names the file. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}
