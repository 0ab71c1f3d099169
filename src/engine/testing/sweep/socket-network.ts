// SPDX-License-Identifier: Apache-2.0
import { createClient, type HandlerTransport } from "../../../kube/index.ts";
import type { Plane } from "../../../plane/plane.ts";
import { startServer } from "../../../plane/server.ts";
import type { Provider } from "../../provider.ts";
import type { ProviderEntry } from "../../provider-entry.ts";
import type { FaultEffect, RunningSimulator } from "../simulator.ts";
import type { Fault } from "./fault.ts";
import { createLine } from "./line.ts";
import type { Network, NetworkOptions } from "./network.ts";
import { followSockets, type SocketTraffic } from "./socket-traffic.ts";
import { faultAt, type Traffic } from "./traffic.ts";
import type { Vitality } from "./vitality.ts";

const HOST = "127.0.0.1";

/** What it takes besides. */
export interface SocketOptions extends NetworkOptions {
  readonly plane: Plane;
  /** One that listens. */
  readonly sim: RunningSimulator;
}

/**
 * Managers talk with both servers by their own HTTP clients, over TLS on loopback. Kubernetes is reached through a server that knows
 * which manager is calling; the infrastructure directly, so that what goes wrong there is what its simulator can be told to do wrong,
 * and acts at its requests are begun and not waited for. Managers cannot be put to sleep.
 */
export async function overSockets(options: SocketOptions): Promise<Network> {
  const { servers, traffic, clock, plane, sim } = options;
  const lines = new Map<string, HandlerTransport>();
  const ending = Promise.withResolvers<never>();
  ending.promise.catch(() => {});
  const handle: HandlerTransport = async (request) => {
    const [, name = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(request.path) ?? [];
    const line = lines.get(name);
    if (line === undefined) throw new Error(`there is no manager "${name}"`);
    // What a dead manager has sent is never answered; in the end its connections are closed all the same.
    return await Promise.race([line({ ...request, path }), ending.promise]);
  };
  const { certificate, key } = plane.authority.serving([HOST]);
  const ca = plane.authority.certificate;
  const server = await startServer({ host: HOST, port: 0, ca, certificate, key, handle, onFault: () => {} });
  const url = `https://${HOST}:${server.port}`;
  const sockets = followSockets(traffic, (origin) => origin === url || origin === sim.url);
  let latest: Vitality | undefined;
  const release = meetFaults(sim, { traffic, sockets, living: () => (latest?.isDead ? undefined : latest) });
  const clients = new Set<{ close(): Promise<void> }>();
  return {
    // Both ends of each socket are in this process: what was written is read within a few turns.
    quietTurns: 24,
    reach(name, vitality, random) {
      latest = vitality;
      const to = { side: "kubernetes", server: servers.kubernetes } as const;
      lines.set(name, createLine({ ...to, vitality, traffic, clock, onPark: sockets.park }));
      const client = createClient({ server: `${url}/${name}`, ca: { text: ca } }, { clock: vitality.clock, random });
      clients.add(client);
      vitality.onDeath(() => sockets.parkAll());
      return { client, entry: mortal(options.entry, vitality) };
    },
    async stop() {
      release();
      sockets.stop();
      ending.reject(new Error("the world ends"));
      await Promise.all([...clients].map((client) => client.close()));
      await server.stop();
    },
  };
}

/** The provider, whose connections end with the manager that opened them. */
function mortal(entry: ProviderEntry, vitality: Vitality): ProviderEntry {
  const { load } = entry;
  if (load === undefined) return entry;
  const withEnd = (provider: Provider): Provider => ({
    ...provider,
    async connect(input) {
      const connection = await provider.connect(input);
      vitality.onDeath(() => void connection.close());
      return connection;
    },
  });
  return { ...entry, load: async () => ({ provider: withEnd((await load()).provider) }) };
}

interface Meeting {
  readonly traffic: Traffic;
  readonly sockets: SocketTraffic;
  readonly living: () => Vitality | undefined;
}

/** Has the simulator tell of every request, and do wrong what was set for it. */
function meetFaults(sim: RunningSimulator, { traffic, sockets, living }: Meeting): () => void {
  let next: FaultEffect | undefined;
  const observe = sim.inject({
    effect: { type: "cut-before" },
    on(request) {
      const point = traffic.number("infrastructure", request);
      const disturbance = traffic.take(point);
      const fault = disturbance === undefined ? undefined : faultAt(disturbance, point);
      next = fault === undefined ? undefined : effectOf(fault);
      if (disturbance === undefined) return false;
      void disturbance.before?.(point);
      void disturbance.after?.(point);
      if (fault?.type.startsWith("kill-")) living()?.die();
      if (next?.type === "hang") sockets.park(request);
      disturbance.onOver?.(point);
      return false;
    },
  });
  const effects = EFFECTS.map((effect) => sim.inject({ effect, on: () => isSame(effect, next) }));
  return () => {
    for (const takeBack of [observe, ...effects]) takeBack();
  };
}

const EFFECTS: readonly FaultEffect[] = [
  { type: "cut-before" },
  { type: "lose-answer" },
  { type: "hang" },
  { type: "twice" },
  { type: "late", byMs: 60_000 },
  { type: "refuse", status: 429 },
  { type: "refuse", status: 429, retryAfterSeconds: 30 },
  { type: "refuse", status: 500 },
  { type: "refuse", status: 503 },
];

function isSame(one: FaultEffect, other: FaultEffect | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What the simulator does for a fault. Throws where it cannot. */
function effectOf(fault: Fault): FaultEffect {
  switch (fault.type) {
    case "kill-before":
    case "cut":
      return { type: "cut-before" };
    case "kill-after":
    case "lose-answer":
      return { type: "lose-answer" };
    case "twice":
    case "hang":
      return { type: fault.type };
    case "late":
      return { type: "late", byMs: fault.byMs };
    case "refuse": {
      const { status, retryAfterSeconds, isServed } = fault;
      // What was served and then refused is not among what simulators do; that nobody hears of it comes closest.
      if (isServed) return { type: "lose-answer" };
      return { type: "refuse", status, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
    }
  }
  throw new Error(`over sockets the infrastructure knows no fault ${JSON.stringify(fault)}`);
}
