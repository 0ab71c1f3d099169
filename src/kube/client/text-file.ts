// SPDX-License-Identifier: Apache-2.0
import { readFile } from "node:fs/promises";
import { ConfigError } from "../errors.ts";
import type { Clock } from "../types.ts";

/** Something that is fetched, kept for a while and fetched again. */
export interface Renewable<T> {
  /** What was fetched last; undefined before the first time. */
  readonly value: T | undefined;
  isFresh(): boolean;
  /** Fetches. Whoever asks while that is under way shares it. */
  fetch(): Promise<void>;
  /** Makes it stale. */
  expire(): void;
}

/** A file that is read again after a while. One that cannot be read any more keeps its last text; one that never could throws. */
export function createTextFile(
  path: string,
  { clock, maxAgeMs }: { clock: Clock; maxAgeMs: number },
): Renewable<string> {
  let value: string | undefined;
  let readAt: number | undefined;
  let reading: Promise<void> | undefined;
  const read = async () => {
    try {
      value = await readFile(path, "utf8");
    } catch (error) {
      const why = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
      if (value === undefined) throw new ConfigError(`cannot read "${path}": ${why}`);
    } finally {
      reading = undefined;
    }
    readAt = clock.monotonic();
  };
  return {
    get value() {
      return value;
    },
    isFresh: () => readAt !== undefined && clock.monotonic() - readAt < maxAgeMs,
    fetch() {
      reading ??= read();
      return reading;
    },
    expire() {
      readAt = undefined;
    },
  };
}
