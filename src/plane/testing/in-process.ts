// SPDX-License-Identifier: Apache-2.0
import { type Plane, type PlaneOptions, startPlane } from "../plane.ts";
import type { KubeObject, PlaneResponse } from "../types.ts";

/** An answer whose body is read, where it is no stream. */
export interface Answer {
  readonly status: number;
  readonly headers: PlaneResponse["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** An event of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject;
}

/** A plane without a network, and its administrator. */
export interface InProcess {
  readonly plane: Plane;
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Opens a watch; its events come as they are asked for. */
  watch(path: string): Promise<WatchReader>;
}

/** Reads events of a watch one by one. */
export interface WatchReader {
  /** The next event; undefined where the watch has ended. Waits as long as there is none. */
  next(): Promise<WatchEvent | undefined>;
  /** Hangs up. */
  close(): void;
}

/** Starts one in memory. Stop its plane at the end of the test. */
export async function startInProcess(options: PlaneOptions = {}): Promise<InProcess> {
  const plane = await startPlane({ ...options, memory: true, listen: false });
  const send = (method: string, path: string, signal: AbortSignal, more: { body?: unknown; headers?: object } = {}) =>
    plane.handle({
      method,
      path,
      signal,
      headers: {
        "user-agent": "test/1",
        ...(more.body === undefined ? {} : { "content-type": "application/json" }),
        ...more.headers,
      },
      body:
        more.body === undefined
          ? undefined
          : Buffer.from(typeof more.body === "string" ? more.body : JSON.stringify(more.body)),
      user: { name: "test", groups: ["system:masters", "system:authenticated"] },
    });
  return {
    plane,
    async request(method, path, body, headers = {}) {
      const {
        status,
        headers: said,
        body: text,
      } = await send(method, path, new AbortController().signal, { body, headers });
      if (typeof text !== "string") throw new Error("this is a stream");
      return { status, headers: said, body: text.startsWith("{") ? JSON.parse(text) : { text } };
    },
    async watch(path) {
      const gone = new AbortController();
      const { status, body } = await send("GET", path, gone.signal);
      if (typeof body === "string") throw new Error(`${status} ${body}`);
      const chunks = body[Symbol.asyncIterator]();
      const lines: string[] = [];
      return {
        async next() {
          while (lines.length === 0) {
            const { done, value } = await chunks.next();
            if (done === true) return undefined;
            lines.push(...value.split("\n").filter((line: string) => line !== ""));
          }
          return JSON.parse(lines.shift() ?? "");
        },
        close: () => gone.abort(),
      };
    },
  };
}
