// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "./metrics.ts";
import { createRuntimeMetrics } from "./runtime-metrics.ts";

test("metrics are told in Prometheus' text format, in a stable order", () => {
  const metrics = createMetrics();
  const waits = metrics.histogram("wait_seconds", "Time waited.", [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 3]) waits.observe(value, { name: "q" });
  metrics.counter("adds_total", 'Odd "help"\nin two lines.').add({ name: 'a"b\\c\nd' });
  metrics.counter("adds_total", "").add({ name: 'a"b\\c\nd' }, 2);
  metrics.gauge("depth", "Depth.").set(7);
  metrics.gauge("unused", "Never set.");
  assert.equal(
    metrics.text(),
    [
      '# HELP adds_total Odd "help"\\nin two lines.',
      "# TYPE adds_total counter",
      'adds_total{name="a\\"b\\\\c\\nd"} 3',
      "# HELP depth Depth.",
      "# TYPE depth gauge",
      "depth 7",
      "# HELP wait_seconds Time waited.",
      "# TYPE wait_seconds histogram",
      'wait_seconds_bucket{name="q",le="0.1"} 2',
      'wait_seconds_bucket{name="q",le="1"} 3',
      'wait_seconds_bucket{name="q",le="+Inf"} 4',
      'wait_seconds_sum{name="q"} 3.65',
      'wait_seconds_count{name="q"} 4',
      "",
    ].join("\n"),
  );
  assert.throws(() => metrics.gauge("adds_total", ""), TypeError);
});

test("a label that is different every time does not fill the memory", () => {
  const metrics = createMetrics();
  const odd = metrics.counter("odd_total", "Odd.");
  for (let at = 0; at < 10_000; at += 1) odd.add({ id: String(at) });
  assert.ok(metrics.text().split("\n").length < 2_100);
  assert.match(metrics.text(), /^odd_total 8000$/m);
});

test("the runtime's metrics have the names that dashboards know", () => {
  const metrics = createMetrics();
  const runtime = createRuntimeMetrics(metrics);
  const request = { id: "1", verb: "get", method: "GET", host: "h:1", group: "", resource: "pods", subresource: "" };
  runtime.onRequest({ ...request, attempt: 1, status: 200, failure: undefined, durationMs: 5, warnings: [] });
  runtime.onRequest({
    ...request,
    attempt: 1,
    status: undefined,
    failure: "ECONNREFUSED",
    durationMs: 5,
    warnings: [],
  });
  const hooks = runtime.hooks("machines");
  const key = { name: "a" };
  hooks.onAdd?.(key);
  hooks.onStart?.(key, 20);
  hooks.onFinish?.(key, { result: "error", durationMs: 10, error: new Error("no") });
  hooks.onRetry?.(key, 100);
  hooks.onFinish?.(key, { result: "done", durationMs: 10, error: undefined });
  runtime.queueDepth("machines", () => 4);
  runtime.cacheAge("pods", () => 1500);
  runtime.leading("leader", () => true);
  const text = metrics.text();
  for (const line of [
    'rest_client_requests_total{code="200",method="GET",host="h:1"} 1',
    'rest_client_requests_total{code="<ECONNREFUSED>",method="GET",host="h:1"} 1',
    'workqueue_adds_total{name="machines"} 1',
    'workqueue_retries_total{name="machines"} 1',
    'workqueue_depth{name="machines"} 4',
    'workqueue_queue_duration_seconds_count{name="machines"} 1',
    'workqueue_work_duration_seconds_count{name="machines"} 2',
    'controller_runtime_reconcile_total{controller="machines",result="error"} 1',
    'controller_runtime_reconcile_total{controller="machines",result="success"} 1',
    'controller_runtime_reconcile_errors_total{controller="machines"} 1',
    'controller_runtime_reconcile_time_seconds_count{controller="machines"} 2',
    'butler_kube_cache_age_seconds{name="pods"} 1.5',
    'leader_election_master_status{name="leader"} 1',
  ])
    assert.ok(text.includes(`${line}\n`), line);
});
