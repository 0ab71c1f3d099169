// SPDX-License-Identifier: Apache-2.0
import { keyText } from "../cache/key-text.ts";
import type { Cache } from "../cache/types.ts";
import { isOlder } from "../cache/versions.ts";
import type { Client } from "../client/types.ts";
import { sleep } from "../clock.ts";
import { isNotFound } from "../errors.ts";
import { backoffMs } from "../queue/backoff.ts";
import type { Clock, KubeObject, ObjectKey, Random } from "../types.ts";
import { recordingClient, type WriteRecord, type WriteTarget } from "./recording-client.ts";

/**
 * Remembers what a controller wrote while it worked on a key, until the caches have seen it. Reading a cache that has not is how
 * twins are made.
 */
export interface OwnWrites {
  /** The client for the work on one key. All its writes are remembered for that key, also those that nobody waited for. */
  clientFor(key: string, client: Client): Client;
  /** Whether the caches have seen all that was written for the key. */
  areSeen(key: string): boolean;
  /** Resolves when they have; rejects with the signal's reason alone. Where a write ended in doubt the server is asked. */
  settled(key: string, signal: AbortSignal): Promise<void>;
  /** For how many keys something is remembered. */
  readonly size: number;
}

/** What is needed to follow own writes. */
export interface OwnWritesOptions {
  /** For questions to the server. */
  readonly client: Client;
  /** Those that the controller reads. What is written of other kinds is not remembered: there is no stale copy to be read. */
  readonly caches: readonly Cache<KubeObject>[];
  readonly clock: Clock;
  readonly random: Random;
  readonly onProblem: (error: unknown) => void;
}

/** What one cache must show of one object before the key is worked on again. */
interface Expectation {
  readonly cache: Cache<KubeObject>;
  readonly namespace: string | undefined;
  /** Undefined where the server was to make one up and did not answer. */
  readonly name: string | undefined;
  version: string | undefined;
  /** The uid of the object that was written last. */
  uid: string | undefined;
  /** The uid of an object that was deleted. */
  goneUid: string | undefined;
  /** Requests under way, and those that ended in doubt. */
  inFlight: number;
  isUnsure: boolean;
}

const BACKOFF = { baseMs: 200, maxMs: 30_000 };

/** Nothing written yet. */
export function createOwnWrites({ client, caches, clock, random, onProblem }: OwnWritesOptions): OwnWrites {
  const expected = new Map<string, Map<string, Expectation>>();
  /** Called when a request under way has ended. */
  const landings = new Map<string, Set<() => void>>();

  const expectationFor = (key: string, target: WriteTarget, at: number): Expectation | undefined => {
    const cache = caches[at];
    if (cache === undefined || !covers(cache, target)) return undefined;
    const { namespace, name } = target;
    const id = `${at} ${keyText({ ...(namespace === undefined ? {} : { namespace }), name: name ?? "" })}`;
    const own = expected.get(key) ?? new Map<string, Expectation>();
    expected.set(key, own);
    const known = own.get(id);
    if (known !== undefined) return known;
    const unknown = { version: undefined, uid: undefined, goneUid: undefined };
    const fresh = { cache, namespace, name, ...unknown, inFlight: 0, isUnsure: false };
    own.set(id, fresh);
    return fresh;
  };
  const landed = (key: string, expectation: Expectation) => {
    expectation.inFlight -= 1;
    for (const wake of [...(landings.get(key) ?? [])]) wake();
  };
  const beginAt = (key: string, target: WriteTarget, at: number): WriteRecord | undefined => {
    const expectation = expectationFor(key, target, at);
    if (expectation === undefined) return undefined;
    const { cache, name } = expectation;
    expectation.inFlight += 1;
    // An answer may not say which object was deleted. The cache may not know it yet, if it was made a moment ago.
    const uidBefore = expectation.uid ?? (name === undefined ? undefined : cache.uid(toKey(expectation)));
    return {
      wrote(object) {
        // A name that the server made up is known only now.
        const named = expectationFor(key, { ...target, ...object.metadata }, at) ?? expectation;
        named.uid = object.metadata.uid;
        if (isLeaving(object)) named.goneUid = object.metadata.uid;
        else expectVersion(named, object.metadata.resourceVersion);
        landed(key, expectation);
      },
      deleted(object) {
        if (object !== undefined && staysForNow(object)) expectVersion(expectation, object.metadata.resourceVersion);
        else expectation.goneUid = object?.metadata.uid ?? uidBefore;
        landed(key, expectation);
      },
      unsure() {
        expectation.isUnsure = true;
        landed(key, expectation);
      },
      nothing: () => landed(key, expectation),
    };
  };
  const begin = (key: string, target: WriteTarget): WriteRecord => {
    const records = caches.map((_, at) => beginAt(key, target, at)).filter((record) => record !== undefined);
    return {
      wrote: (object) => records.forEach((record) => void record.wrote(object)),
      deleted: (object) => records.forEach((record) => void record.deleted(object)),
      unsure: () => records.forEach((record) => void record.unsure()),
      nothing: () => records.forEach((record) => void record.nothing()),
    };
  };
  /** Forgets what was seen. */
  const areSeen = (key: string) => {
    const own = expected.get(key);
    if (own === undefined) return true;
    // All must hold at the same moment: an object's creation must be in before its absence means that it was deleted.
    for (const expectation of own.values()) if (!isMet(expectation)) return false;
    expected.delete(key);
    return true;
  };
  const untilLanded = (key: string, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const own = landings.get(key) ?? new Set();
      landings.set(key, own);
      const over = (end: () => void) => {
        own.delete(wake);
        if (own.size === 0) landings.delete(key);
        signal.removeEventListener("abort", onAbort);
        end();
      };
      const wake = () => over(resolve);
      const onAbort = () => over(() => reject(signal.reason));
      own.add(wake);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  const settle = async (key: string, expectation: Expectation, signal: AbortSignal) => {
    if (expectation.inFlight > 0) return untilLanded(key, signal);
    if (expectation.isUnsure) await ask(client, expectation, signal);
    const { cache, version, goneUid } = expectation;
    if (version !== undefined) await cache.waitFor(toKey(expectation), version, signal);
    if (goneUid !== undefined) await cache.waitForGone(toKey(expectation), goneUid, signal);
  };

  return {
    clientFor: (key, client) => recordingClient(client, (target) => begin(key, target)),
    areSeen,
    async settled(key, signal) {
      for (let failures = 0; !areSeen(key); ) {
        signal.throwIfAborted();
        try {
          for (const expectation of [...(expected.get(key)?.values() ?? [])]) await settle(key, expectation, signal);
        } catch (error) {
          signal.throwIfAborted();
          onProblem(error);
          failures += 1;
          await sleep(clock, backoffMs(failures, BACKOFF, random), signal);
        }
      }
    },
    get size() {
      return expected.size;
    },
  };
}

/** Finds out what a write that ended in doubt has led to. */
async function ask(client: Client, expectation: Expectation, signal: AbortSignal): Promise<void> {
  const { cache, name, namespace } = expectation;
  if (name === undefined) {
    const options = { ...(namespace === undefined ? {} : { namespace }), limit: 1, signal };
    for await (const { resourceVersion } of client.pages(cache.kind, options)) {
      expectVersion(expectation, resourceVersion);
      break;
    }
  } else {
    try {
      const { metadata } = await client.get(cache.kind, toKey(expectation), { signal });
      expectVersion(expectation, metadata.resourceVersion);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      expectation.goneUid = cache.uid(toKey(expectation));
    }
  }
  expectation.isUnsure = false;
}

function isMet({ cache, version, goneUid, inFlight, isUnsure, ...target }: Expectation): boolean {
  if (inFlight > 0 || isUnsure) return false;
  const key = toKey(target);
  return (version === undefined || cache.seen(key, version)) && (goneUid === undefined || cache.isGone(key, goneUid));
}

function expectVersion(expectation: Expectation, version: string | undefined): void {
  if (version === undefined || version === "") return;
  if (expectation.version === undefined || isOlder(expectation.version, version)) expectation.version = version;
}

/** Without a name it is a key that no object has, of which a cache knows as much as of the whole. */
function toKey({ namespace, name = "" }: Pick<Expectation, "namespace" | "name">): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}

function covers({ kind, scope }: Cache<KubeObject>, target: WriteTarget): boolean {
  if (kind.kind !== target.kind.kind || kind.group !== target.kind.group) return false;
  return scope.namespace === undefined || scope.namespace === target.namespace;
}

/** A deleted object that something still holds: finalizers, or the time it was given to end. */
function staysForNow({ metadata }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  return (metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
}

/** The write took the last finalizer off: there will be no event of this version, only one of its end. */
function isLeaving(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && !staysForNow(object);
}
