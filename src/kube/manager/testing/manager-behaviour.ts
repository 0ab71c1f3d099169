// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { createCaches } from "../../cache/caches.ts";
import { createClient } from "../../client/client.ts";
import type { ClusterConfig } from "../../client/cluster-config.ts";
import type { Client } from "../../client/types.ts";
import { systemClock } from "../../clock.ts";
import { createController } from "../../controller/controller.ts";
import { configMap, lease, namespace as namespaceKind, secret } from "../../core.ts";
import { LostLeadershipError } from "../../errors.ts";
import { chaosProxy } from "../../testing/chaos-proxy.ts";
import { createManager } from "../manager.ts";
import { createMetrics } from "../metrics.ts";
import { createRuntimeMetrics } from "../runtime-metrics.ts";

/** What the behaviour is called in both suites. */
export const handOverPromise =
  "a leader that is cut off starts and sends nothing after its deadline, another leads, and gives back what it held";

/** Far enough apart for a machine that is busy with other things. */
const TIMES = { leaseDurationMs: 4_000, renewDeadlineMs: 2_000, retryPeriodMs: 100 };
const PATIENCE_MS = 30_000;

/** A manager whose controller makes one object after the other, each marked with who made it. */
function startWorker(identity: string, { client, namespace }: { client: Client; namespace: string }) {
  const metrics = createMetrics();
  const caches = createCaches(client);
  const controller = createController({
    name: "marks",
    client,
    cache: caches.of(configMap, { namespace, labelSelector: "work=yes" }),
    hooks: createRuntimeMetrics(metrics).hooks("marks"),
    async reconcile(_key, { client: writer, signal }) {
      const labels = { by: identity };
      await writer.create(secret, { metadata: { generateName: "mark-", namespace, labels } }, { signal });
      return { againInMs: 10 };
    },
  });
  const election = { namespace, name: "leader", identity, ...TIMES };
  const manager = createManager({ client, controllers: [controller], election, metrics });
  const stop = new AbortController();
  return { manager, metrics, stop, ended: manager.run(stop.signal) };
}

/** Runs two managers on any API server, the first of them through a proxy that goes silent. */
export async function handOver(config: ClusterConfig): Promise<void> {
  const direct = createClient(config);
  const proxy = await chaosProxy({ target: config });
  const distant = createClient(proxy.config);
  try {
    const { metadata } = await direct.create(namespaceKind, { metadata: { generateName: "manager-" } });
    const namespace = metadata.name ?? "";
    await direct.create(configMap, { metadata: { name: "work", namespace, labels: { work: "yes" } } });
    const marks = async (by: string) =>
      (await direct.list(secret, { namespace, labelSelector: `by=${by}` })).items.length;
    const untilMarked = async (by: string, count: number) => {
      const giveUpAt = systemClock.monotonic() + PATIENCE_MS;
      while ((await marks(by)) < count) assert.ok(systemClock.monotonic() < giveUpAt, `"${by}" does no work`);
    };
    const one = startWorker("one", { client: distant, namespace });
    const lost = assert.rejects(one.ended, LostLeadershipError);
    await untilMarked("one", 3);
    const two = startWorker("two", { client: direct, namespace });
    proxy.network("silent");
    await lost;
    const marksOfOne = await marks("one");
    assert.equal((await direct.get(lease, { namespace, name: "leader" })).spec?.holderIdentity, "one");
    assert.equal(await marks("two"), 0);
    proxy.network("cut");
    proxy.network("open");
    await untilMarked("two", 3);
    assert.equal(await marks("one"), marksOfOne);
    await assert.rejects(
      distant.withGate(one.manager.gate).delete(configMap, { namespace, name: "work" }),
      LostLeadershipError,
    );
    two.stop.abort();
    await two.ended;
    const { spec } = await direct.get(lease, { namespace, name: "leader" });
    assert.deepEqual([spec?.holderIdentity ?? "", spec?.leaseDurationSeconds, spec?.leaseTransitions], ["", 1, 1]);
    assert.match(
      two.metrics.text(),
      /controller_runtime_reconcile_total\{controller="marks",result="requeue_after"\} \d+/,
    );
  } finally {
    await proxy.stop();
    await Promise.all([direct.close(), distant.close()]);
  }
}
