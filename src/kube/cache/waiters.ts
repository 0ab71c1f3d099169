// SPDX-License-Identifier: Apache-2.0
import { createHeap, type HeapItem } from "../queue/heap.ts";
import { isOlder } from "./versions.ts";

/** Those who wait for the cache to catch up. */
export interface Waiters {
  /** Resolves once the condition holds. It is looked at again when the key changes and when the position reaches the version. */
  wait(waiting: Waiting, signal?: AbortSignal): Promise<void>;
  keyChanged(key: string): void;
  positionMoved(position: string): void;
  /** Looks at all conditions. */
  everythingChanged(): void;
  readonly size: number;
}

/** What is waited for. */
export interface Waiting {
  readonly key: string;
  readonly version: string | undefined;
  readonly isMet: () => boolean;
}

interface Waiter extends HeapItem, Waiting {
  readonly resolve: () => void;
}

/** Nobody waits yet. An event costs no more than the waiters that it concerns. */
export function createWaiters(): Waiters {
  const byKey = new Map<string, Set<Waiter>>();
  const byVersion = createHeap<Waiter>((left, right) => isOlder(left.version ?? "", right.version ?? ""));
  let size = 0;
  const drop = (waiter: Waiter) => {
    const same = byKey.get(waiter.key);
    if (!same?.delete(waiter)) return;
    if (same.size === 0) byKey.delete(waiter.key);
    byVersion.remove(waiter);
    size -= 1;
  };
  const look = (waiter: Waiter) => {
    if (waiter.isMet()) waiter.resolve();
  };
  return {
    wait({ key, version, isMet }, signal) {
      return new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (isMet()) return resolve();
        const onAbort = () => {
          drop(waiter);
          reject(signal?.reason);
        };
        const waiter: Waiter = {
          key,
          version,
          isMet,
          heapIndex: -1,
          resolve() {
            drop(waiter);
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        const same = byKey.get(key);
        if (same === undefined) byKey.set(key, new Set([waiter]));
        else same.add(waiter);
        if (version !== undefined) byVersion.push(waiter);
        size += 1;
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
    keyChanged(key) {
      const same = byKey.get(key);
      if (same !== undefined) for (const waiter of [...same]) look(waiter);
    },
    positionMoved(position) {
      for (let first = byVersion.first(); first !== undefined; first = byVersion.first()) {
        if (first.version === undefined || isOlder(position, first.version)) return;
        // From here on only its key can make a difference.
        byVersion.remove(first);
        look(first);
      }
    },
    everythingChanged() {
      for (const same of [...byKey.values()]) for (const waiter of [...same]) look(waiter);
    },
    get size() {
      return size;
    },
  };
}
