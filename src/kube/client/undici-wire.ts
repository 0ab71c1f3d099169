// SPDX-License-Identifier: Apache-2.0
import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { ClusterConfig } from "./cluster-config.ts";
import type { FlatHeaders, TlsMaterial, Wire, WireCall, WireHandler, WireRequest } from "./wire.ts";

/** Below what servers (90 s) and load balancers (60 s) wait before they drop an idle connection: a request must not meet that. */
const IDLE_MS = 30_000;

/** How to reach the server. */
export type UndiciWireOptions = Pick<
  ClusterConfig,
  "server" | "insecureSkipTlsVerify" | "tlsServerName" | "proxyUrl"
> & { readonly connections: number };

interface Pools {
  readonly tls: TlsMaterial;
  readonly requests: Dispatcher;
  readonly watches: Dispatcher;
}

/**
 * Requests over kept HTTP/1.1 connections, watches each over one of its own. When the certificate or the authority changes, new
 * requests get new connections; what is under way finishes on the old ones.
 */
export function createUndiciWire(options: UndiciWireOptions): Wire {
  const { origin, pathname } = new URL(options.server);
  const prefix = pathname.replace(/\/+$/, "");
  const isProxied = options.proxyUrl !== undefined;
  let pools: Pools | undefined;
  let isClosed = false;
  /** Pools that were replaced and still have watches. */
  const retired = new Set<Dispatcher>();
  const poolsFor = (tls: TlsMaterial): Pools => {
    if (pools?.tls === tls) return pools;
    for (const pool of pools === undefined ? [] : [pools.requests, pools.watches]) {
      retired.add(pool);
      void pool.close().then(() => retired.delete(pool));
    }
    pools = {
      tls,
      requests: createPool(origin, { options, tls, connections: options.connections }),
      watches: createPool(origin, { options, tls, connections: null }),
    };
    return pools;
  };
  return {
    dispatch(request, handler) {
      if (isClosed) return refuse(handler);
      const { requests, watches } = poolsFor(request.tls);
      return dispatchTo(request.isWatch ? watches : requests, { origin, prefix, request, handler, isProxied });
    },
    async close() {
      isClosed = true;
      const last = pools;
      pools = undefined;
      await Promise.all([
        last?.requests.close(),
        last?.watches.destroy(),
        ...[...retired].map((pool) => pool.destroy()),
      ]);
    },
  };
}

function refuse(handler: WireHandler): WireCall {
  handler.onError(Object.assign(new Error("the client is closed"), { code: "CLOSED" }));
  return { abort() {}, pause() {}, resume() {} };
}

interface PoolOptions {
  readonly options: UndiciWireOptions;
  readonly tls: TlsMaterial;
  readonly connections: number | null;
}

function createPool(origin: string, { options, tls, connections }: PoolOptions): Dispatcher {
  const { ca, certificate, key } = tls;
  const rejectUnauthorized = options.insecureSkipTlsVerify !== true;
  const secure = {
    rejectUnauthorized,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(options.tlsServerName === undefined ? {} : { servername: options.tlsServerName }),
  };
  const common = {
    connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // Time limits come from the client's own clock.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (options.proxyUrl === undefined) return new Pool(origin, { ...common, connect: secure });
  // An import would decode these for everybody, and few have a proxy.
  const { rootCertificates } = process.getBuiltinModule("node:tls");
  // The proxy may be known to the cluster's authority or to the world's.
  const proxyTls = { rejectUnauthorized, ...(ca === undefined ? {} : { ca: [ca, ...rootCertificates] }) };
  return new ProxyAgent({ ...common, uri: options.proxyUrl, requestTls: secure, proxyTls });
}

interface Sending {
  readonly origin: string;
  /** The path of the server's address, below which everything lies. */
  readonly prefix: string;
  readonly request: WireRequest;
  readonly handler: WireHandler;
  readonly isProxied: boolean;
}

function dispatchTo(pool: Dispatcher, { origin, prefix, request, handler, isProxied }: Sending): WireCall {
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  const fail = (error: unknown) => {
    if (isOver) return;
    isOver = true;
    handler.onError(error);
  };
  pool.dispatch(
    {
      origin,
      method: request.method,
      path: prefix === "" ? request.path : prefix + request.path,
      // The proxy agent keeps one of several equal names in a list, and all of them in anything else.
      headers: isProxied ? new Set(pairs(request.headers)) : request.headers,
      body: request.body ?? null,
    },
    {
      onRequestStart(started) {
        // It was given up while it waited for a connection. To throw spares the connection, which an abort would not.
        if (isOver) throw new Error("aborted");
        handler.onSend();
        controller = started;
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200 && !isOver) handler.onAnswer(status, headers);
      },
      onResponseData(_controller, chunk) {
        if (!isOver) handler.onData(chunk);
      },
      onResponseEnd() {
        if (isOver) return;
        isOver = true;
        handler.onEnd();
      },
      onResponseError(_controller, error) {
        fail(error);
      },
    },
  );
  return {
    abort(reason) {
      if (isOver) return;
      fail(reason);
      controller?.abort(new Error("aborted"));
    },
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
  };
}

function* pairs(headers: FlatHeaders): Generator<[string, string]> {
  for (let at = 0; at < headers.length; at += 2) yield [headers[at] ?? "", headers[at + 1] ?? ""];
}
