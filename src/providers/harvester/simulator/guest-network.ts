// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../../../kube/index.ts";
import { textAt } from "./read.ts";

/** The addresses a network card got. */
export interface Lease {
  readonly v4: string;
  readonly v6: string;
  readonly linkLocal: string;
}

/** Gives each network card addresses of its own, the same ones whenever it asks again. */
export interface Leases {
  of(mac: string): Lease;
}

const HOSTS = 254;

/** Addresses from 127.40.0.1 on: simulated nodes can really listen on them. */
export function createLeases(): Leases {
  const known = new Map<string, Lease>();
  return {
    of(mac) {
      const lease = known.get(mac) ?? leaseOf(known.size, mac);
      known.set(mac, lease);
      return lease;
    },
  };
}

function leaseOf(count: number, mac: string): Lease {
  const [net, host] = [Math.floor(count / HOSTS), (count % HOSTS) + 1];
  const digits = mac.replaceAll(":", "");
  return {
    v4: `127.${40 + Math.floor(net / 256)}.${net % 256}.${host}`,
    v6: `fd00:40::${(count + 1).toString(16)}`,
    linkLocal: `fe80::${digits.slice(0, 4)}:${digits.slice(4, 6)}ff:fe${digits.slice(6, 8)}:${digits.slice(8)}`,
  };
}

/** A hardware address by chance, in the range that KVM uses. */
export function newMac(random: Random): string {
  const byte = () =>
    Math.floor(random() * 256)
      .toString(16)
      .padStart(2, "0");
  return `52:54:00:${byte()}:${byte()}:${byte()}`;
}

/** A network card as the domain alone shows it: no guest has said anything yet. */
export function silentInterface(name: string, mac: string): object {
  return { name, mac, infoSource: "domain", queueCount: 1 };
}

/** A card as its guest first tells of it: IPv6 is there at once, DHCP takes a while. */
export function earlyInterface(silent: unknown, { v6, linkLocal }: Lease, at: number): object {
  return spoken(silent, [linkLocal, v6], at);
}

/** A card with all its addresses; which one comes first is up to the guest. */
export function fullInterface(silent: unknown, { v4, v6, linkLocal }: Lease, { at, isV6First }: Order): object {
  return spoken(silent, isV6First ? [v6, v4, linkLocal] : [v4, v6, linkLocal], at);
}

interface Order {
  readonly at: number;
  readonly isV6First: boolean;
}

function spoken(silent: unknown, ipAddresses: readonly string[], at: number): object {
  return {
    name: textAt(silent, "name"),
    mac: textAt(silent, "mac"),
    ipAddress: ipAddresses[0],
    ipAddresses,
    interfaceName: `enp${at + 1}s0`,
    infoSource: "domain, guest-agent",
    queueCount: 1,
  };
}

/** What else a guest has: its own loopback, and the bridges of the containers in it. */
export const guestOnlyInterfaces: readonly object[] = [
  {
    interfaceName: "lo",
    mac: "00:00:00:00:00:00",
    ipAddress: "127.0.0.1",
    ipAddresses: ["127.0.0.1", "::1"],
    infoSource: "guest-agent",
  },
  {
    interfaceName: "cni0",
    mac: "0a:58:0a:f4:00:01",
    ipAddress: "10.244.0.1",
    ipAddresses: ["10.244.0.1", "fe80::858:aff:fef4:1"],
    infoSource: "guest-agent",
  },
];
