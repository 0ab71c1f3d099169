// SPDX-License-Identifier: Apache-2.0
import type { Wire, WireCall, WireRequest } from "./wire.ts";

/** A request as a server in this process takes it. Header names are lower case. */
export interface HandlerRequest {
  readonly method: string;
  /** Path and query, as on the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | undefined;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** An answer: text, or for watches pieces of text that are pulled at the client's pace. */
export interface HandlerResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | AsyncIterable<string>;
}

/** A server in this process. */
export type HandlerTransport = (request: HandlerRequest) => Promise<HandlerResponse>;

/** Carries requests to a server in this process, by the same rules as over a connection. */
export function createHandlerWire(handle: HandlerTransport): Wire {
  const watches = new Set<WireCall>();
  let isClosed = false;
  return {
    dispatch(request, handler) {
      const gone = new AbortController();
      let isOver = false;
      const over = () => {
        isOver = true;
        watches.delete(call);
      };
      const fail = (error: unknown) => {
        if (isOver) return;
        over();
        handler.onError(error);
      };
      const gauge = createGauge();
      const call: WireCall = {
        abort(reason) {
          fail(reason);
          gone.abort(reason);
          gauge.open();
        },
        pause: gauge.shut,
        resume: gauge.open,
      };
      const run = async () => {
        if (isClosed) throw Object.assign(new Error("the client is closed"), { code: "CLOSED" });
        handler.onSend();
        const { status, headers, body } = await handle(toHandlerRequest(request, gone.signal));
        if (isOver) return;
        handler.onAnswer(status, headers);
        for await (const piece of typeof body === "string" ? [body] : body) {
          if (isOver) return;
          handler.onData(Buffer.from(piece));
          await gauge.passage;
        }
        if (isOver) return;
        over();
        handler.onEnd();
      };
      if (request.isWatch) watches.add(call);
      run().catch(fail);
      return call;
    },
    async close() {
      isClosed = true;
      for (const call of [...watches]) call.abort(Object.assign(new Error("the client is closed"), { code: "CLOSED" }));
    },
  };
}

/** Lets through or not, as told last. */
function createGauge() {
  let release: (() => void) | undefined;
  let passage: Promise<void> | undefined;
  return {
    get passage() {
      return passage;
    },
    shut() {
      passage ??= new Promise((resolve) => {
        release = resolve;
      });
    },
    open() {
      release?.();
      passage = undefined;
    },
  };
}

function toHandlerRequest({ method, path, headers, body }: WireRequest, signal: AbortSignal): HandlerRequest {
  const named: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) named[String(headers[at])] = String(headers[at + 1]);
  return { method, path, headers: named, body: body === undefined ? undefined : Buffer.from(body), signal };
}
