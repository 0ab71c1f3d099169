// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";

/** Says what is wrong, or undefined where all is well. */
export type HealthCheck = () => string | undefined;

/** What the server tells, and where. */
export interface HealthServerOptions {
  /** 127.0.0.1 unless told otherwise: metrics are not for everybody. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Whether the process should live; asked at `/healthz`. */
  readonly live: Readonly<Record<string, HealthCheck>>;
  /** Whether it does its work; asked at `/readyz`. */
  readonly ready: Readonly<Record<string, HealthCheck>>;
  /** The text of `/metrics`; left out, there is none. */
  readonly metrics?: () => string;
}

/** A server under way. */
export interface HealthServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Answers `/healthz` and `/readyz` with 200, or with 503 and the reasons; with `?verbose` all checks are named. A check that throws
 * has failed. Everything else is 404, and metrics that throw are 500: no request takes the process down.
 */
export async function startHealthServer({
  host = "127.0.0.1",
  port,
  ...told
}: HealthServerOptions): Promise<HealthServer> {
  // An import of this module makes Node load its own fetch and WebSocket as well: some MiB that whoever imports us would pay.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer(({ method, url = "/" }, response) => {
    const answer = (status: number, text: string, type = "text/plain; charset=utf-8") => {
      response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
      response.end(method === "HEAD" ? "" : text);
    };
    if (method !== "GET" && method !== "HEAD") return answer(405, "only GET\n");
    const target = URL.parse(url, "http://localhost");
    if (target === null) return answer(400, "not a path\n");
    const { pathname, searchParams } = target;
    const isVerbose = searchParams.has("verbose");
    if (pathname === "/healthz" || pathname === "/livez") return answer(...report(told.live, isVerbose));
    if (pathname === "/readyz") return answer(...report(told.ready, isVerbose));
    if (pathname !== "/metrics" || told.metrics === undefined) return answer(404, "not found\n");
    const text = textOf(told.metrics);
    if (text === undefined) return answer(500, "the metrics failed\n");
    answer(200, text, "text/plain; version=0.0.4; charset=utf-8");
  });
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function report(checks: Readonly<Record<string, HealthCheck>>, isVerbose: boolean): [number, string] {
  const results = Object.entries(checks).map(([name, check]) => {
    const problem = outcomeOf(check);
    return {
      isFine: problem === undefined,
      text: problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
    };
  });
  const isFine = results.every((result) => result.isFine);
  if (isFine && !isVerbose) return [200, "ok\n"];
  return [isFine ? 200 : 503, `${results.map(({ text }) => text).join("\n")}\n`];
}

function textOf(metrics: () => string): string | undefined {
  try {
    return metrics();
  } catch {
    return undefined;
  }
}

function outcomeOf(check: HealthCheck): string | undefined {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : "the check failed";
  }
}
