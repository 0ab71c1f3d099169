// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../kube/index.ts";

/** A version 4 UUID from the given randomness, so that a simulation can repeat it. */
export function randomUuid(random: Random): string {
  const bytes = Uint8Array.from({ length: 16 }, () => Math.floor(random() * 256));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
