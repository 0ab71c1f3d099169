// SPDX-License-Identifier: Apache-2.0
import { keyText } from "../cache/key-text.ts";
import { scopeTest } from "../cache/scope.ts";
import type { Cache } from "../cache/types.ts";
import type { Client } from "../client/types.ts";
import { sleep } from "../clock.ts";
import { backoffMs } from "../queue/backoff.ts";
import type { Clock, KubeObject, Random } from "../types.ts";
import { ask, type Expectation, expectObject, isMet, isOver, toKey, untilOutside } from "./expectation.ts";
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

/** From how many keys on those that need no more remembering are looked for. */
const SWEEP_FROM = 1024;

const BACKOFF = { baseMs: 200, maxMs: 30_000 };

/** Nothing written yet. */
export function createOwnWrites({ client, caches, clock, random, onProblem }: OwnWritesOptions): OwnWrites {
  const expected = new Map<string, Map<string, Expectation>>();
  /** Called when a request under way has ended. */
  const landings = new Map<string, Set<() => void>>();
  const belongs = caches.map(({ scope }) => scopeTest(scope));
  let sweepAt = SWEEP_FROM;

  const expectationFor = (key: string, target: WriteTarget, at: number): Expectation | undefined => {
    const cache = caches[at];
    if (cache === undefined || !covers(cache, target)) return undefined;
    const { namespace, name } = target;
    const id = `${at} ${keyText({ ...(namespace === undefined ? {} : { namespace }), name: name ?? "" })}`;
    const own = expected.get(key) ?? new Map<string, Expectation>();
    expected.set(key, own);
    const known = own.get(id);
    if (known !== undefined) return known;
    const unknown = { version: undefined, uid: undefined, goneUid: undefined, outside: undefined };
    const calm = { inFlight: 0, isUnsure: false, isUndecided: false, history: cache.history };
    const fresh = { cache, namespace, name, ...unknown, ...calm };
    own.set(id, fresh);
    if (expected.size > sweepAt) sweep();
    return fresh;
  };
  /** Keys that are never worked on again would be remembered for ever. */
  const sweep = () => {
    for (const key of [...expected.keys()]) areSeen(key);
    sweepAt = Math.max(SWEEP_FROM, 2 * expected.size);
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
        else expectObject(named, object, belongs[at]?.(object));
        landed(key, expectation);
      },
      deleted(object, uid) {
        if (object !== undefined && staysForNow(object)) expectObject(expectation, object, belongs[at]?.(object));
        // Of one that neither we nor the cache have known, the cache may still be to hear: the server says up to when.
        else if (uid === undefined || uid !== uidBefore) expectation.isUnsure = true;
        else expectation.goneUid = uid;
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
      deleted: (object, uid) => records.forEach((record) => void record.deleted(object, uid)),
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
    for (const [id, expectation] of own) if (isOver(expectation)) own.delete(id);
    if (own.size === 0) expected.delete(key);
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
    if (expectation.isUnsure || (expectation.isUndecided && !isMet(expectation)))
      await ask(client, expectation, signal);
    const { cache, version, goneUid, outside } = expectation;
    if (version !== undefined) await cache.waitFor(toKey(expectation), version, signal);
    if (goneUid !== undefined) await cache.waitForGone(toKey(expectation), goneUid, signal);
    if (outside !== undefined) await untilOutside(expectation, outside, signal);
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
