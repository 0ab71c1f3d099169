// SPDX-License-Identifier: Apache-2.0
import { Pool } from "undici";

/** Where a server is and who is calling. Without certificate and key the caller is anonymous. */
export interface Access {
  readonly url: string;
  readonly ca: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** An answer: `body` is parsed where it is JSON, else the text. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The texts of the `Warning` headers. */
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** What a request can carry besides its body. */
export interface RequestOptions {
  /** `application/json` unless told otherwise; patches need their own. */
  readonly contentType?: string;
}

/** Speaks to one server over a few kept connections. */
export interface Client {
  /** Sends once, never again by itself; every status is an answer, only a broken connection throws. */
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Response>;
  close(): Promise<void>;
}

/** Makes a client. Nothing is sent before the first request. */
export function createClient({ url, ca, certificate, key }: Access): Client {
  const pool = new Pool(url, {
    connections: 16,
    connect: { ca, ...(certificate === undefined ? {} : { cert: certificate }), ...(key === undefined ? {} : { key }) },
  });
  return {
    async request(method, path, body, { contentType = "application/json" } = {}) {
      const answer = await pool.request({
        method,
        path,
        headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": contentType }) },
        body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      });
      const text = await answer.body.text();
      const isJson = String(answer.headers["content-type"]).startsWith("application/json");
      return {
        status: answer.statusCode,
        headers: answer.headers,
        warnings: parseWarnings(answer.headers.warning),
        body: isJson ? JSON.parse(text) : text,
      };
    },
    close: () => pool.close(),
  };
}

/** Reads headers of the form `299 - "text"`, the quotes in the text being escaped. */
export function parseWarnings(header: string | string[] | undefined): string[] {
  const lines = header === undefined ? [] : [header].flat();
  return lines.flatMap((line) =>
    [...line.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1")),
  );
}
