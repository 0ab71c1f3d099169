// SPDX-License-Identifier: Apache-2.0
import type { Stream } from "./client.ts";
import type { Watch, WatchEvent } from "./types.ts";
import { within } from "./wait.ts";

/** Reads a stream's events; each that is taken is told to `record`, and so is the end (undefined) where that is waited for. */
export function watchOf(stream: Stream, record: (event: WatchEvent | undefined) => void): Watch {
  const read = async (what: string): Promise<WatchEvent | undefined> => {
    const { done, value } = await within(what, stream.lines.next());
    if (done === true) return undefined;
    const event = JSON.parse(value) as WatchEvent;
    record(event);
    return event;
  };
  const next = async () => {
    const event = await read("the watch's next event");
    if (event === undefined) throw new Error("the server ended the watch");
    return event;
  };
  return {
    status: stream.status,
    next,
    async take(count) {
      const events: WatchEvent[] = [];
      while (events.length < count) events.push(await next());
      return events;
    },
    async until(check) {
      const events = [await next()];
      while (!events.slice(-1).some(check)) events.push(await next());
      return events;
    },
    async ended() {
      while ((await read("the end of the watch")) !== undefined);
      record(undefined);
    },
    close: stream.close,
  };
}
