// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ObjectKey } from "../types.ts";

/** A key as text, `namespace/name`, or the name alone. Two keys have the same text exactly if they name the same object. */
export function keyText({ namespace, name }: ObjectKey): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** The key of such a text. */
export function parseKeyText(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash === -1 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** The key that an object names itself by. */
export function keyOf({ metadata: { namespace, name = "" } }: KubeObject): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}
