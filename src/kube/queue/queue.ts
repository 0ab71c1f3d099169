// SPDX-License-Identifier: Apache-2.0
import { systemClock } from "../clock.ts";
import type { Clock, Random } from "../types.ts";
import { type BackoffLimits, backoffMs } from "./backoff.ts";
import { createGroups, type GroupLimits } from "./groups.ts";
import { createHeap, type HeapItem } from "./heap.ts";

/** How a queue behaves. Everything has a default. */
export interface QueueOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** How many keys may be worked on at a time; 1 unless told otherwise. */
  readonly concurrency?: number;
  /** Which group a key belongs to; all to the same one unless told otherwise. Asked once for each time the key waits. */
  readonly groupOf?: (key: string) => string;
  /** What each group is held to. Between groups turns are taken, whatever the limits. */
  readonly groups?: GroupLimits;
  /** From 100 ms to 5 minutes unless told otherwise. */
  readonly backoff?: BackoffLimits;
  /** Called when `take` may have something to give that it had not before. Never called from inside `take`. */
  readonly onReady?: () => void;
}

/** What `take` gives. */
export interface Taken {
  readonly key: string;
  /** How long it was ready and waited for its turn. */
  readonly waitedMs: number;
}

/**
 * Keys that wait to be worked on.
 *
 * A key waits once, however often it is added. It is worked on once at a time: added meanwhile, it comes again after `done`. Of
 * several delays the one that ends first counts. Keys of one group come in the order in which they became ready, and groups that
 * have something to do take turns. What is not waiting, not worked on and not failing takes no memory.
 */
export interface Queue {
  /** Wants the key to be worked on, now or after a delay. */
  add(key: string, options?: { readonly afterMs?: number }): void;
  /** Wants the key again after a pause that grows with each call until `forget`. Returns the pause. */
  retry(key: string): number;
  /** The key did not fail: its next pause is the first again. */
  forget(key: string): void;
  /** Times that the key was retried in a row. */
  failures(key: string): number;
  /** The next key, to be worked on until `done`. Undefined where none is ready, or none may start now. */
  take(): Taken | undefined;
  /** The key is no longer worked on. */
  done(key: string): void;
  /** Gives the key's place to another, while the key itself stays as if worked on, until `done`. */
  park(key: string): void;
  /** Gives out nothing any more and forgets what waits; resolves when nothing is worked on. */
  drain(): Promise<void>;
  /** Keys that are ready. */
  readonly depth: number;
  /** Keys that wait for a delay to end. */
  readonly delayed: number;
  /** Keys that are worked on, without parked ones. */
  readonly active: number;
  readonly parked: number;
}

interface Item extends HeapItem {
  readonly key: string;
  state: "delayed" | "ready" | "active" | "parked";
  group: string;
  /** Delayed: when it becomes ready. Active or parked: when it is wanted again, if it is. */
  dueAt: number | undefined;
  readyAt: number;
  order: number;
}

const BACKOFF: BackoffLimits = { baseMs: 100, maxMs: 300_000 };

/** An empty queue. */
export function createQueue(options: QueueOptions = {}): Queue {
  const { clock = systemClock, random = Math.random, concurrency = 1, backoff = BACKOFF } = options;
  const { groupOf = () => "", onReady = () => {} } = options;
  const items = new Map<string, Item>();
  const failed = new Map<string, number>();
  const due = createHeap<Item>((left, right) => {
    const leftAt = left.dueAt ?? 0;
    const rightAt = right.dueAt ?? 0;
    return leftAt < rightAt || (leftAt === rightAt && left.order < right.order);
  });
  const groups = createGroups(options.groups ?? {}, clock);
  let active = 0;
  let parked = 0;
  let count = 0;
  let isDraining = false;
  let drained = Promise.withResolvers<void>();
  let alarm: { readonly at: number; readonly cancel: () => void } | undefined;

  const setAlarm = () => {
    const first = due.first()?.dueAt;
    const refill = groups.nextRefillAt();
    const at = Math.min(first ?? Number.POSITIVE_INFINITY, refill ?? Number.POSITIVE_INFINITY);
    if (alarm?.at === at) return;
    alarm?.cancel();
    alarm = undefined;
    if (at === Number.POSITIVE_INFINITY || isDraining) return;
    alarm = { at, cancel: clock.after(at - clock.monotonic(), ring) };
  };
  const makeReady = (item: Item) => {
    item.state = "ready";
    item.dueAt = undefined;
    item.readyAt = clock.monotonic();
    item.group = groupOf(item.key);
    groups.push(item.group, item.key);
  };
  const releaseDue = () => {
    const now = clock.monotonic();
    for (let item = due.first(); item !== undefined && (item.dueAt ?? 0) <= now; item = due.first()) {
      due.remove(item);
      makeReady(item);
    }
    groups.refill();
  };
  const ring = () => {
    alarm = undefined;
    releaseDue();
    setAlarm();
    if (groups.hasTurn) onReady();
  };
  const wait = (item: Item, at: number) => {
    if (at <= clock.monotonic()) return makeReady(item);
    item.state = "delayed";
    item.dueAt = at;
    item.order = count;
    count += 1;
    due.push(item);
  };
  const settled = () => {
    if (isDraining && active === 0) drained.resolve();
  };

  const add = (key: string, afterMs: number) => {
    if (isDraining) return;
    const at = clock.monotonic() + Math.max(0, afterMs || 0);
    const item = items.get(key);
    if (item === undefined) {
      const fresh: Item = { key, state: "ready", group: "", dueAt: undefined, readyAt: 0, order: 0, heapIndex: -1 };
      items.set(key, fresh);
      wait(fresh, at);
    } else if (item.state === "ready") return;
    else if (item.dueAt !== undefined && item.dueAt <= at) return;
    else if (item.state === "delayed") {
      due.remove(item);
      wait(item, at);
    } else item.dueAt = at;
    setAlarm();
    if (groups.hasTurn) onReady();
  };

  return {
    add: (key, { afterMs = 0 } = {}) => add(key, afterMs),
    retry(key) {
      const failures = (failed.get(key) ?? 0) + 1;
      failed.set(key, failures);
      const pauseMs = backoffMs(failures, backoff, random);
      add(key, pauseMs);
      return pauseMs;
    },
    forget: (key) => void failed.delete(key),
    failures: (key) => failed.get(key) ?? 0,
    take() {
      if (isDraining || active >= concurrency) return undefined;
      releaseDue();
      const key = groups.take();
      setAlarm();
      const item = key === undefined ? undefined : items.get(key);
      if (item === undefined) return undefined;
      item.state = "active";
      active += 1;
      return { key: item.key, waitedMs: clock.monotonic() - item.readyAt };
    },
    done(key) {
      const item = items.get(key);
      if (item?.state !== "active" && item?.state !== "parked") return;
      if (item.state === "parked") parked -= 1;
      else {
        active -= 1;
        groups.release(item.group);
      }
      if (item.dueAt === undefined || isDraining) items.delete(key);
      else wait(item, item.dueAt);
      settled();
      setAlarm();
      if (groups.hasTurn) onReady();
    },
    park(key) {
      const item = items.get(key);
      if (item?.state !== "active") return;
      item.state = "parked";
      active -= 1;
      parked += 1;
      groups.release(item.group);
      settled();
      if (groups.hasTurn) onReady();
    },
    drain() {
      if (!isDraining) {
        isDraining = true;
        for (const item of [...items.values()]) {
          if (item.state === "active" || item.state === "parked") continue;
          due.remove(item);
          items.delete(item.key);
        }
        groups.clear();
        failed.clear();
        setAlarm();
        drained = Promise.withResolvers();
        settled();
      }
      return drained.promise;
    },
    get depth() {
      return groups.size;
    },
    get delayed() {
      return due.size;
    },
    get active() {
      return active;
    },
    get parked() {
      return parked;
    },
  };
}
