// SPDX-License-Identifier: Apache-2.0
import { expired } from "../../../plane/status-error.ts";
import { ConnectionCut } from "./faults.ts";

/** How a watch ends before its time: properly, with the connection, or because it fell behind. */
export type WatchEnd = "end" | "break" | "expire";

/** The watches under way. */
export interface WatchStreams {
  /** The same events, until they are cut. `abandon` ends what makes them. */
  carry(events: AsyncIterable<string>, abandon: () => void): AsyncIterable<string>;
  /** Ends all that are under way. */
  cut(how: WatchEnd): void;
  readonly count: number;
}

const FELL_BEHIND = `${JSON.stringify({ type: "ERROR", object: expired("too old resource version").status })}\n`;

/** Keeps track of watches. */
export function createWatchStreams(): WatchStreams {
  const active = new Set<(how: WatchEnd) => void>();
  async function* relay(events: AsyncIterable<string>, abandon: () => void): AsyncGenerator<string> {
    const source = events[Symbol.asyncIterator]();
    let ending: WatchEnd | undefined;
    let wake = () => {};
    const cut = (how: WatchEnd) => {
      ending = how;
      wake();
    };
    const next = () =>
      new Promise<IteratorResult<string> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        source.next().then(resolve, reject);
      });
    active.add(cut);
    try {
      while (ending === undefined) {
        const result = await next();
        if (result === undefined) break;
        if (result.done === true) return;
        yield result.value;
      }
      if (ending === "break") throw new ConnectionCut();
      if (ending === "expire") yield FELL_BEHIND;
    } finally {
      active.delete(cut);
      abandon();
    }
  }
  return {
    carry: relay,
    cut(how) {
      for (const one of [...active]) one(how);
    },
    get count() {
      return active.size;
    },
  };
}
