// SPDX-License-Identifier: Apache-2.0
import type { Cache } from "../cache/types.ts";
import { isOlder } from "../cache/versions.ts";
import type { Client } from "../client/types.ts";
import type { KubeObject, ObjectKey } from "../types.ts";

/** What one cache must show of one object before the key is worked on again. */
export interface Expectation {
  readonly cache: Cache<KubeObject>;
  readonly namespace: string | undefined;
  /** Undefined where the server was to make one up and did not answer. */
  readonly name: string | undefined;
  version: string | undefined;
  /** The uid of the object that was written last. */
  uid: string | undefined;
  /** The uid of an object that was deleted. */
  goneUid: string | undefined;
  /**
   * The version of a write after which the object is none of the cache's. Nothing will be heard of it, unless the cache has an
   * older version, or is still to get one; such a version must not be worked on.
   */
  outside: string | undefined;
  /** Requests under way, and those that ended in doubt. */
  inFlight: number;
  isUnsure: boolean;
  /** Whether the object is one of the cache's is for the server to say. */
  isUndecided: boolean;
  /** The history of the cache that the versions belong to. */
  history: number;
}

/**
 * Finds out what there is now, after a write that ended in doubt or where only the server knows whether a selector takes the
 * object. It is asked as the cache asks: nothing else may be allowed, and a list says of what is not there as of when.
 */
export async function ask(client: Client, expectation: Expectation, signal: AbortSignal): Promise<void> {
  const { cache, namespace, name } = expectation;
  // Nobody knows what to look for: the cache must have all there is.
  if (name === undefined) await cache.caughtUp(signal);
  else {
    const { fieldSelector } = cache.scope;
    const { history } = cache;
    const { items, resourceVersion } = await client.list(cache.kind, {
      ...cache.scope,
      ...(namespace === undefined ? {} : { namespace }),
      fieldSelector: [...(fieldSelector === undefined ? [] : [fieldSelector]), `metadata.name=${name}`].join(","),
      metadataOnly: true,
      signal,
    });
    const found = items.find(({ metadata }) => metadata.name === name);
    if (found !== undefined) expectObject(expectation, found, true);
    else {
      expectation.version = undefined;
      expectation.outside = resourceVersion;
      expectation.goneUid = cache.uid(toKey(expectation));
    }
    expectation.history = history;
  }
  expectation.isUndecided = false;
  expectation.isUnsure = false;
}

/** Waits while the cache shows something older of an object that is none of its own as of the version. */
export async function untilOutside(
  { cache, ...target }: Expectation,
  version: string,
  signal: AbortSignal,
): Promise<void> {
  const key = toKey(target);
  const uid = cache.uid(key);
  if (cache.get(key) === undefined || uid === undefined) return;
  const enough = new AbortController();
  const either = AbortSignal.any([signal, enough.signal]);
  const waits = [cache.waitFor(key, version, either), cache.waitForGone(key, uid, either)];
  try {
    await Promise.race(waits);
  } finally {
    for (const wait of waits) wait.catch(() => {});
    enough.abort();
  }
}

/** Whether the key may be worked on again. */
export function isMet({
  cache,
  version,
  goneUid,
  outside,
  inFlight,
  isUnsure,
  history,
  ...target
}: Expectation): boolean {
  if (inFlight > 0 || isUnsure) return false;
  if (cache.history !== history) return true;
  const key = toKey(target);
  return (
    (version === undefined || cache.seen(key, version)) &&
    (goneUid === undefined || cache.isGone(key, goneUid)) &&
    (outside === undefined || cache.get(key) === undefined || cache.seen(key, outside))
  );
}

/** Whether nothing older than what was written can turn up any more. */
export function isOver({ cache, outside, history, ...target }: Expectation): boolean {
  return outside === undefined || cache.history !== history || cache.seen(toKey(target), outside);
}

/** Takes what the server answered with; `isInside` tells whether it is one of the cache's, undefined where that is not known. */
export function expectObject(expectation: Expectation, { metadata }: KubeObject, isInside: boolean | undefined): void {
  const { resourceVersion } = metadata;
  expectation.history = expectation.cache.history;
  expectation.isUndecided = isInside === undefined;
  if (isInside === false) {
    expectation.outside = resourceVersion;
    return;
  }
  expectation.outside = undefined;
  expectVersion(expectation, resourceVersion);
}

function expectVersion(expectation: Expectation, version: string | undefined): void {
  if (version === undefined || version === "") return;
  if (expectation.version === undefined || isOlder(expectation.version, version)) expectation.version = version;
}

/** Without a name it is a key that no object has, of which a cache knows as much as of the whole. */
export function toKey({ namespace, name = "" }: Pick<Expectation, "namespace" | "name">): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}
