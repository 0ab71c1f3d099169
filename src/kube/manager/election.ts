// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { CallOptions, Client } from "../client/types.ts";
import { sleep, systemClock } from "../clock.ts";
import { type Lease, lease as leaseKind } from "../core.ts";
import { isAlreadyExists, isConflict, isNotFound, LostLeadershipError } from "../errors.ts";
import type { Clock, Random } from "../types.ts";
import { growingMicros, type LeaseRecord, microTime, nextTransition, readLease } from "./lease-record.ts";

/** When leadership begins and ends; client-go's times unless told otherwise. */
export interface ElectionTimes {
  /** For how long the others wait after the last renewal that they saw. 15 s; whole seconds. */
  readonly leaseDurationMs?: number;
  /** For how long this process works without a renewal. 10 s; must be less than the duration. */
  readonly renewDeadlineMs?: number;
  /** The pause between two tries. 2 s; candidates add up to 1.2 times as much, so that they do not come all at once. */
  readonly retryPeriodMs?: number;
}

/** How to stand for election. */
export interface ElectionOptions extends ElectionTimes {
  /** Without a gate: it writes the lease before this process leads. */
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  /**
   * Different for every process that ever runs: two of the same identity would both lead. Left out, the host's name and a random
   * part, which is random whatever `random` is.
   */
  readonly identity?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Told what happened; what it throws is ignored. */
  readonly onChange?: (change: ElectionChange) => void;
}

/** Something worth a log line: it leads, it leads no more, somebody else leads, or a try failed. */
export type ElectionChange =
  | { readonly change: "leads" | "released" | "lost" }
  | { readonly change: "observed"; readonly holder: string }
  | { readonly change: "failed"; readonly error: unknown };

/**
 * One candidate. The promise: at no moment do two processes pass their gates, however wrong their wall clocks are.
 *
 * Why it holds: a renewal that succeeds was kept by the server after its request started, say at S. Every other candidate sees it
 * at or after that moment and then waits for the lease's whole duration on its own monotonic clock, so nobody else leads before
 * S + leaseDuration. This process's gate closes at S + renewDeadline, which is earlier. The difference of the two (5 s) is what is
 * left for monotonic clocks of different speed (up to one half faster) and for a write to travel after it has passed the gate.
 * What no local clock can see is the whole machine being stopped together with its clocks; against that only the
 * resourceVersions of the writes help.
 */
export interface Election {
  /**
   * Stands for election until it leads. Rejects with the signal's reason when that comes first, after a write that is under way
   * has ended, which takes half the renew deadline at most. Failures are told to `onChange` and tried again for ever.
   */
  acquire(signal: AbortSignal): Promise<void>;
  /**
   * Renews. Rejects with `LostLeadershipError` at the moment the gate closes, by `release` too, and with the signal's reason when
   * that comes first, in which case it still leads until the deadline or `release`.
   */
  hold(signal: AbortSignal): Promise<never>;
  /**
   * Closes the gate for good, then tells the others that they need not wait, also where `acquire` was given up while it wrote.
   * Never rejects.
   */
  release(): Promise<void>;
  isLeader(): boolean;
  /** Throws `LostLeadershipError` unless this process leads now. To be called right before each write and each reconcile. */
  readonly gate: () => void;
}

const JITTER = 1.2;
const NEVER = Number.NEGATIVE_INFINITY;

interface Limits {
  readonly tryMs: number;
  readonly signal: AbortSignal;
  /** Passes no write after the deadline where it is one of a leader. */
  readonly writer: Client;
}

interface Writing extends CallOptions {
  readonly writer: Client;
}

/** `taken`: by another, who has time left; `outdated`: what we knew is old; `failed`: nobody knows. */
type Claim = "won" | "taken" | "outdated" | "failed";

/** What was seen, and since when it has been unchanged on our own clock. */
interface Observed {
  readonly lease: Lease;
  readonly record: LeaseRecord;
  readonly since: number;
}

/** Makes a candidate. Nothing is sent before `acquire`. Throws where the times contradict each other. */
export function createElection(options: ElectionOptions): Election {
  const { client, namespace, name, clock = systemClock, random = Math.random } = options;
  const { identity = `${hostname()}_${randomUUID()}` } = options;
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = electionTimes(options);
  if (identity === "") throw new RangeError("the identity of a candidate must not be empty");
  const tell = (change: ElectionChange) => {
    try {
      options.onChange?.(change);
    } catch {}
  };
  const nextMicros = growingMicros(clock.now);
  const quoted = `"${namespace}/${name}"`;
  let deadline = NEVER;
  let observed: Observed | undefined;
  const released = new AbortController();
  const isLeader = () => clock.monotonic() < deadline;
  /** Whether a claim was sent of which no answer has come. */
  let isUnsure = false;
  const gate = () => {
    if (!isLeader()) throw new LostLeadershipError(`this process does not hold the lease ${quoted}`);
  };

  const observe = (lease: Lease) => {
    const record = readLease(lease, leaseDurationMs);
    const isSame = observed?.record.mark === record.mark;
    if (record.holder !== observed?.record.holder) tell({ change: "observed", holder: record.holder });
    observed = { lease, record, since: isSame && observed !== undefined ? observed.since : clock.monotonic() };
    return observed;
  };

  const write = async (old: Observed | undefined, spec: NonNullable<Lease["spec"]>, options: Writing) => {
    const { writer, ...limits } = options;
    return old === undefined
      ? await writer.create(leaseKind, { metadata: { name, namespace }, spec }, limits)
      : await writer.update(leaseKind, { ...old.lease, spec: { ...old.lease.spec, ...spec } }, limits);
  };

  /** One try to become or to stay the leader. */
  const claim = async ({ writer, ...limits }: Limits, known?: Observed): Promise<Claim> => {
    const calm = { ...limits, tries: 1, totalMs: limits.tryMs };
    const wasLeading = deadline !== NEVER;
    const old = known ?? (await read(calm));
    const isOurs = old?.record.holder === identity;
    if (wasLeading && !isOurs) {
      // Deleted, emptied or taken over: somebody else may lead, or have led meanwhile.
      deadline = NEVER;
      return "taken";
    }
    const isTaken = old !== undefined && old.record.holder !== "" && !isOurs;
    if (isTaken && clock.monotonic() - old.since < old.record.durationMs) return "taken";
    const time = microTime(nextMicros());
    const startedAt = clock.monotonic();
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      renewTime: time,
      acquireTime: isOurs ? (old?.lease.spec?.acquireTime ?? time) : time,
      leaseTransitions:
        old === undefined ? 0 : isOurs ? old.record.transitions : nextTransition(old.record.transitions),
    };
    isUnsure = true;
    // The write that may win is not given up: nobody would know whether to give the lease back.
    const { signal: _whole, ...unstoppable } = calm;
    observe(await write(old, spec, { ...(wasLeading ? calm : unstoppable), writer }));
    isUnsure = limits.signal.aborted;
    // Who gave up waiting for this answer must not be made leader by it.
    limits.signal.throwIfAborted();
    deadline = startedAt + renewDeadlineMs;
    return "won";
  };
  const read = async (limits: object) => {
    try {
      return observe(await client.get(leaseKind, { namespace, name }, limits));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const attempt = async (limits: Limits, known?: Observed): Promise<Claim> => {
    try {
      return await claim(limits, known);
    } catch (error) {
      limits.signal.throwIfAborted();
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return "outdated";
      tell({ change: "failed", error });
      return "failed";
    }
  };
  const tryMs = renewDeadlineMs / 2;

  return {
    async acquire(signal) {
      while ((await attempt({ tryMs, signal, writer: client })) !== "won")
        await sleep(clock, retryPeriodMs * (1 + random() * JITTER), signal);
      tell({ change: "leads" });
    },
    async hold(signal) {
      const ended = new AbortController();
      const stop = AbortSignal.any([signal, ended.signal, released.signal]);
      const lost = new Promise<never>((_, reject) => {
        const cancel = atDeadline(
          clock,
          () => deadline,
          () => {
            ended.abort(new LostLeadershipError(`the lease ${quoted} was not renewed in time`));
          },
        );
        stop.addEventListener("abort", () => {
          cancel();
          if (ended.signal.aborted) tell({ change: "lost" });
          reject(stop.reason);
        });
        if (stop.aborted) reject(stop.reason);
      });
      // A renewal that was late would make the others wait for a process that leads no more.
      const writer = client.withGate(gate);
      const limits = () => ({ tryMs: Math.min(tryMs, deadline - clock.monotonic()), signal: stop, writer });
      const renew = async (): Promise<void> => {
        // Our own last write is the version to replace; only after a failure the lease has to be looked at again.
        let known = observed;
        for (;;) {
          await sleep(clock, retryPeriodMs, stop);
          let claimed = await attempt(limits(), known);
          if (claimed === "outdated") claimed = await attempt(limits());
          known = claimed === "won" ? observed : undefined;
          if (claimed === "taken") ended.abort(new LostLeadershipError(`the lease ${quoted} was taken over`));
        }
      };
      void renew().catch(() => {});
      return lost;
    },
    async release() {
      const wasLeading = isLeader();
      const wasUnsure = isUnsure && deadline === NEVER;
      deadline = NEVER;
      // A renewal must not take it again.
      released.abort(new LostLeadershipError(`the lease ${quoted} was given back`));
      if (!wasLeading && !wasUnsure) return;
      const limits = { tries: 1, tryMs, totalMs: tryMs };
      const give = async (mine: Observed | undefined) => {
        if (mine?.record.holder !== identity) return;
        const time = microTime(nextMicros());
        const spec = { holderIdentity: "", leaseDurationSeconds: 1, renewTime: time, acquireTime: time };
        observe(
          await write(mine, { ...spec, leaseTransitions: mine.record.transitions }, { ...limits, writer: client }),
        );
        tell({ change: "released" });
      };
      try {
        // A renewal that was given up half way may have been kept all the same.
        await give(wasLeading ? observed : await read(limits)).catch(async (error) => {
          if (!isConflict(error)) throw error;
          await give(await read(limits));
        });
      } catch (error) {
        tell({ change: "failed", error });
      }
    },
    isLeader,
    gate,
  };
}

/** Calls back when the deadline has come, which may move on meanwhile. Returns how to call it off. */
function atDeadline(clock: Clock, deadline: () => number, callback: () => void): () => void {
  let cancel = () => {};
  const wait = () => {
    const leftMs = deadline() - clock.monotonic();
    cancel = clock.after(leftMs, () => (clock.monotonic() < deadline() ? wait() : callback()));
  };
  wait();
  return () => cancel();
}

/** The times with what was left out filled in. Throws a `RangeError` where they contradict each other. */
export function electionTimes(given: ElectionTimes = {}): Required<ElectionTimes> {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = given;
  if (leaseDurationMs <= renewDeadlineMs)
    throw new RangeError("the lease duration must be longer than the renew deadline");
  if (renewDeadlineMs <= retryPeriodMs * JITTER)
    throw new RangeError("the renew deadline must be longer than 1.2 retry periods");
  if (retryPeriodMs <= 0) throw new RangeError("the retry period must be longer than nothing");
  if (leaseDurationMs % 1000 !== 0) throw new RangeError("a lease lasts whole seconds");
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}
