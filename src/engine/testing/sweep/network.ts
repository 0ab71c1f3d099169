// SPDX-License-Identifier: Apache-2.0
import { type Client, type Clock, createClient, type HandlerTransport, type Random } from "../../../kube/index.ts";
import type { ProviderEntry } from "../../provider-entry.ts";
import { createLine, type Server } from "./line.ts";
import type { Side, Traffic } from "./traffic.ts";
import type { Vitality } from "./vitality.ts";

/** What a manager talks with. */
export interface Reach {
  readonly client: Client;
  readonly entry: ProviderEntry;
  /** Left out where the infrastructure is reached over sockets. */
  readonly transport?: HandlerTransport;
}

/** What is between managers and servers. */
export interface Network {
  /** Turns of the event loop without anything happening after which nothing is on its way. */
  readonly quietTurns: number;
  /** What a new manager is given. */
  reach(name: string, vitality: Vitality, random: Random): Reach;
  stop(): Promise<void>;
}

/** What a network is made of. */
export interface NetworkOptions {
  readonly entry: ProviderEntry;
  readonly servers: Readonly<Record<Side, Server>>;
  readonly traffic: Traffic;
  /** The servers' clock. */
  readonly clock: Clock;
}

/** Everybody is in this process, and calls are calls of functions. Two turns are enough: the first may end what waits for a write. */
export function inProcess({ entry, servers, traffic, clock }: NetworkOptions): Network {
  return {
    quietTurns: 2,
    reach(_name, vitality, random) {
      const lineTo = (side: Side) => createLine({ side, server: servers[side], vitality, traffic, clock });
      const transport = lineTo("kubernetes");
      const client = createClient({ server: "http://kubernetes" }, { transport, clock: vitality.clock, random });
      return { client, entry, transport: lineTo("infrastructure") };
    },
    async stop() {},
  };
}
