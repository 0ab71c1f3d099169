// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../types.ts";

/** What each group is held to. Left out, there is no such limit. */
export interface GroupLimits {
  /** How many keys of one group may be worked on at a time. */
  readonly inFlight?: number;
  /** How many keys of one group may be started per second in the long run. */
  readonly perSecond?: number;
  /** How many of them may start at once after a rest; 1 unless told otherwise. */
  readonly burst?: number;
}

/** Ready keys by group, given out in turns. */
export interface Groups {
  push(group: string, key: string): void;
  /** The next key of the group whose turn it is. Undefined where no group may start one. */
  take(): string | undefined;
  /** A key of the group is no longer worked on. */
  release(group: string): void;
  /** Gives groups their turn back that have waited long enough for it. */
  refill(): void;
  /** When the next one will have. */
  nextRefillAt(): number | undefined;
  /** Forgets all keys. */
  clear(): void;
  /** Whether `take` has something to give. */
  readonly hasTurn: boolean;
  /** How many keys wait. */
  readonly size: number;
}

interface Group {
  readonly name: string;
  /** In order; those before `head` are gone. */
  keys: string[];
  head: number;
  inFlight: number;
  tokens: number;
  countedAt: number;
}

/**
 * Groups take turns, one key each, so that the longest queue waits no shorter than the others. A group that has to wait for its
 * rate or for its keys under way is left out without costing the others anything. Groups that rest are forgotten.
 */
export function createGroups({ inFlight, perSecond, burst = 1 }: GroupLimits, clock: Clock): Groups {
  const groups = new Map<string, Group>();
  /** Those that may start a key, in the order of their turns. */
  const turns = new Map<string, Group>();
  /** Those that lack nothing but a token. */
  const starved = new Map<string, Group>();
  let size = 0;

  const count = (group: Group) => {
    if (perSecond === undefined) return;
    const now = clock.monotonic();
    group.tokens = Math.min(burst, group.tokens + ((now - group.countedAt) * perSecond) / 1000);
    group.countedAt = now;
  };
  // Adding up fractions must not leave a group a hair short at the moment that was promised.
  const hasToken = (group: Group) => perSecond === undefined || group.tokens > 1 - 1e-6;
  const place = (group: Group) => {
    starved.delete(group.name);
    if (group.head === group.keys.length || (inFlight !== undefined && group.inFlight >= inFlight)) {
      turns.delete(group.name);
      return;
    }
    count(group);
    if (hasToken(group)) {
      if (!turns.has(group.name)) turns.set(group.name, group);
      return;
    }
    turns.delete(group.name);
    starved.set(group.name, group);
  };
  const isResting = (group: Group) => {
    count(group);
    return (
      group.head === group.keys.length && group.inFlight === 0 && (perSecond === undefined || group.tokens >= burst)
    );
  };
  const sweep = () => {
    for (const group of groups.values()) if (isResting(group)) groups.delete(group.name);
  };

  return {
    push(name, key) {
      let group = groups.get(name);
      if (group === undefined) {
        // Swept when as many again have come, so that each push pays for one look.
        if (groups.size >= 64 && (groups.size & (groups.size - 1)) === 0) sweep();
        group = { name, keys: [], head: 0, inFlight: 0, tokens: burst, countedAt: clock.monotonic() };
        groups.set(name, group);
      }
      group.keys.push(key);
      size += 1;
      if (!turns.has(name)) place(group);
    },
    take() {
      const next = turns.values().next();
      if (next.done) return undefined;
      const group = next.value;
      const key = group.keys[group.head];
      group.head += 1;
      if (group.head === group.keys.length || group.head > 1024) {
        group.keys = group.keys.slice(group.head);
        group.head = 0;
      }
      size -= 1;
      group.inFlight += 1;
      count(group);
      group.tokens -= 1;
      turns.delete(group.name);
      place(group);
      return key;
    },
    release(name) {
      const group = groups.get(name);
      if (group === undefined) return;
      group.inFlight -= 1;
      if (!turns.has(name)) place(group);
      if (isResting(group)) groups.delete(name);
    },
    refill() {
      for (const group of [...starved.values()]) place(group);
    },
    nextRefillAt() {
      if (perSecond === undefined) return undefined;
      let earliest: number | undefined;
      for (const { tokens, countedAt } of starved.values()) {
        const at = countedAt + ((1 - tokens) * 1000) / perSecond;
        if (earliest === undefined || at < earliest) earliest = at;
      }
      return earliest;
    },
    clear() {
      turns.clear();
      starved.clear();
      for (const group of groups.values()) {
        group.keys = [];
        group.head = 0;
      }
      size = 0;
    },
    get hasTurn() {
      return turns.size > 0;
    },
    get size() {
      return size;
    },
  };
}
