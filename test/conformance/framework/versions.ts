// SPDX-License-Identifier: Apache-2.0
import type { Exchange, JsonObject } from "./types.ts";

/**
 * Stable names for resource versions: an object's are rv1, rv2... in the order of writing. Those of lists and bookmarks only
 * promise to be no older than what they show, so they are told by the last object's version they include: rv2+.
 */
export interface VersionNames {
  /** Whether the object's version is that of a list or a bookmark. */
  isLoose(object: JsonObject): boolean;
  loose(version: string): string;
  /** An object's version where it is one, else a loose one; small and huge numbers are a case's own and stay. */
  any(version: string): string;
}

/** Names all versions that occur in a case. */
export function nameVersions(exchanges: readonly Exchange[]): VersionNames {
  const bookmarks = new Set(exchanges.filter(({ event }) => event === "BOOKMARK").map(({ object }) => object));
  const isLoose = (object: JsonObject) =>
    bookmarks.has(object) || /List$|^Table$/.test(String(object.kind)) || Array.isArray(object.items);
  const seen = new Set<bigint>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const object = value as JsonObject;
    const version = (object.metadata as JsonObject | undefined)?.resourceVersion;
    if (typeof version === "string" && isOwn(version) && !isLoose(object)) seen.add(BigInt(version));
    for (const field of Object.values(object)) visit(field);
  };
  for (const { object } of exchanges) visit(object);
  const order = [...seen].toSorted((a, b) => (a < b ? -1 : 1));
  const loose = (version: string) => {
    if (!isOwn(version)) return version;
    return `rv${order.filter((known) => known <= BigInt(version)).length}+`;
  };
  const any = (version: string) => {
    const index = isOwn(version) ? order.indexOf(BigInt(version)) : -1;
    return index < 0 ? loose(version) : `rv${index + 1}`;
  };
  return { isLoose, loose, any };
}

/** Whether a server gave the version out, as opposed to a case that made one up. */
function isOwn(version: string): boolean {
  return /^\d{2,9}$/.test(version);
}
