// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** What the server does with one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => void;

/** A server on loopback that does what its script says, step by step, one step per request. */
export interface ScriptedServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** How many connections were opened so far. */
  readonly connections: number;
  /** Resolves when so many requests have been seen in all. */
  untilSeen(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one. After the last step every request is answered with 418, which no client repeats. */
export async function startScriptedServer(steps: readonly Step[]): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const watchers = new Set<() => void>();
  let connections = 0;
  const server = createServer(async (message, response) => {
    let body = "";
    for await (const chunk of message) body += chunk;
    const { method = "", url: path = "", headers, rawHeaders } = message;
    const request = { method, path, headers, rawHeaders, body };
    const step = steps[seen.length] ?? json(418, {});
    seen.push(request);
    step(response, request);
    for (const check of [...watchers]) check();
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    get connections() {
      return connections;
    },
    untilSeen(count) {
      return new Promise((resolve) => {
        const check = () => {
          if (seen.length < count) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
        check();
      });
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Answers with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Answers with a Status of failure. */
export function refuse(status: number, reason: string, headers: Record<string, string> = {}): Step {
  return json(status, { kind: "Status", status: "Failure", code: status, reason, message: `${reason} it is` }, headers);
}

/** Takes the request and cuts the connection. */
export const cut: Step = (response) => response.destroy();

/** Begins an answer and cuts the connection half way. */
export function cutAfter(text: string): Step {
  return (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": text.length + 100 });
    response.write(text, () => response.destroy());
  };
}

/** Takes the request and never answers. */
export const silent: Step = () => {};

/** Sends these pieces, each flushed by itself, and then ends. */
export function pieces(...texts: readonly (string | Buffer)[]): Step {
  return async (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    for (const text of texts) await new Promise<void>((resolve) => response.write(text, () => setImmediate(resolve)));
    response.end();
  };
}
