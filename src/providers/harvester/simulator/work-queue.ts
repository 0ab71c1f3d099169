// SPDX-License-Identifier: Apache-2.0

/** Work that is done one piece after the other, in the order it was asked for. */
export interface SerialQueue {
  /** Does it later, never at once. What is asked for again under the same name before it has begun is done once. */
  add(name: string, work: () => Promise<void> | void): void;
  /** Resolves when nothing is left to do. */
  idle(): Promise<void>;
  readonly isIdle: boolean;
  /** Begins nothing anew. */
  stop(): void;
}

/** Makes one. Work that throws is told to `onFault`, and the next goes on. */
export function createSerialQueue(onFault: (error: unknown) => void): SerialQueue {
  const waiting = new Map<string, () => Promise<void> | void>();
  const listeners: (() => void)[] = [];
  let isRunning = false;
  let isStopped = false;

  const run = async () => {
    await Promise.resolve();
    for (;;) {
      const [next] = waiting;
      if (next === undefined || isStopped) break;
      waiting.delete(next[0]);
      try {
        await next[1]();
      } catch (error) {
        if (!isStopped) onFault(error);
      }
    }
    isRunning = false;
    for (const listener of listeners.splice(0)) listener();
  };
  const isIdle = () => !isRunning && (waiting.size === 0 || isStopped);
  return {
    add(name, work) {
      if (isStopped) return;
      if (!waiting.has(name)) waiting.set(name, work);
      if (isRunning) return;
      isRunning = true;
      void run();
    },
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => listeners.push(resolve))),
    get isIdle() {
      return isIdle();
    },
    stop() {
      isStopped = true;
      waiting.clear();
    },
  };
}
