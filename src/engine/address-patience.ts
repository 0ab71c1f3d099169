// SPDX-License-Identifier: Apache-2.0
import type { Diagnosis } from "./ailment.ts";
import type { MachineRecord } from "./machine-memory.ts";
import type { MachineHave } from "./provider.ts";

/** What patience goes by. */
export interface PatienceInput {
  readonly record: Pick<MachineRecord, "onlyIpv6Since">;
  readonly hasRun: boolean;
  /** Monotonic. */
  readonly now: number;
}

/** A router's announcement is there at once; the answer of DHCP takes seconds. */
const IPV4_MS = 10_000;

/**
 * A machine that comes up with IPv6 addresses alone is given a moment for its IPv4 address: it would be the primary one, and
 * whoever acts on Running should not see the address change right away. Without one it runs on IPv6.
 */
export function awaitIpv4(have: MachineHave, { record, hasRun, now }: PatienceInput): Diagnosis {
  const isOnlyIpv6 = have.addresses.length > 0 && have.addresses.every((address) => address.includes(":"));
  if (hasRun || have.state !== "running" || !isOnlyIpv6) {
    record.onlyIpv6Since = undefined;
    return { have };
  }
  record.onlyIpv6Since ??= now;
  const countsInMs = record.onlyIpv6Since + IPV4_MS - now;
  return countsInMs <= 0 ? { have } : { have: { ...have, addresses: [] }, countsInMs };
}
