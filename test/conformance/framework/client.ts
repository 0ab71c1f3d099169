// SPDX-License-Identifier: Apache-2.0
import { Pool } from "undici";
import { parseWarnings } from "../../kubernetes/request.ts";
import type { Answer, Caller, Endpoint, JsonObject, RequestOptions } from "./types.ts";

/** The field manager of whatever does not name one: servers take it from the user agent. */
const USER_AGENT = "conformance/1.0";

/** How long a request may take, a watch's first line included. */
const ANSWER_WITHIN_MS = 30_000;

/** An answer whose body is read while it arrives. */
export interface Stream {
  readonly status: number;
  /** The lines of the body; ends when the server ends it. */
  readonly lines: AsyncIterator<string>;
  close(): void;
}

/** Speaks to one server as one caller. */
export interface Client {
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  stream(path: string, options?: RequestOptions): Promise<Stream>;
  close(): Promise<void>;
}

/** Makes a client for the caller. Nothing is sent before the first request. */
export async function connect(endpoint: Endpoint, caller: Caller | "admin"): Promise<Client> {
  const identity = await identityOf(endpoint, caller);
  const pool = new Pool(endpoint.url, {
    bodyTimeout: 0,
    headersTimeout: ANSWER_WITHIN_MS,
    connect: { ca: endpoint.ca, ...(identity && { cert: identity.certificate, key: identity.key }) },
  });
  const authorization = typeof caller === "object" && "token" in caller ? `Bearer ${caller.token}` : undefined;
  const headersOf = (body: unknown, { contentType, accept, headers }: RequestOptions) => ({
    accept: accept ?? "application/json",
    "user-agent": USER_AGENT,
    ...(authorization && { authorization }),
    ...(body !== undefined && { "content-type": contentType ?? "application/json" }),
    ...headers,
  });
  return {
    async request(method, path, body, options = {}) {
      const answer = await pool.request({
        method,
        path,
        headers: headersOf(body, options),
        body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const text = await answer.body.text();
      return {
        status: answer.statusCode,
        headers: answer.headers,
        warnings: parseWarnings(answer.headers.warning),
        body: parsed(text),
        text,
      };
    },
    async stream(path, options = {}) {
      const controller = new AbortController();
      const answer = await pool.request({
        method: "GET",
        path,
        headers: headersOf(undefined, options),
        signal: controller.signal,
      });
      return { status: answer.statusCode, lines: linesOf(answer.body), close: () => controller.abort() };
    },
    close: () => pool.destroy(),
  };
}

/** Not everything that is JSON says so. */
function parsed(text: string): JsonObject {
  return text.startsWith("{") ? (JSON.parse(text) as JsonObject) : {};
}

async function identityOf(endpoint: Endpoint, caller: Caller | "admin") {
  if (caller === "admin") return endpoint.admin;
  if (caller === "anonymous" || "token" in caller) return undefined;
  return endpoint.issueClient(caller.user, caller.groups ?? []);
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
