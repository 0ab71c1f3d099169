// SPDX-License-Identifier: Apache-2.0
import type { Clock, HandlerRequest, HandlerResponse, HandlerTransport } from "../../../kube/index.ts";

/** Knows what a server would have answered to some reads a while ago. */
export interface Past {
  /** The server, with what it would answer noted before everything that changes something. */
  readonly serve: HandlerTransport;
  /** From now on answers to these reads are noted. */
  follow(paths: readonly string[]): void;
  /** Notes what would be answered now. */
  note(): Promise<void>;
  /** The newest answer that is so old, or else the oldest there is; undefined where this read was never noted. */
  answer(request: Pick<HandlerRequest, "method" | "path">, ageMs: number): HandlerResponse | undefined;
}

interface Noted {
  readonly at: number;
  readonly answer: HandlerResponse;
}

/** Nothing is noted yet. */
export function createPast(serve: HandlerTransport, clock: Clock): Past {
  const notes = new Map<string, Noted[]>();
  /** Who asks: a read is sent as whoever has sent something last. */
  let headers: HandlerRequest["headers"] | undefined;
  const note = async () => {
    if (headers === undefined) return;
    for (const [path, noted] of notes) {
      const { signal } = new AbortController();
      const answer = await serve({ method: "GET", path, headers, body: undefined, signal });
      const isNew = noted.at(-1)?.answer.body !== answer.body;
      if (answer.status === 200 && typeof answer.body === "string" && isNew)
        noted.push({ at: clock.monotonic(), answer });
    }
  };
  return {
    async serve(request) {
      ({ headers } = request);
      if (request.method !== "GET") await note();
      return await serve(request);
    },
    follow(paths) {
      for (const path of paths) notes.set(path, notes.get(path) ?? []);
    },
    note,
    answer({ method, path }, ageMs) {
      const noted = method === "GET" ? (notes.get(path) ?? []) : [];
      const latest = clock.monotonic() - ageMs;
      // An answer holds until the next one is noted.
      const next = noted.findIndex(({ at }) => at > latest);
      return noted[next < 0 ? noted.length - 1 : Math.max(0, next - 1)]?.answer;
    },
  };
}
