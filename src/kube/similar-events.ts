// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "./types.ts";

/** From how many different notes on events count as similar, and after how much quiet they no longer do: client-go's numbers. */
const MOST_NOTES = 10;
const QUIET_MS = 10 * 60_000;
const MOST_KEPT = 4096;

/** Finds events that differ in nothing but their note. */
export interface SimilarEvents {
  /** Whether this one is to be told together with others, because there are too many of its like. */
  areTooMany(likeness: string, note: string): boolean;
}

/** None seen yet. */
export function createSimilarEvents(clock: Clock): SimilarEvents {
  const kept = new Map<string, { readonly notes: Set<string>; at: number }>();
  return {
    areTooMany(likeness, note) {
      const now = clock.monotonic();
      const known = kept.get(likeness);
      const similar = known === undefined || now - known.at > QUIET_MS ? { notes: new Set<string>(), at: now } : known;
      similar.at = now;
      // The newest go last, so that the oldest are forgotten first.
      kept.delete(likeness);
      kept.set(likeness, similar);
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_KEPT) break;
        kept.delete(oldest);
      }
      if (similar.notes.has(note)) return false;
      if (similar.notes.size >= MOST_NOTES - 1) return true;
      similar.notes.add(note);
      return false;
    },
  };
}
