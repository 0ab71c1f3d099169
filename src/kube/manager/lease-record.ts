// SPDX-License-Identifier: Apache-2.0
import type { Lease } from "../core.ts";

/** What a lease says, with what may be missing filled in. */
export interface LeaseRecord {
  /** Empty when nobody holds it. */
  readonly holder: string;
  /** For how long the others wait. */
  readonly durationMs: number;
  readonly transitions: number;
  /** Different after every renewal. What the times in it mean is never looked at: the holder's clock may be anything. */
  readonly mark: string;
}

/** `leaseTransitions` is an int32. */
const MOST_TRANSITIONS = 2 ** 31 - 1;

/**
 * Reads a lease. A duration that is missing or shorter than the reader's own is replaced by that: anybody may have changed it since
 * the holder wrote it, and the holder does not look.
 */
export function readLease({ spec = {} }: Lease, ownDurationMs: number): LeaseRecord {
  const { holderIdentity = "", leaseDurationSeconds = 0, leaseTransitions = 0, renewTime, acquireTime } = spec;
  return {
    holder: holderIdentity,
    durationMs: Math.max(leaseDurationSeconds * 1000, ownDurationMs),
    transitions: leaseTransitions,
    mark: JSON.stringify([holderIdentity, leaseDurationSeconds, leaseTransitions, renewTime, acquireTime]),
  };
}

/** One transition more, as far as servers can count. */
export function nextTransition(transitions: number): number {
  return Math.min(transitions + 1, MOST_TRANSITIONS);
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
