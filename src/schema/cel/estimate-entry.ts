// SPDX-License-Identifier: Apache-2.0
import { eitherSize, type Size } from "./estimate-size.ts";

/** How large the keys and values of a list or map are that an expression makes. */
export interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Size;
  readonly value: Size;
}

/** The size of what is one of these; empty where there are none. */
export function rangeOf(sizes: readonly Size[]): Size {
  const [first, ...rest] = sizes;
  return rest.reduce(eitherSize, first ?? { min: 0n, max: 0n });
}

/** The entries of something that has entries of both; undefined when not both are known. */
export function eitherEntry(left: EntrySize | undefined, right: EntrySize | undefined): EntrySize | undefined {
  if (left === undefined || right === undefined) return undefined;
  const { container } = left;
  return { container, key: eitherSize(left.key, right.key), value: eitherSize(left.value, right.value) };
}
