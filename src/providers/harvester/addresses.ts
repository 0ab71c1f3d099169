// SPDX-License-Identifier: Apache-2.0
import type { InstanceInterface } from "./kinds.ts";

/** What a machine's interfaces tell. */
export interface Addresses {
  /** The first is the primary one: IPv4 where there is any. */
  readonly addresses: readonly string[];
  readonly macAddress: string | undefined;
}

/**
 * Reads a guest's addresses. Interfaces that are plugged into a network of the machine count; those that only the guest knows, such
 * as bridges of its own containers, count only where no other is told. The loopback interface and link-local addresses never do.
 */
export function readAddresses(interfaces: readonly InstanceInterface[]): Addresses {
  const real = interfaces.filter(({ interfaceName }) => interfaceName !== "lo");
  const plugged = real.filter(({ name }) => name !== undefined && name !== "");
  const counted = plugged.length > 0 ? plugged : real;
  const all = counted.flatMap((each) => usable(each).map((address) => ({ address, mac: each.mac })));
  const ordered = [...all.filter(({ address }) => isV4(address)), ...all.filter(({ address }) => !isV4(address))];
  const macAddress = ordered[0]?.mac ?? counted.find(({ mac }) => mac !== undefined && mac !== "")?.mac;
  return { addresses: [...new Set(ordered.map(({ address }) => address))], macAddress };
}

function usable({ ipAddress, ipAddresses = [] }: InstanceInterface): readonly string[] {
  // Both forms are in use: `10.40.0.10` and, from some guests, `10.40.0.10/24`.
  return [ipAddress ?? "", ...ipAddresses]
    .map((text) => text.split("/", 1)[0] ?? "")
    .filter((address) => address !== "" && !isLinkLocal(address));
}

function isV4(address: string): boolean {
  return !address.includes(":");
}

function isLinkLocal(address: string): boolean {
  return address.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/i.test(address) || address === "::1";
}
