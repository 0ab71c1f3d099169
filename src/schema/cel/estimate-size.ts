// SPDX-License-Identifier: Apache-2.0

/** How many characters, bytes, items or entries a value can have. */
export interface Size {
  readonly min: bigint;
  readonly max: bigint;
}

/** The largest number in estimates: where a sum or product would be more, it is this. */
export const MOST = 2n ** 64n - 1n;

/** The size of something that nothing is known of. */
export const UNKNOWN_SIZE: Size = { min: 0n, max: MOST };

const TWO_TO_64 = 2 ** 64;

/** A size that is known. */
export function exactly(size: bigint): Size {
  return { min: size, max: size };
}

/** The sum, at most MOST. */
export function plus(left: bigint, right: bigint): bigint {
  const sum = left + right;
  return sum > MOST ? MOST : sum;
}

/** The product, at most MOST. */
export function times(left: bigint, right: bigint): bigint {
  const product = left * right;
  return product > MOST ? MOST : product;
}

/** A number times a factor that is no whole number, rounded up. It is a double in between, as on the server. */
export function scale(number: bigint, factor: number): bigint {
  const scaled = Math.ceil(Number(number) * factor);
  return scaled >= TWO_TO_64 ? MOST : BigInt(scaled);
}

/** A number as 64 bits hold it; some of the server's estimates start again at 0. */
export function wrap(number: bigint): bigint {
  return BigInt.asUintN(64, number);
}

export function addSizes(left: Size, right: Size): Size {
  return { min: plus(left.min, right.min), max: plus(left.max, right.max) };
}

export function multiplySizes(left: Size, right: Size): Size {
  return { min: times(left.min, right.min), max: times(left.max, right.max) };
}

/** The size of something that is one or the other. */
export function eitherSize(left: Size, right: Size): Size {
  return { min: left.min < right.min ? left.min : right.min, max: left.max > right.max ? left.max : right.max };
}
