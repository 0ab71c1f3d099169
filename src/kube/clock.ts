// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "./types.ts";

/** The longest delay Node's timers take; longer ones would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Clocks drift apart by less. */
const SLEPT_MS = 1_000;

/**
 * A monotonic clock that goes on while the computer sleeps, as the wall clock does and Node's does not: who slept has lost its lease.
 * A wall clock that is set forward counts as sleep, one that is set back as nothing.
 */
export function sleeplessClock(now: () => number, monotonic: () => number): () => number {
  let sleptMs = 0;
  let last = { now: now(), monotonic: monotonic() };
  return () => {
    const next = { now: now(), monotonic: monotonic() };
    const missedMs = next.now - last.now - (next.monotonic - last.monotonic);
    if (missedMs > SLEPT_MS) sleptMs += missedMs;
    last = next;
    return next.monotonic + sleptMs;
  };
}

/** The computer's own clock. A wait keeps the process alive until it ends or is called off: a retry must not be cut short. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: sleeplessClock(
    () => Date.now(),
    () => performance.now(),
  ),
  after(delayMs, callback) {
    let timer: NodeJS.Timeout;
    const wait = (restMs: number) => {
      const stepMs = Math.min(restMs, LONGEST_TIMER_MS);
      timer = setTimeout(() => (restMs > stepMs ? wait(restMs - stepMs) : callback()), stepMs);
    };
    wait(Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /**
   * Goes on by so many milliseconds. Whatever falls due on the way is called in order of its time, and of its start where times
   * are equal, with the clock standing at that time; what those calls start counts too. Between two calls promises that are
   * ready get their turn.
   */
  advance(ms: number): Promise<void>;
  /** Moves what `now` says, as a person or a time server may do at any moment. `monotonic` and waits do not notice. */
  jump(ms: number): void;
  /** How many waits are under way. */
  readonly waiting: number;
  /** Milliseconds until the next wait ends; undefined when there is none. */
  readonly nextInMs: number | undefined;
  /** Resolves as soon as at least so many waits are under way, which is how a test knows that the code got there. */
  untilWaiting(count?: number): Promise<void>;
}

interface Wait {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock for tests and simulations: starts at the given time and moves by `advance` and `jump` alone. */
export function manualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let offset = startMs;
  const waits = new Set<Wait>();
  const watchers = new Set<() => void>();
  const next = () => {
    let earliest: Wait | undefined;
    for (const wait of waits) if (earliest === undefined || wait.at < earliest.at) earliest = wait;
    return earliest;
  };
  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    after(delayMs, callback) {
      const wait = { at: elapsed + Math.max(0, delayMs), callback };
      waits.add(wait);
      for (const check of [...watchers]) check();
      return () => void waits.delete(wait);
    },
    async advance(ms) {
      const end = elapsed + ms;
      await turn();
      for (let due = next(); due !== undefined && due.at <= end; due = next()) {
        elapsed = Math.max(elapsed, due.at);
        waits.delete(due);
        due.callback();
        await turn();
      }
      elapsed = Math.max(elapsed, end);
    },
    jump(ms) {
      offset += ms;
    },
    get waiting() {
      return waits.size;
    },
    get nextInMs() {
      const wait = next();
      return wait === undefined ? undefined : Math.max(0, wait.at - elapsed);
    },
    untilWaiting(count = 1) {
      return new Promise((resolve) => {
        const check = () => {
          if (waits.size < count) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
        check();
      });
    },
  };
}

/** Lets promises that are ready run, several links of a chain included. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves after the delay. Rejects with the signal's reason as soon as that is aborted, and leaves no wait behind. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
