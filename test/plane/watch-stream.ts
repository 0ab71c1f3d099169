// SPDX-License-Identifier: Apache-2.0
import { Client } from "undici";
import type { Access } from "../kubernetes/request.ts";

/** One event of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: WatchedObject;
}

/** What tests look at; for an ERROR event it is a Status. */
export interface WatchedObject {
  readonly code?: number;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** A watch that is running. */
export interface Watch {
  /** Resolves when the stream is over, also where the connection broke: with the answer's status, 0 where there was none. */
  readonly ended: Promise<number>;
  stop(): void;
}

/** Watches on a connection of its own and tells every event. */
export function startWatch(
  { url, ca, certificate, key }: Required<Access>,
  path: string,
  onEvent: (event: WatchEvent) => void,
): Watch {
  const client = new Client(url, { connect: { ca, cert: certificate, key }, bodyTimeout: 0 });
  const run = async (): Promise<number> => {
    let status = 0;
    try {
      const { statusCode, body } = await client.request({ method: "GET", path });
      status = statusCode;
      let rest = "";
      for await (const chunk of body.setEncoding("utf8")) {
        const lines = (rest + String(chunk)).split("\n");
        rest = lines.pop() ?? "";
        if (status === 200) for (const line of lines) onEvent(JSON.parse(line));
      }
    } catch (error) {
      // A broken connection ends a watch; whatever the listener threw is the caller's.
      if (!isConnectionError(error)) throw error;
    } finally {
      client.destroy().catch(() => {});
    }
    return status;
  };
  const ended = run();
  ended.catch(() => {});
  return { ended, stop: () => client.destroy().catch(() => {}) };
}

/** Whether what was thrown says that the server, or the way to it, is gone. */
export function isConnectionError(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^(UND_ERR_|ECONN|EPIPE|ERR_SSL|ERR_TLS|ERR_STREAM)/.test(code);
}
