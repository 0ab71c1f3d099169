// SPDX-License-Identifier: Apache-2.0
import type { Client } from "../client/types.ts";
import { systemClock } from "../clock.ts";
import { LostLeadershipError } from "../errors.ts";
import type { Clock, Random } from "../types.ts";
import { createElection, type ElectionChange, type ElectionOptions } from "./election.ts";
import { type HealthCheck, type HealthServer, startHealthServer } from "./health-server.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { createRuntimeMetrics, type RuntimeMetrics } from "./runtime-metrics.ts";
import type { ManagedCache, ManagedController } from "./types.ts";
import { createWorkers } from "./workers.ts";

/** What a manager runs, and how. */
export interface ManagerOptions {
  readonly client: Client;
  /** What runs while this process leads. */
  readonly controllers: readonly ManagedController[];
  /** What runs from the start, leader or not, besides the caches of the controllers. */
  readonly caches?: readonly ManagedCache[];
  /** Left out, this process always leads. */
  readonly election?: Omit<ElectionOptions, "client" | "clock" | "random" | "onChange">;
  /** Left out, there is no server for health and metrics. */
  readonly health?: {
    readonly port: number;
    readonly host?: string;
    readonly live?: Readonly<Record<string, HealthCheck>>;
    readonly ready?: Readonly<Record<string, HealthCheck>>;
  };
  /** Gets the depths of queues, the ages of caches and who leads; told at `/metrics`. */
  readonly metrics?: Metrics;
  /** Hears of starts, stops and leadership, of reconciles that fail and of caches that cannot follow the server. */
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: Random;
  /** How long controllers may take to finish when asked to stop. 30 s unless told otherwise. */
  readonly drainMs?: number;
}

/** Starts and stops everything in order. */
export interface Manager {
  /**
   * Starts the health server, then the caches, waits until they are synced, stands for election and, once the caches have caught
   * up with all that was written before it won, runs the controllers.
   *
   * When `signal` is aborted it drains the controllers while it still leads, then gives the lease back and resolves; aborted
   * besides, `atOnce` cuts that short and leaves the lease to expire, as does a controller that does not end when it is told to.
   * Rejects with `LostLeadershipError` when the lease was lost, and with its error when a controller gave up; everything is
   * stopped and the lease given back then too. The client stays open, for it is not ours. Runs once.
   */
  run(signal: AbortSignal, options?: { readonly atOnce?: AbortSignal }): Promise<void>;
  isLeader(): boolean;
  /** Throws `LostLeadershipError` unless this process may start work and write now. */
  readonly gate: () => void;
  /** Where health and metrics are, once they are. */
  healthUrl(): string | undefined;
}

type State = "starting" | "standing by" | "leading" | "stopped";

/** Makes a manager. Nothing is started or sent before `run`. */
export function createManager(options: ManagerOptions): Manager {
  const { client, clock = systemClock, random = Math.random, log, drainMs = 30_000, controllers } = options;
  const caches = [...new Set([...(options.caches ?? []), ...controllers.flatMap((one) => one.caches ?? [])])];
  const onChange = (change: ElectionChange) => logChange(log, change);
  const election =
    options.election === undefined
      ? undefined
      : createElection({ ...options.election, client, clock, random, onChange });
  let state: State = "starting";
  let health: HealthServer | undefined;
  let hasRun = false;
  let refusals = 0;
  const gate = () => {
    try {
      if (state !== "leading") throw new LostLeadershipError(`this process is ${state}`);
      election?.gate();
    } catch (error) {
      refusals += 1;
      throw error;
    }
  };
  const isLeader = () => state === "leading" && (election === undefined || election.isLeader());
  const waiting = new Set(caches.map(cacheName));
  if (options.metrics !== undefined) tellAll(createRuntimeMetrics(options.metrics), { caches, controllers });
  if (options.metrics !== undefined && options.election !== undefined)
    createRuntimeMetrics(options.metrics).leading(options.election.name, isLeader);

  const startHealth = async () => {
    if (options.health === undefined) return undefined;
    const { live = {}, ready = {}, ...where } = options.health;
    const unsynced = () => (waiting.size === 0 ? undefined : `not synced: ${[...waiting].join(", ")}`);
    const stopping = () => (state === "stopped" ? "this process is stopping" : undefined);
    const text = options.metrics === undefined ? {} : { metrics: options.metrics.text };
    return startHealthServer({
      ...where,
      ...text,
      live: { ping: () => undefined, ...live },
      ready: { caches: unsynced, shutdown: stopping, ...ready },
    });
  };
  const problemsOf = (cache: string) =>
    log === undefined ? {} : { onProblem: (error: unknown) => log.warn("a cache has a problem", { cache, error }) };
  const syncCaches = (signal: AbortSignal) =>
    Promise.all(
      caches.map(async (cache, at) => {
        // It may run for as long as the signal lives; what counts is that it is synced.
        const running = Promise.resolve(cache.start(signal, problemsOf(cacheName(cache, at))));
        await Promise.race([cache.synced, running.then(() => cache.synced)]);
        waiting.delete(cacheName(cache, at));
      }),
    );

  return {
    async run(signal, { atOnce } = {}) {
      if (hasRun) throw new Error("a manager runs once");
      hasRun = true;
      const everything = new AbortController();
      const end = atOnce === undefined ? signal : AbortSignal.any([signal, atOnce]);
      let isCalm = true;
      try {
        health = await startHealth();
        log?.info("starting", { caches: caches.length, controllers: controllers.length });
        await unlessAborted(syncCaches(everything.signal), end);
        state = "standing by";
        await election?.acquire(end);
        const losing = election?.hold(everything.signal);
        if (election !== undefined && !(await hasCaughtUp({ caches, losing, end }))) return;
        state = "leading";
        const workers = createWorkers(controllers, { clock, drainMs, gate, log });
        const close = () => {
          state = "stopped";
        };
        const ended = await workers.run({ end: signal, atOnce, losing, close });
        isCalm = ended.isCalm;
        if (ended.failure !== undefined) throw ended.failure.error;
      } catch (error) {
        if (!end.aborted || error !== end.reason) {
          log?.error("stopped by a failure", { error });
          throw error;
        }
      } finally {
        state = "stopped";
        // Where we hold it, or may: the stop may have come in the middle of the write that won it.
        if (isCalm && !atOnce?.aborted) await election?.release();
        everything.abort(new Error("the manager has stopped"));
        await health?.stop();
        // What was kept from being started or sent after leadership had ended.
        log?.info("stopped", refusals === 0 ? {} : { refusals });
      }
    },
    isLeader,
    gate,
    healthUrl: () => health?.url,
  };
}

interface CatchingUp {
  readonly caches: readonly ManagedCache[];
  readonly losing: Promise<never> | undefined;
  readonly end: AbortSignal;
}

/**
 * Waits until the caches have what the leader before us wrote, up to the moment we won. False where this process is to end
 * before; rejects where leadership was lost.
 */
async function hasCaughtUp({ caches, losing, end }: CatchingUp): Promise<boolean> {
  const enough = new AbortController();
  const caughtUp = Promise.all(caches.map((cache) => cache.caughtUp?.(enough.signal)));
  // Handled below, or of no interest any more.
  caughtUp.catch(() => {});
  losing?.catch(() => {});
  try {
    await unlessAborted(Promise.race([caughtUp, ...(losing === undefined ? [] : [losing])]), end);
    return !end.aborted;
  } catch (error) {
    if (end.aborted && error === end.reason) return false;
    throw error;
  } finally {
    enough.abort(new Error("the caches need not catch up any more"));
  }
}

interface Managed {
  readonly caches: readonly ManagedCache[];
  readonly controllers: readonly ManagedController[];
}

function tellAll(metrics: RuntimeMetrics, { caches, controllers }: Managed): void {
  for (const [at, cache] of caches.entries()) metrics.cacheAge(cacheName(cache, at), () => cache.age?.());
  for (const controller of controllers) metrics.queueDepth(controller.name, () => controller.depth ?? 0);
}

/** The same kind may be cached several times, in several namespaces. */
function cacheName({ kind }: ManagedCache, at: number): string {
  return kind === undefined
    ? `cache ${at + 1}`
    : `${kind.plural}${kind.group === "" ? "" : `.${kind.group}`} ${at + 1}`;
}

/** The promise's outcome, unless the signal comes first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function logChange(log: Log | undefined, change: ElectionChange): void {
  if (change.change === "failed") log?.warn("a try to hold the lease failed", { error: change.error });
  else if (change.change === "observed") log?.info("the lease has a holder", { holder: change.holder });
  else log?.info("leadership changed", { leadership: change.change });
}
