// SPDX-License-Identifier: Apache-2.0

/** Numbers from 0 up to 1 that look random and are the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A seed of its own for everybody who shares one: nobody's numbers depend on how many the others take. */
export function seedOf(seed: number, who: string): number {
  let mixed = seed | 0;
  for (const letter of who) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193) | 0;
  return mixed;
}
