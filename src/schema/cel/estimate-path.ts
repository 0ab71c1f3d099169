// SPDX-License-Identifier: Apache-2.0

/**
 * The steps from a variable to what an expression stands for, such as `self`, `list`, `@items`, `name`.
 *
 * Paths with the same beginning may share memory, and one that grows can then change the last step of another: the
 * server's do so, and it shows in what it estimates for nested loops.
 */
export interface FieldPath {
  readonly memory: string[];
  readonly length: number;
  readonly capacity: number;
}

/** A path of one variable. */
export function pathTo(variable: string): FieldPath {
  return { memory: [variable], length: 1, capacity: 1 };
}

/** The path one step further. It shares memory with the shorter one as long as there is room. */
export function extendPath(path: FieldPath | undefined, step: string): FieldPath {
  const { memory, length, capacity } = path ?? { memory: [], length: 0, capacity: 0 };
  const hasRoom = length < capacity;
  const target = hasRoom ? memory : memory.slice(0, length);
  target[length] = step;
  return { memory: target, length: length + 1, capacity: hasRoom ? capacity : Math.max(1, 2 * capacity) };
}

/** The path one step further, with memory of its own. */
export function extendCopy({ memory, length }: FieldPath, step: string): FieldPath {
  return { memory: [...memory.slice(0, length), step], length: length + 1, capacity: length + 1 };
}

/** The steps behind the variable. */
export function stepsOf({ memory, length }: FieldPath): readonly string[] {
  return memory.slice(1, length);
}
