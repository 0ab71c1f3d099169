// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../types.ts";
import { isOlder } from "./versions.ts";

/** Lists that are older than what was seen, before they are believed: this many in a row, over at least this time. */
const REFUSALS = 5;
const PATIENCE_MS = 2 * 60_000;

/** The server's versions went back for good: it was restored from a backup, or is another one. What it shows now was taken. */
export class HistoryChangedError extends Error {
  override readonly name = "HistoryChangedError";
}

/** Tells an answer that is late from a server that has lost what it once said. */
export interface Doubts {
  /** A list was older than what is known. Whether it has to be believed by now. */
  mustBelieve(version: string): boolean;
  /** A list was as it should be. */
  clear(): void;
}

/** No doubts yet. An answer that is merely late does not come again and again, for minutes, without ever growing older. */
export function createDoubts(clock: Clock): Doubts {
  let since = 0;
  let count = 0;
  let last: string | undefined;
  return {
    mustBelieve(version) {
      if (last === undefined || isOlder(version, last)) {
        since = clock.monotonic();
        count = 0;
      }
      last = version;
      count += 1;
      return count >= REFUSALS && clock.monotonic() - since >= PATIENCE_MS;
    },
    clear() {
      last = undefined;
    },
  };
}
