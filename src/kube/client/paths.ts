// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor, ObjectKey } from "../types.ts";

type QueryValue = string | number | boolean | undefined;

/** The path of a kind's objects, in one namespace or in all. Throws where a namespace is given to a cluster-wide kind. */
export function collectionPath(kind: KindDescriptor, namespace: string | undefined): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (namespace === undefined) return `${root}/${kind.plural}`;
  if (kind.scope === "Cluster") throw new TypeError(`${kind.kind} is cluster-wide and has no namespace`);
  return `${root}/namespaces/${segment("namespace", namespace)}/${kind.plural}`;
}

/** The path of one object or of its subresource. Throws where the key does not fit the kind or cannot be part of a path. */
export function objectPath(kind: KindDescriptor, { namespace, name }: ObjectKey, subresource?: string): string {
  if (kind.scope === "Namespaced" && namespace === undefined)
    throw new TypeError(`${kind.kind} "${name}": the namespace is missing`);
  const path = `${collectionPath(kind, namespace)}/${segment("name", name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** `?a=1&b=2` of what is defined, in the order given; empty where nothing is. */
export function query(values: Readonly<Record<string, QueryValue>>): string {
  let text = "";
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(value)}`;
  return text;
}

/** Names are data, paths are not: what would lead elsewhere is refused, as API servers refuse it in names. */
function segment(what: string, value: string): string {
  if (value === "" || value === "." || value === ".." || /[/%]/.test(value))
    throw new TypeError(`"${value}" cannot be a ${what}`);
  return encodeURIComponent(value);
}
