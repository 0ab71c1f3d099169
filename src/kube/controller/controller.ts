// SPDX-License-Identifier: Apache-2.0
import { keyText, parseKeyText } from "../cache/key-text.ts";
import type { Cache } from "../cache/types.ts";
import type { Client } from "../client/types.ts";
import { sleep, systemClock } from "../clock.ts";
import { isConflict } from "../errors.ts";
import { createQueue, type Queue, type Taken } from "../queue/queue.ts";
import type { KubeObject } from "../types.ts";
import { createOwnWrites, type OwnWrites } from "./own-writes.ts";
import type {
  Controller,
  ControllerHooks,
  ControllerOptions,
  Finished,
  ProblemListener,
  Result,
  RunOptions,
} from "./types.ts";
import { watchSelf } from "./watches.ts";

const DRAIN_MS = 30_000;

/** How long a reconcile has to notice that its signal was aborted. */
const LAST_MS = 5_000;

/** A controller at rest. */
export function createController<T extends KubeObject>(options: ControllerOptions<T>): Controller {
  const { name, client, cache, when, watches = [], reads = [], clock = systemClock, random = Math.random } = options;
  const caches = [...new Set<Cache<KubeObject>>([cache, ...watches.map((watch) => watch.cache), ...reads])];
  let tell = options.onProblem;
  const hooks = quiet(options.hooks ?? {}, (error, key) => tell?.(error, key));
  const sources = [watchSelf(cache, { when }), ...watches];
  // Kept from one run to the next: what a run has written at its end must not be missing at the beginning of another.
  const writes = createOwnWrites({ client, caches, clock, random, onProblem: hooks.onProblem });
  let queue: Queue | undefined;
  return {
    name,
    caches,
    async run(signal, runOptions = {}) {
      if (queue !== undefined) throw new Error(`controller "${name}" is running already`);
      tell = options.onProblem ?? runOptions.onProblem;
      const own = startQueue(options, { writes, hooks, runOptions });
      queue = own.queue;
      try {
        if (!(await areSynced(caches, signal))) return;
        const stops = sources.map((watch) =>
          watch.start((key) => {
            hooks.onAdd(key);
            own.queue.add(keyText(key));
          }, hooks.onProblem),
        );
        await aborted(signal);
        for (const stop of stops) stop();
      } finally {
        await own.stop();
        queue = undefined;
      }
    },
    add(key, { afterMs = 0 } = {}) {
      if (queue === undefined) return;
      hooks.onAdd(key);
      queue.add(keyText(key), { afterMs });
    },
    get depth() {
      return queue?.depth ?? 0;
    },
    get active() {
      return queue?.active ?? 0;
    },
    get held() {
      return queue?.parked ?? 0;
    },
  };
}

interface Surroundings {
  readonly writes: OwnWrites;
  readonly hooks: Required<ControllerHooks>;
  readonly runOptions: RunOptions;
}

/** Works on keys from now on, until it is stopped. */
function startQueue<T extends KubeObject>(options: ControllerOptions<T>, { writes, hooks, runOptions }: Surroundings) {
  const { name, clock = systemClock, random = Math.random, group } = options;
  const { gate, cut, drainMs = DRAIN_MS } = runOptions;
  /** Aborted when reconciles have to end. */
  const ending = new AbortController();
  /** Aborted when nothing is waited for any more. */
  const over = new AbortController();
  const onCut = () => ending.abort(cut?.reason);
  if (cut?.aborted) onCut();
  cut?.addEventListener("abort", onCut, { once: true });
  const client = gate === undefined ? options.client : options.client.withGate(gate);
  const { concurrency = 1, backoff, groupLimits } = options;
  let isStarting = false;
  const queue: Queue = createQueue({
    clock,
    random,
    concurrency,
    // A little later, so that all of one burst of keys are there when turns are taken.
    onReady() {
      if (isStarting) return;
      isStarting = true;
      queueMicrotask(startAll);
    },
    ...(backoff === undefined ? {} : { backoff }),
    ...(groupLimits === undefined ? {} : { groups: groupLimits }),
    ...(group === undefined ? {} : { groupOf: (text: string) => groupOf(text, group, hooks) }),
  });
  /** Keeps the key back until its writes are seen. It is ready again then, if somebody asked for it. */
  const hold = async (text: string) => {
    const key = parseKeyText(text);
    const heldAt = clock.monotonic();
    hooks.onHold(key);
    queue.park(text);
    try {
      await writes.settled(text, over.signal);
      hooks.onRelease(key, clock.monotonic() - heldAt);
    } catch {}
    queue.done(text);
  };
  const work = async ({ key: text, waitedMs }: Taken) => {
    // Something may have been written after its reconcile had ended.
    if (!writes.areSeen(text)) {
      queue.add(text);
      return hold(text);
    }
    const key = parseKeyText(text);
    try {
      gate?.();
    } catch (error) {
      hooks.onProblem(error);
      queue.retry(text);
      return queue.done(text);
    }
    hooks.onStart(key, waitedMs);
    const { finished, result } = await reconcileOnce(options, { text, queue, client, writes, signal: ending.signal });
    hooks.onFinish(key, finished);
    if (result === undefined) hooks.onRetry(key, queue.retry(text));
    else {
      queue.forget(text);
      if (result !== "done") queue.add(text, { afterMs: result.againInMs });
    }
    if (writes.areSeen(text)) queue.done(text);
    else await hold(text);
  };
  const startAll = () => {
    isStarting = false;
    for (let taken = queue.take(); taken !== undefined; taken = queue.take()) void work(taken);
  };
  return {
    queue,
    async stop() {
      const drained = queue.drain();
      // Keys that are held wait for nothing that is still of use.
      over.abort(new Error(`controller "${name}" has stopped`));
      const isDrained = (ms: number, until?: AbortSignal) => within(drained, { ms, clock, until });
      if (!(await isDrained(drainMs, ending.signal))) {
        ending.abort(new Error(`controller "${name}" is stopping`));
        if (!(await isDrained(LAST_MS)))
          hooks.onProblem(new Error(`controller "${name}": ${queue.active} reconciles ignore that they are to end`));
      }
      cut?.removeEventListener("abort", onCut);
    },
  };
}

interface Attempt {
  readonly text: string;
  readonly queue: Queue;
  readonly client: Client;
  readonly writes: OwnWrites;
  readonly signal: AbortSignal;
}

/** Never throws, whatever the reconcile does. Without a result it has failed. */
async function reconcileOnce<T extends KubeObject>(
  { reconcile, clock = systemClock }: ControllerOptions<T>,
  { text, queue, client, writes, signal }: Attempt,
): Promise<{ readonly finished: Finished; readonly result: Result | undefined }> {
  const startedAt = clock.monotonic();
  try {
    const context = { signal, client: writes.clientFor(text, client), failures: queue.failures(text) };
    const result = await reconcile(parseKeyText(text), context);
    const isAgain = typeof result === "object" && result !== null;
    const finished = { durationMs: clock.monotonic() - startedAt, error: undefined };
    return { result: isAgain ? result : "done", finished: { ...finished, result: isAgain ? "again" : "done" } };
  } catch (error) {
    const durationMs = clock.monotonic() - startedAt;
    return { result: undefined, finished: { result: isConflict(error) ? "conflict" : "error", durationMs, error } };
  }
}

function groupOf(
  text: string,
  group: NonNullable<ControllerOptions<KubeObject>["group"]>,
  hooks: Required<ControllerHooks>,
): string {
  try {
    return group(parseKeyText(text));
  } catch (error) {
    hooks.onProblem(error);
    return "";
  }
}

/** False where the run ended before. */
async function areSynced(caches: readonly Cache<KubeObject>[], signal: AbortSignal): Promise<boolean> {
  const synced = Promise.all(caches.map((cache) => cache.synced)).then(
    () => true,
    () => false,
  );
  const isSynced = await Promise.race([synced, aborted(signal).then(() => false)]);
  return isSynced && !signal.aborted;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

interface Patience {
  readonly ms: number;
  readonly clock: NonNullable<ControllerOptions<KubeObject>["clock"]>;
  readonly until?: AbortSignal | undefined;
}

/** Whether it came to its end in time, and before the signal. */
async function within(promise: Promise<void>, { ms, clock, until }: Patience): Promise<boolean> {
  const enough = new AbortController();
  const stop = () => enough.abort();
  if (until?.aborted) stop();
  until?.addEventListener("abort", stop, { once: true });
  try {
    const late = sleep(clock, ms, enough.signal).then(
      () => false,
      () => false,
    );
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    until?.removeEventListener("abort", stop);
    stop();
  }
}

/** The same hooks, all there and none throwing; `tell` hears of what fails besides. */
function quiet(hooks: ControllerHooks, tell: ProblemListener): Required<ControllerHooks> {
  const call = (run: () => void) => {
    try {
      run();
    } catch {}
  };
  return {
    onAdd: (key) => call(() => hooks.onAdd?.(key)),
    onStart: (key, waitedMs) => call(() => hooks.onStart?.(key, waitedMs)),
    onFinish(key, finished) {
      call(() => hooks.onFinish?.(key, finished));
      if (finished.result === "error") call(() => tell(finished.error, key));
    },
    onRetry: (key, pauseMs) => call(() => hooks.onRetry?.(key, pauseMs)),
    onHold: (key) => call(() => hooks.onHold?.(key)),
    onRelease: (key, heldMs) => call(() => hooks.onRelease?.(key, heldMs)),
    onProblem(error) {
      call(() => hooks.onProblem?.(error));
      call(() => tell(error));
    },
  };
}
