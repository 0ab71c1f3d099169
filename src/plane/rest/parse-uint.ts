// SPDX-License-Identifier: Apache-2.0
import { quote } from "../../schema/go-text.ts";

const LARGEST = 2n ** 64n - 1n;

/** Why a text is no unsigned integer of 64 bits, in Go's words; undefined when it is one. */
export function uintProblem(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${quote(text)}: invalid syntax`;
  const isInRange = text.length < 20 || (text.length < 100 && BigInt(text) <= LARGEST);
  return isInRange ? undefined : `strconv.ParseUint: parsing ${quote(text)}: value out of range`;
}
