// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../types.ts";

/** An object with these fields. */
export function objectOf(fields: { readonly [name: string]: unknown }): KubeObject {
  return { apiVersion: "patch.example.com/v1", kind: "Thing", metadata: { name: "x", uid: "uid-of-x" }, ...fields };
}

/** The same value, frozen with all that is in it: whoever changes it fails. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) frozen(item);
  }
  return value;
}
