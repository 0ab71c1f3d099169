// SPDX-License-Identifier: Apache-2.0
import type { Lease } from "../core.ts";

/** What a lease says, with what may be missing filled in. */
export interface LeaseRecord {
  /** Empty when nobody holds it. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  /** Different after every renewal. What the times in it mean is never looked at: the holder's clock may be anything. */
  readonly mark: string;
}

/** Reads a lease. A missing or senseless duration is replaced by the reader's own. */
export function readLease({ spec = {} }: Lease, ownDurationMs: number): LeaseRecord {
  const { holderIdentity = "", leaseDurationSeconds = 0, leaseTransitions = 0, renewTime, acquireTime } = spec;
  return {
    holder: holderIdentity,
    durationMs: leaseDurationSeconds > 0 ? leaseDurationSeconds * 1000 : ownDurationMs,
    transitions: leaseTransitions,
    mark: JSON.stringify([holderIdentity, leaseDurationSeconds, leaseTransitions, renewTime, acquireTime]),
  };
}

/** RFC 3339 with microseconds, as leases and events want it. */
export function microTime(micros: number): string {
  const ms = Math.floor(micros / 1000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros - ms * 1000).padStart(3, "0")}Z`;
}

/** Microseconds that grow with every call even where the clock stands still or goes back: no renewal may look like the one before. */
export function growingMicros(now: () => number): () => number {
  let last = 0;
  return () => {
    last = Math.max(Math.floor(now() * 1000), last + 1);
    return last;
  };
}
