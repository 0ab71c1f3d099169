// SPDX-License-Identifier: Apache-2.0

/** Adds all items to the end of a list. As arguments of one `push`, a hundred thousand of them would overflow the stack. */
export function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}
