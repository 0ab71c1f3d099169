// SPDX-License-Identifier: Apache-2.0
import {
  createCaches,
  createManager,
  type ElectionTimes,
  type HandlerTransport,
  isForbidden,
  isNotFound,
  type Manager,
} from "../kube/index.ts";
import { createEngine } from "./engine.ts";
import { addEngineMetrics } from "./engine-metrics.ts";
import type { EngineOptions } from "./engine-options.ts";
import { leaseName, SYSTEM_NAMESPACE } from "./names.ts";

/** What the managers of one process run, and how. */
export interface ManagersOptions extends Omit<EngineOptions, "provider" | "caches" | "transport"> {
  /** The providers to work for. */
  readonly providers: readonly string[];
  /** Whether there may be other processes: then only the holder of a provider's Lease works for it. */
  readonly leaderElect: boolean;
  /** How long a lease is good for and how often it is renewed; client-go's times unless told otherwise. */
  readonly electionTimes?: ElectionTimes;
  /** Left out, there is no server for health and metrics. */
  readonly health?: { readonly port: number; readonly host?: string };
  /** Servers in this process that stand for infrastructures. */
  readonly transport?: (provider: string) => HandlerTransport | undefined;
  /** How long work under way may take when asked to stop; 30 s unless told otherwise. */
  readonly drainMs?: number;
}

/** The managers of one process, one for each provider. */
export interface Managers {
  /**
   * Works until the signal, then finishes what is under way, gives the leases back and resolves. Rejects with
   * `LostLeadershipError` where a lease was lost, and with its error where something gave up; everything has stopped then. Runs once.
   */
  run(signal: AbortSignal, options?: { readonly atOnce?: AbortSignal }): Promise<void>;
  /** Where health and metrics are, once they are. */
  healthUrl(): string | undefined;
}

/**
 * Puts the managers together. They share one set of caches. Nothing is sent before `run`. Throws a `RangeError` where the times of
 * the election contradict each other.
 */
export function createManagers(options: ManagersOptions): Managers {
  const { providers, client, clock, random, log, metrics, leaderElect, health, identity, drainMs } = options;
  const onProblem = (error: unknown) => log.warn("cannot follow the API server", { error, ...hintOf(error) });
  const caches = createCaches(client, { clock, random, onProblem });
  if (metrics !== undefined) addEngineMetrics(metrics, caches);
  const managers = providers.map((provider, at): Manager => {
    const transport = options.transport?.(provider);
    const { transport: _all, ...rest } = options;
    const engine = createEngine({ ...rest, provider, caches, ...(transport === undefined ? {} : { transport }) });
    const election = { namespace: SYSTEM_NAMESPACE, name: leaseName(provider), identity, ...options.electionTimes };
    return createManager({
      client,
      controllers: [engine.controller],
      clock,
      random,
      log: log.with({ provider }),
      ...(leaderElect ? { election } : {}),
      // One server tells about the whole process: the caches it waits for are everybody's.
      ...(health === undefined || at > 0 ? {} : { health }),
      ...(metrics === undefined ? {} : { metrics }),
      ...(drainMs === undefined ? {} : { drainMs }),
    });
  });
  return {
    async run(signal, { atOnce } = {}) {
      const failed = new AbortController();
      const cachesEnd = new AbortController();
      const following = caches.start(cachesEnd.signal);
      const end = AbortSignal.any([signal, failed.signal]);
      const ends = await Promise.allSettled(
        managers.map((manager) =>
          manager.run(end, atOnce === undefined ? {} : { atOnce }).catch((error: unknown) => {
            failed.abort(error);
            throw error;
          }),
        ),
      );
      cachesEnd.abort(new Error("all managers have stopped"));
      await following;
      const problems = ends.filter((each) => each.status === "rejected").map(({ reason }) => reason);
      // Those that failed because another did are not the cause.
      if (problems.length > 0) throw failed.signal.reason;
    },
    healthUrl: () => managers[0]?.healthUrl(),
  };
}

/** What to do about it, where that is known. */
function hintOf(error: unknown): { readonly hint?: string } {
  if (isNotFound(error)) return { hint: "is Butler installed? butleradm manifests | kubectl apply --server-side -f -" };
  if (isForbidden(error)) return { hint: "rights are missing: butleradm manifests prints those that are needed" };
  return {};
}
