// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from "node:crypto";
import type { Randomness } from "./rest/machinery.ts";

/** Kubernetes' letters for generated names: no vowels and nothing that looks like another. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;

/** Ids and names by chance: true chance, or a test's numbers from 0 up to 1. */
export function createRandomness(random?: () => number): Randomness {
  const next = random ?? Math.random;
  return {
    uid: random === undefined ? () => randomUUID() : () => uidFrom(random),
    suffix: () => Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[Math.floor(next() * ALPHABET.length)]).join(""),
  };
}

function uidFrom(random: () => number): string {
  const bytes = Buffer.from(Array.from({ length: 16 }, () => Math.floor(random() * 256)));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
