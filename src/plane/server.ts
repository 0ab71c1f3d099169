// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { clientCertificate } from "./auth/index.ts";
import { errorResponse } from "./handler.ts";
import { tooLarge, tooManyRequests } from "./status-error.ts";
import type { Handler, PlaneRequest, PlaneResponse } from "./types.ts";

/** The largest body that is read. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** What a client may take of the server's patience and room. */
export interface ServerLimits {
  readonly handshakeWithinMs: number;
  readonly headersWithinMs: number;
  /** From the first byte to the last of a request, body included. */
  readonly requestWithinMs: number;
  readonly keepAliveMs: number;
  /** How long a client may take to read what waits for it: an answer, or some events of a watch. */
  readonly stalledMs: number;
  /** More connections than these are closed at once. */
  readonly connections: number;
  /** How much of bodies may wait in memory, all requests together: they are read before anybody knows who sent them. */
  readonly bodyBytes: number;
}

const LIMITS: ServerLimits = {
  handshakeWithinMs: 20_000,
  headersWithinMs: 20_000,
  requestWithinMs: 60_000,
  keepAliveMs: 90_000,
  stalledMs: 300_000,
  connections: 2_000,
  bodyBytes: 128 * 1024 * 1024,
};
/** How long answers on their way may take when the server stops. */
const STOP_WITHIN_MS = 2_000;

/** How to listen. */
export interface ServerOptions {
  readonly host: string;
  /** 0 for one that is free. */
  readonly port: number;
  /** PEM; client certificates are accepted when this authority signed them. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  readonly handle: Handler;
  readonly onFault: (error: unknown) => void;
  /** Others than the usual ones. */
  readonly limits?: Partial<ServerLimits> | undefined;
}

/** A listening server. */
export interface RunningServer {
  readonly port: number;
  /** Ends watches, lets other answers finish, closes all connections. May be repeated. */
  stop(): Promise<void>;
}

/** Starts to listen for HTTPS. Slow clients are given limits: 20 s for headers, a minute for the whole request. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const limits = { ...LIMITS, ...options.limits };
  const active = new Set<AbortController>();
  const room = createRoom(limits.bodyBytes);
  let isStopping = false;
  const server = createServer(
    {
      ca: options.ca,
      cert: options.certificate,
      key: options.key,
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
      handshakeTimeout: limits.handshakeWithinMs,
      headersTimeout: limits.headersWithinMs,
      requestTimeout: limits.requestWithinMs,
      connectionsCheckingInterval: Math.min(limits.headersWithinMs, 5_000),
      keepAliveTimeout: limits.keepAliveMs,
      noDelay: true,
    },
    (message, response) => {
      const gone = new AbortController();
      active.add(gone);
      response.on("close", () => {
        active.delete(gone);
        // Not for those who got their answer: nobody listens any more, and each abort makes an error with its stack.
        if (!response.writableFinished) gone.abort();
        // A connection is idle only once its answer is through.
        if (isStopping) setImmediate(() => server.closeIdleConnections());
      });
      if (isStopping) response.shouldKeepAlive = false;
      answer(message, response, { ...options, signal: gone.signal, stalledMs: limits.stalledMs, room }).catch(
        (error: unknown) => {
          options.onFault(error);
          response.destroy();
        },
      );
    },
  );
  // A client that hangs up or speaks no TLS is no fault of ours.
  server.on("tlsClientError", () => {});
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(socket, error.code));
  server.maxConnections = limits.connections;
  server.listen(options.port, options.host);
  await once(server, "listening");
  return {
    port: portOf(server),
    async stop() {
      if (isStopping) return;
      isStopping = true;
      const closed = once(server, "close");
      server.close();
      for (const controller of active) controller.abort();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Says why before it hangs up on what is no request, or comes too slowly. Whoever speaks no TLS is told nothing. */
function refuse(socket: Duplex, code = ""): void {
  const words = REFUSALS[code] ?? (code.startsWith("HPE_") ? "400 Bad Request" : undefined);
  if (!socket.writable || words === undefined) {
    socket.destroy();
    return;
  }
  socket.end(`HTTP/1.1 ${words}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${words}`);
  setTimeout(() => socket.destroy(), HANG_UP_MS).unref();
}

/** How long a client has to read why it is hung up on. */
const HANG_UP_MS = 1_000;
const REFUSALS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
};

function portOf(server: Server): number {
  const address = server.address();
  return isAddress(address) ? address.port : 0;
}

function isAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

interface AnswerOptions extends ServerOptions {
  readonly signal: AbortSignal;
  readonly stalledMs: number;
  readonly room: Room;
}

/** Keeps count of what waits in memory. */
interface Room {
  /** False where there is no room for so much; then nothing was taken. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

function createRoom(bytes: number): Room {
  let left = bytes;
  return {
    take(wanted) {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
    give(returned) {
      left += returned;
    },
  };
}

async function answer(message: IncomingMessage, response: ServerResponse, options: AnswerOptions): Promise<void> {
  let taken = 0;
  try {
    const body = await readAll(message, (bytes) => {
      if (!options.room.take(bytes)) return false;
      taken += bytes;
      return true;
    });
    if (Buffer.isBuffer(body)) await answerTo(message, response, { ...options, body });
    else if (!message.destroyed) await turnAway(message, response, { ...options, isFull: body === "no room" });
  } finally {
    options.room.give(taken);
  }
}

async function turnAway(
  message: IncomingMessage,
  response: ServerResponse,
  options: AnswerOptions & { readonly isFull: boolean },
): Promise<void> {
  response.shouldKeepAlive = false;
  // What still comes is thrown away, so that the client gets to read the answer.
  message.resume();
  const why = options.isFull
    ? tooManyRequests("too many requests are being read, please try again later", 1)
    : tooLarge(`limit is ${MAX_BODY_BYTES}`);
  await send(response, errorResponse(why, options), options.stalledMs);
}

async function answerTo(
  message: IncomingMessage,
  response: ServerResponse,
  { body, ...options }: AnswerOptions & { readonly body: Buffer },
): Promise<void> {
  const certificate = message.socket instanceof TLSSocket ? clientCertificate(message.socket) : undefined;
  const request: PlaneRequest = {
    method: message.method ?? "GET",
    path: message.url ?? "/",
    headers: headersOf(message),
    body: body === EMPTY ? undefined : body,
    signal: options.signal,
    ...(certificate === undefined ? {} : { certificate }),
  };
  await send(response, await options.handle(request), options.stalledMs);
}

const EMPTY = Buffer.alloc(0);

type Body = Buffer | "too large" | "no room" | "gone";

/** The body, where it is not too large, there is room for it, and the client stays. */
function readAll(message: IncomingMessage, take: (bytes: number) => boolean): Body | Promise<Body> {
  const { "content-length": length, "transfer-encoding": encoding } = message.headers;
  if (length === undefined && encoding === undefined) return EMPTY;
  if (Number(length ?? 0) > MAX_BODY_BYTES) return "too large";
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      const refusal = size > MAX_BODY_BYTES ? "too large" : take(chunk.length) ? undefined : "no room";
      if (refusal === undefined) chunks.push(chunk);
      else {
        chunks.length = 0;
        size = Number.POSITIVE_INFINITY;
        resolve(refusal);
      }
    });
    message.on("end", () => resolve(chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks)));
    message.on("close", () => resolve("gone"));
    message.on("error", () => resolve("gone"));
  });
}

function headersOf({ headers }: IncomingMessage): Record<string, string | undefined> {
  const flat: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  return flat;
}

async function send(
  response: ServerResponse,
  { status, headers, body }: PlaneResponse,
  stalledMs: number,
): Promise<void> {
  if (response.destroyed) return;
  // How long a connection may rest is no promise of ours: clients that keep what they never use again would keep it as long as they may.
  if (response.shouldKeepAlive) response.removeHeader("connection");
  if (typeof body === "string") {
    response.writeHead(status, { ...mutable(headers), "content-length": Buffer.byteLength(body) });
    response.end(body);
    if (response.writableNeedDrain) await drained(response, stalledMs);
    return;
  }
  response.writeHead(status, mutable(headers));
  response.flushHeaders();
  for await (const chunk of body) {
    if (response.destroyed) return;
    if (chunk !== "" && !response.write(chunk)) await drained(response, stalledMs);
  }
  response.end();
}

/** Resolves when there is room again, or the client is gone. One that takes too long to read is cut off. */
function drained(response: ServerResponse, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), stalledMs);
    const done = () => {
      clearTimeout(timer);
      for (const event of ["drain", "finish", "close"]) response.off(event, done);
      resolve();
    };
    for (const event of ["drain", "finish", "close"]) response.on(event, done);
  });
}

function mutable(headers: PlaneResponse["headers"]): OutgoingHttpHeaders {
  const copy: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) copy[name] = typeof value === "string" ? value : [...value];
  return copy;
}
