// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { Agent } from "undici";
import type { ClusterConfig, TextSource } from "../client/cluster-config.ts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../types.ts";
import { relay } from "./chaos-relay.ts";
import { type ChaosRequest, type ChaosScript, pathOnly } from "./chaos-script.ts";
import { createOvertaking } from "./overtaking.ts";
import { nameOf, pause, type Relay } from "./relay-parts.ts";
import { selfSignedCertificate } from "./self-signed-certificate.ts";

/** What stands between client and server, and what goes wrong there. */
export interface ChaosProxyOptions {
  /** The server, and who is calling. A client certificate is shown to the server by the proxy, for TLS ends there. */
  readonly target: ClusterConfig;
  /** What goes wrong; nothing unless told otherwise. `seededChaos` makes one from a seed. */
  readonly script?: ChaosScript;
  /** Delays are measured on it. */
  readonly clock?: Clock;
  /** How long something waits to be overtaken where nothing comes. 100 unless told otherwise. */
  readonly longestReorderMs?: number;
}

/** What a proxy did so far. */
export interface ChaosStatistics {
  readonly connections: number;
  readonly openConnections: number;
  readonly requests: number;
  /** How often each fault happened, by names like `request cut`, `response truncate`, `event expire`, `request 429`. */
  readonly faults: Readonly<Record<string, number>>;
}

/** A proxy under way. */
export interface ChaosProxy {
  readonly url: string;
  /** What to make a client with: the proxy's address and authority, the target's credentials but its certificate. */
  readonly config: ClusterConfig;
  /** Replaces the script, for everything that comes from now on. */
  play(script: ChaosScript): void;
  /**
   * `silent`: from now on no byte goes in either direction, on old and new connections, and nobody is told; `cut`: all
   * connections are closed and new ones too; `open`: new connections work. What a silent time swallowed stays lost.
   */
  network(state: "open" | "silent" | "cut"): void;
  statistics(): ChaosStatistics;
  /** Cuts everything. May be repeated. */
  stop(): Promise<void>;
}

/**
 * Starts a proxy on loopback in front of any API server. It speaks TLS where the server does, with a certificate of its own that
 * `config` trusts. What is not made to go wrong passes unchanged and in order.
 */
export async function chaosProxy({
  target,
  script = {},
  clock = systemClock,
  longestReorderMs = 100,
}: ChaosProxyOptions): Promise<ChaosProxy> {
  const { origin, pathname, protocol } = new URL(target.server);
  const isTls = protocol === "https:";
  const identity = isTls ? selfSignedCertificate() : undefined;
  const faults: Record<string, number> = {};
  const count = (what: string) => {
    faults[what] = (faults[what] ?? 0) + 1;
  };
  const server = new Agent({ connect: await serverTls(target), headersTimeout: 0, bodyTimeout: 0, allowH2: false });
  let playing = script;
  const shared: Relay = {
    // Looked up at each use, for it may be replaced.
    script: {
      request: (request) => playing.request?.(request),
      response: (request) => playing.response?.(request),
      event: (event) => playing.event?.(event),
    },
    clock,
    server,
    origin,
    prefix: pathname.replace(/\/+$/, ""),
    requests: createOvertaking(clock, longestReorderMs),
    responses: createOvertaking(clock, longestReorderMs),
    count,
  };
  const number = createNumbering();
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    void relay(number.next(incoming), { incoming, outgoing }, shared);
  const web =
    identity === undefined
      ? createHttpServer(answer)
      : createHttpsServer({ cert: identity.certificate, key: identity.key }, answer);
  Object.assign(web, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0, timeout: 0 });
  const gate = createSocketGate({ fault: (index) => playing.connection?.(index), clock, count });
  const door = createServer(async (socket) => {
    if (await gate.admits(socket)) web.emit("connection", gate.behind(socket));
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const address = door.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = `${isTls ? "https" : "http"}://127.0.0.1:${port}`;
  let stopped: Promise<void> | undefined;
  return {
    url,
    config: clientConfig(target, url, identity?.certificate),
    play(next) {
      playing = next;
    },
    network: gate.network,
    statistics: () => ({ ...gate.statistics(), requests: number.count(), faults: { ...faults } }),
    stop() {
      stopped ??= (async () => {
        gate.network("cut");
        door.close();
        await Promise.all([once(door, "close"), server.destroy()]);
      })();
      return stopped;
    },
  };
}

interface SocketGateOptions {
  readonly fault: NonNullable<ChaosScript["connection"]>;
  readonly clock: Clock;
  count(what: string): void;
}

/** Knows all client connections and what may pass. */
function createSocketGate({ fault: faultOf, clock, count }: SocketGateOptions) {
  /** Each with what makes it silent. */
  const sockets = new Map<Socket, () => void>();
  let connections = 0;
  let state: "open" | "silent" | "cut" = "open";
  return {
    async admits(socket: Socket): Promise<boolean> {
      const index = connections;
      connections += 1;
      sockets.set(socket, () => socket.pause());
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
      const fault = state === "open" ? faultOf(index) : state === "cut" ? "cut" : "hold";
      if (fault !== undefined) count(`connection ${nameOf(fault)}`);
      if (fault === "cut") socket.destroy();
      if (typeof fault === "object") await pause(clock, fault.delayMs);
      return state === "open" && fault !== "cut" && fault !== "hold" && !socket.destroyed;
    },
    /** The connection as the web server gets it: bytes pass through our hands, so that they can stop doing so. */
    behind(socket: Socket): Duplex {
      const [near, far] = duplexPair();
      for (const end of [near, far]) end.on("error", () => {});
      socket.pipe(near).pipe(socket);
      sockets.set(socket, () => {
        socket.unpipe(near);
        near.unpipe(socket);
        socket.pause();
      });
      socket.on("close", () => far.destroy());
      far.on("close", () => socket.destroy());
      return far;
    },
    network(next: "open" | "silent" | "cut") {
      state = next;
      if (next === "silent") for (const mute of sockets.values()) mute();
      if (next === "cut") for (const socket of [...sockets.keys()]) socket.destroy();
    },
    statistics: () => ({ connections, openConnections: sockets.size }),
  };
}

/** Gives each request its numbers. */
function createNumbering() {
  const repeats = new Map<string, number>();
  let index = 0;
  return {
    next({ method = "GET", url: path = "/" }: IncomingMessage): ChaosRequest {
      const isWatch = method === "GET" && /[?&]watch=(true|1)(&|$)/.test(path);
      const name = `${method} ${pathOnly(path)}${isWatch ? " watch" : ""}`;
      const repeat = repeats.get(name) ?? 0;
      repeats.set(name, repeat + 1);
      index += 1;
      return { index: index - 1, repeat, method, path, isWatch };
    },
    count: () => index,
  };
}

async function serverTls({ ca, insecureSkipTlsVerify, tlsServerName, credentials = {} }: ClusterConfig) {
  const text = async (source: TextSource | undefined) =>
    source === undefined ? undefined : "text" in source ? source.text : readFile(source.path, "utf8");
  const [authority, cert, key] = await Promise.all([text(ca), text(credentials.certificate), text(credentials.key)]);
  return {
    rejectUnauthorized: insecureSkipTlsVerify !== true,
    ...(authority === undefined ? {} : { ca: authority }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
  };
}

function clientConfig(target: ClusterConfig, server: string, certificate: string | undefined): ClusterConfig {
  const {
    ca: _ca,
    tlsServerName: _name,
    proxyUrl: _proxy,
    insecureSkipTlsVerify: _skip,
    credentials,
    ...rest
  } = target;
  const { certificate: _certificate, key: _key, ...kept } = credentials ?? {};
  return { ...rest, server, credentials: kept, ...(certificate === undefined ? {} : { ca: { text: certificate } }) };
}
