// SPDX-License-Identifier: Apache-2.0
import { isRoundedInteger } from "../../lib/rounded-integer.ts";

/** A number of a body that cannot be kept as it was written. */
export interface LostNumber {
  /** Where it stands, as `spec.items[0].size`. */
  readonly field: string;
  /** As it was written. */
  readonly text: string;
}

/** The numbers of a body that JavaScript has no exact value for. */
export interface LostNumbers {
  /** The first that is too large for a floating point number; the real server refuses it as well. */
  readonly tooLarge: LostNumber | undefined;
  /** Integers that the real server keeps to the last digit, and that a floating point number rounds. */
  readonly rounded: readonly LostNumber[];
}

export const NO_LOST_NUMBERS: LostNumbers = { tooLarge: undefined, rounded: [] };

const SHORTEST_ROUNDED = "9007199254740993".length;

/** Whether a number's text may be lost at all; cheap, for the scanner to ask about each. */
export function mayBeLost(length: number, hasExponent: boolean): boolean {
  return hasExponent || length >= SHORTEST_ROUNDED;
}

/** What becomes of a JSON number: kept, rounded though the real server would not round it, or too large. */
export function fateOf(text: string): "kept" | "rounded" | "too large" {
  const value = Number(text);
  if (!Number.isFinite(value)) return "too large";
  // With a fraction or an exponent it is a floating point number to the real server too.
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(text)) return "kept";
  return isRoundedInteger(BigInt(text), text) ? "rounded" : "kept";
}

const MAX_QUOTED = 40;

/** Go's words for a number that is too large. */
export function tooLargeWords({ text }: LostNumber): string {
  return `json: cannot unmarshal number ${shortened(text)} into Go value of type float64`;
}

/** Why a number that would be rounded is refused: nothing is returned otherwise than it was sent. */
export function roundedWords({ field, text }: LostNumber): string {
  return `json: cannot keep number ${shortened(text)} in field ${JSON.stringify(field)}: it would be rounded to ${Number(text)}; send a string instead`;
}

function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text;
}
