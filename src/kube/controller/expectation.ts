// SPDX-License-Identifier: Apache-2.0
import { scopeTest } from "../cache/scope.ts";
import type { Cache } from "../cache/types.ts";
import { isOlder } from "../cache/versions.ts";
import type { Client } from "../client/types.ts";
import { isNotFound } from "../errors.ts";
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

/** Finds out what a write that ended in doubt has led to. */
export async function ask(client: Client, expectation: Expectation, signal: AbortSignal): Promise<void> {
  const { cache, name } = expectation;
  // Nobody knows what to look for: the cache must have all there is.
  if (name === undefined) await cache.caughtUp(signal);
  else {
    try {
      const object = await client.get(cache.kind, toKey(expectation), { signal });
      expectObject(expectation, object, scopeTest(cache.scope)(object));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      expectation.goneUid = cache.uid(toKey(expectation));
    }
  }
  expectation.isUnsure = false;
}

/** Asks for the object as the cache would: whether a selector takes it cannot always be seen from here. */
export async function askWhetherInside(client: Client, expectation: Expectation, signal: AbortSignal): Promise<void> {
  const { cache, namespace, name } = expectation;
  const { labelSelector, fieldSelector } = cache.scope;
  const { items } = await client.list(cache.kind, {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    fieldSelector: [...(fieldSelector === undefined ? [] : [fieldSelector]), `metadata.name=${name}`].join(","),
    signal,
  });
  const { version } = expectation;
  expectation.isUndecided = false;
  if (items.length > 0 || version === undefined) return;
  expectation.version = undefined;
  expectation.outside = version;
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
