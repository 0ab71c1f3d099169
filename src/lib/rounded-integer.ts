// SPDX-License-Identifier: Apache-2.0

const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);

/**
 * Whether an integer is one of 64 bits, as Kubernetes keeps to the last digit, that JavaScript's numbers do not hold or do
 * not print as it was written. What is larger still Kubernetes rounds as well.
 */
export function isRoundedInteger(exact: bigint, text = String(exact)): boolean {
  const value = Number(exact);
  if (Number.isSafeInteger(value)) return false;
  // Some that are just below the smallest would be rounded into the range.
  if (exact > LARGEST || BigInt(value) < SMALLEST) return false;
  return BigInt(value) !== exact || String(value) !== text;
}
