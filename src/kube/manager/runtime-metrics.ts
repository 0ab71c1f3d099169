// SPDX-License-Identifier: Apache-2.0
import type { RequestRecord } from "../client/types.ts";
import type { ControllerHooks } from "../controller/types.ts";
import type { Metrics } from "./metrics.ts";

/** The word that controller-runtime's dashboards have for each end of a reconcile. */
const RESULTS = { done: "success", again: "requeue_after", conflict: "requeue", error: "error" } as const;

/** What the runtime measures of itself, under the names that dashboards for controller-runtime know. */
export interface RuntimeMetrics {
  /** To be given to `createClient`: counts every try. */
  readonly onRequest: (record: RequestRecord) => void;
  /** To be given to `createController`: measures its queue and its reconciles. */
  hooks(controller: string): ControllerHooks;
  /** Asks for the depth whenever the metrics are read. */
  queueDepth(name: string, depth: () => number): void;
  /** Asks for the age of a cache, in milliseconds since it last heard from the server, whenever the metrics are read. */
  cacheAge(name: string, ageMs: () => number | undefined): void;
  leading(lease: string, isLeader: () => boolean): void;
  droppedEvent(): void;
}

/** Adds the runtime's own metrics to a registry. */
export function createRuntimeMetrics(metrics: Metrics): RuntimeMetrics {
  const requests = metrics.counter("rest_client_requests_total", "Tries of requests by status code, method and host.");
  const requestTime = metrics.histogram("rest_client_request_duration_seconds", "Time of a try by verb and host.");
  const adds = metrics.counter("workqueue_adds_total", "Keys that became ready.");
  const retries = metrics.counter("workqueue_retries_total", "Keys that were put back after an error.");
  const depths = metrics.gauge("workqueue_depth", "Keys that are ready and wait for their turn.");
  const waits = metrics.histogram("workqueue_queue_duration_seconds", "Time that a ready key waited for its turn.");
  const works = metrics.histogram("workqueue_work_duration_seconds", "Time that working on a key took.");
  const totals = metrics.counter("controller_runtime_reconcile_total", "Reconciles by controller and result.");
  const errors = metrics.counter("controller_runtime_reconcile_errors_total", "Reconciles that failed.");
  const times = metrics.histogram("controller_runtime_reconcile_time_seconds", "Time of a reconcile.");
  const ages = metrics.gauge("butler_kube_cache_age_seconds", "Time since a cache last heard from the server.");
  const leads = metrics.gauge("leader_election_master_status", "1 while this process holds the lease.");
  const dropped = metrics.counter("butler_kube_events_dropped_total", "Events that were not written.");
  return {
    onRequest({ status, failure, method, host, verb, durationMs }) {
      requests.add({ code: status === undefined ? `<${failure ?? "error"}>` : String(status), method, host });
      requestTime.observe(durationMs / 1000, { verb, host });
    },
    hooks: (name) => ({
      onAdd: () => adds.add({ name }),
      onStart: (_key, waitedMs) => waits.observe(waitedMs / 1000, { name }),
      onRetry: () => retries.add({ name }),
      onFinish(_key, { result, durationMs }) {
        totals.add({ controller: name, result: RESULTS[result] });
        if (result === "error") errors.add({ controller: name });
        times.observe(durationMs / 1000, { controller: name });
        works.observe(durationMs / 1000, { name });
      },
    }),
    queueDepth: (name, depth) => metrics.beforeText(() => depths.set(depth(), { name })),
    cacheAge: (name, ageMs) =>
      metrics.beforeText(() => {
        const age = ageMs();
        if (age !== undefined && Number.isFinite(age)) ages.set(age / 1000, { name });
      }),
    leading: (lease, isLeader) => metrics.beforeText(() => leads.set(isLeader() ? 1 : 0, { name: lease })),
    droppedEvent: () => dropped.add(),
  };
}
