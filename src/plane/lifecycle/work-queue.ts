// SPDX-License-Identifier: Apache-2.0
import { StatusError } from "../status-error.ts";
import type { Clock } from "../types.ts";

/** Work that is named, so that what is asked for twice is done once. */
export interface WorkQueue {
  /** Does the work soon. What is asked for again while it is under way is done once more afterwards. */
  add(name: string, work: () => Promise<void>): void;
  /** Whether nothing is waiting or under way. Work that failed and is to be tried later does not count. */
  isIdle(): boolean;
  /** Resolves when it is idle. */
  idle(): Promise<void>;
  /** Starts nothing anew. */
  stop(): void;
}

interface QueueOptions {
  readonly clock: Clock;
  /** Told of failures; conflicts are none, they are tried again at once. */
  readonly onFault: (error: unknown) => void;
}

/** So many writes go to disk together. */
const AT_ONCE = 64;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/** Makes a queue. Work that fails is tried again, after a pause that grows. */
export function createWorkQueue({ clock, onFault }: QueueOptions): WorkQueue {
  const waiting = new Map<string, () => Promise<void>>();
  const running = new Set<string>();
  const failures = new Map<string, number>();
  const listeners: (() => void)[] = [];
  let isStopped = false;
  let isStarting = false;

  const isIdle = () => running.size === 0 && (waiting.size === 0 || isStopped);

  const next = () => {
    for (const [name, work] of waiting) {
      if (isStopped || running.size >= AT_ONCE) break;
      if (running.has(name)) continue;
      waiting.delete(name);
      running.add(name);
      void run(name, work);
    }
    if (isIdle()) for (const listener of listeners.splice(0)) listener();
  };

  const run = async (name: string, work: () => Promise<void>) => {
    try {
      await work();
      failures.delete(name);
    } catch (error) {
      retry(name, work, error);
    }
    running.delete(name);
    next();
  };

  const retry = (name: string, work: () => Promise<void>, error: unknown) => {
    if (isStopped) return;
    if (isConflict(error)) {
      if (!waiting.has(name)) waiting.set(name, work);
      return;
    }
    onFault(error);
    const count = failures.get(name) ?? 0;
    failures.set(name, count + 1);
    clock.after(Math.min(FIRST_PAUSE_MS * 2 ** count, LONGEST_PAUSE_MS), () => add(name, work));
  };

  const add = (name: string, work: () => Promise<void>) => {
    if (isStopped) return;
    waiting.set(name, work);
    if (isStarting) return;
    isStarting = true;
    // Not at once: whoever adds may be in the middle of telling what happened.
    queueMicrotask(() => {
      isStarting = false;
      next();
    });
  };

  return {
    add,
    isIdle,
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => listeners.push(resolve))),
    stop() {
      isStopped = true;
      waiting.clear();
    },
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof StatusError && error.status.reason === "Conflict";
}
