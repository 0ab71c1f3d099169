// SPDX-License-Identifier: Apache-2.0

/** Random choices that a seed repeats exactly. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, the limit. */
  below(limit: number): number;
  /** One of the items, which must not be none. */
  pick<T>(items: readonly T[]): T;
  /** True once in `times`. */
  once(times: number): boolean;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/** The mulberry32 generator: 32 bits of state, good enough to spread test cases. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    once: (times) => below(times) === 0,
    pick(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
  };
}
