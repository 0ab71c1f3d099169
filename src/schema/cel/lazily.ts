// SPDX-License-Identifier: Apache-2.0

/** Makes something when it is first asked for, and gives the same again after that. When making it fails, it is tried again. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
