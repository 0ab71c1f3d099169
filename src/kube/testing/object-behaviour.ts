// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { createClient } from "../client/client.ts";
import type { ClusterConfig } from "../client/cluster-config.ts";
import type { Client, RequestRecord } from "../client/types.ts";
import { manualClock } from "../clock.ts";
import {
  configMap,
  coreEvent,
  event,
  lease,
  namespace as namespaceKind,
  type PersistentVolumeClaim,
  persistentVolumeClaim,
} from "../core.ts";
import { isNotFound, LostLeadershipError } from "../errors.ts";
import { createEventRecorder } from "../events.ts";
import { addFinalizer, removeFinalizer } from "../finalizers.ts";
import { createElection } from "../manager/election.ts";
import { ownerReference } from "../owner-references.ts";
import { createStatusApplier, writeStatus } from "../status-write.ts";

/** Where a behaviour is tried. */
export interface ObjectStage {
  readonly client: Client;
  readonly namespace: string;
  /** Writes that reached the server, since the last call. */
  writes(): number;
}

/** A promise that every API server must see kept. */
export interface ObjectBehaviour {
  readonly promise: string;
  run(config: ClusterConfig): Promise<void>;
}

function behaviour(promise: string, run: (stage: ObjectStage) => Promise<void>): ObjectBehaviour {
  return {
    promise,
    async run(config) {
      let count = 0;
      const onRequest = ({ method }: RequestRecord) => {
        if (method !== "GET") count += 1;
      };
      const client = createClient(config, { onRequest });
      const writes = () => {
        const counted = count;
        count = 0;
        return counted;
      };
      try {
        const { metadata } = await client.create(namespaceKind, { metadata: { generateName: "objects-" } });
        writes();
        await run({ client, namespace: metadata.name ?? "", writes });
      } finally {
        await client.close();
      }
    },
  };
}

const claimDraft = (namespace: string) => ({
  metadata: { name: "data", namespace },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});

const bound = (storage: string): NonNullable<PersistentVolumeClaim["status"]> => ({
  phase: "Bound",
  accessModes: ["ReadWriteOnce"],
  capacity: { storage },
});

/** What helpers promise of objects, on any server. */
export const objectBehaviours: readonly ObjectBehaviour[] = [
  behaviour("finalizers are added once and removed alone, whatever others do at the same time", async (stage) => {
    const { client, namespace, writes } = stage;
    const made = await client.create(configMap, { metadata: { name: "held", namespace } });
    const options = { client, kind: configMap };
    // All start from the same, soon outdated object.
    const names = ["example.com/a", "example.com/b", "example.com/c"];
    await Promise.all(names.map((name) => addFinalizer(made, name, options)));
    const all = await client.get(configMap, { namespace, name: "held" });
    assert.deepEqual([...(all.metadata.finalizers ?? [])].sort(), names);
    writes();
    assert.equal(await addFinalizer(all, "example.com/a", options), all);
    assert.equal(await removeFinalizer(all, "example.com/none", options), all);
    assert.equal(writes(), 0);
    await client.delete(configMap, { namespace, name: "held" });
    await Promise.all(names.slice(1).map((name) => removeFinalizer(all, name, options)));
    const last = await client.get(configMap, { namespace, name: "held" });
    assert.deepEqual(last.metadata.finalizers, ["example.com/a"]);
    await removeFinalizer(all, "example.com/a", options);
    await assert.rejects(client.get(configMap, { namespace, name: "held" }), isNotFound);
    assert.equal(await removeFinalizer(all, "example.com/a", options), undefined);
  }),
  behaviour(
    "a finalizer is never given to or taken from another object of the same name",
    async ({ client, namespace }) => {
      const options = { client, kind: configMap };
      const old = await client.create(configMap, { metadata: { name: "again", namespace } });
      await client.delete(configMap, { namespace, name: "again" });
      await client.create(configMap, { metadata: { name: "again", namespace, finalizers: ["example.com/a"] } });
      await assert.rejects(addFinalizer(old, "example.com/b", options), isNotFound);
      const held = { ...old, metadata: { ...old.metadata, finalizers: ["example.com/a"] } };
      assert.equal(await removeFinalizer(held, "example.com/a", options), undefined);
      const { metadata } = await client.get(configMap, { namespace, name: "again" });
      assert.deepEqual(metadata.finalizers, ["example.com/a"]);
    },
  ),
  behaviour("owner references are taken by the server as they are made", async ({ client, namespace }) => {
    const owner = await client.create(configMap, { metadata: { name: "owner", namespace } });
    const ownerReferences = [ownerReference(configMap, owner)];
    const owned = await client.create(configMap, { metadata: { name: "owned", namespace, ownerReferences } });
    assert.deepEqual(owned.metadata.ownerReferences, ownerReferences);
  }),
  behaviour(
    "a status is written once, not at all where it is equal, and decided anew after a conflict",
    async (stage) => {
      const { client, namespace, writes } = stage;
      const made = await client.create(persistentVolumeClaim, claimDraft(namespace));
      writes();
      const options = { client, kind: persistentVolumeClaim, change: () => bound("1Gi") };
      const written = await writeStatus(made, options);
      assert.equal(written.status?.phase, "Bound");
      assert.equal(writes(), 1);
      assert.equal(await writeStatus(written, options), written);
      assert.equal(writes(), 0);
      const seen: (string | undefined)[] = [];
      const change = (current: PersistentVolumeClaim) => {
        seen.push(current.status?.capacity?.storage);
        return bound("2Gi");
      };
      // What was made first is outdated by now.
      const last = await writeStatus(made, { ...options, change });
      assert.deepEqual(seen, [undefined, "1Gi"]);
      assert.equal(last.status?.capacity?.storage, "2Gi");
    },
  ),
  behaviour("an applied status is sent again only where it changed or others changed it", async (stage) => {
    const { client, namespace, writes } = stage;
    const made = await client.create(persistentVolumeClaim, claimDraft(namespace));
    const applier = createStatusApplier({ client, kind: persistentVolumeClaim, fieldManager: "tester" });
    const draft = { metadata: { name: "data", namespace }, status: bound("1Gi") };
    writes();
    const applied = await applier.apply(made, draft);
    assert.equal(applied.status?.capacity?.storage, "1Gi");
    assert.equal(await applier.apply(applied, draft), applied);
    assert.equal(writes(), 1);
    const changed = await writeStatus(applied, { client, kind: persistentVolumeClaim, change: () => bound("5Gi") });
    const back = await applier.apply(changed, draft);
    assert.equal(back.status?.capacity?.storage, "1Gi");
    const shorter = await applier.apply(back, { ...draft, status: { phase: "Bound" } });
    assert.equal(shorter.status?.phase, "Bound");
    assert.equal(writes(), 3);
  }),
  behaviour("events are made, counted and seen by readers of both groups", async ({ client, namespace }) => {
    const about = await client.create(configMap, { metadata: { name: "subject", namespace } });
    const clock = manualClock(Date.now());
    const recorder = createEventRecorder({ client, controller: "example.com/tester", instance: "tester-0", clock });
    const news = { type: "Warning", reason: "Broken", action: "Repairing", note: "It is broken." } as const;
    for (let times = 0; times < 5; times += 1) recorder.record(about, news);
    await recorder.flush();
    const { items } = await client.list(event, { namespace });
    assert.equal(items.length, 1);
    assert.equal(items[0]?.series?.count, 5);
    const { items: core } = await client.list(coreEvent, { namespace, fieldSelector: "involvedObject.name=subject" });
    assert.equal(core[0]?.message, "It is broken.");
    assert.equal(recorder.dropped(), 0);
  }),
  behaviour("processes that name events alike count on the same one", async ({ client, namespace }) => {
    const about = await client.create(configMap, { metadata: { name: "subject", namespace } });
    for (const instance of ["one", "two", "three"]) {
      const recorder = createEventRecorder({ client, controller: "example.com/tester", instance, hasFixedNames: true });
      recorder.record(about, { type: "Normal", reason: "Done", note: "It is done." });
      await recorder.flush();
    }
    const { items } = await client.list(event, { namespace });
    assert.deepEqual(
      items.map(({ series }) => series?.count),
      [3],
    );
  }),
  behaviour("a lease is acquired, renewed, given back and handed over", async ({ client, namespace }) => {
    const times = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 50 };
    const stand = (identity: string) => createElection({ client, namespace, name: "leader", identity, ...times });
    const [one, two] = [stand("one"), stand("two")];
    const end = new AbortController();
    await one.acquire(end.signal);
    const holding = assert.rejects(one.hold(end.signal), LostLeadershipError);
    const next = two.acquire(end.signal);
    const renewed = async (from: string | undefined) => {
      for (;;) {
        const { spec } = await client.get(lease, { namespace, name: "leader" });
        if (from !== undefined && spec?.renewTime !== from) return spec;
        from ??= spec?.renewTime;
      }
    };
    assert.equal((await renewed(undefined))?.holderIdentity, "one");
    assert.equal(two.isLeader(), false);
    await one.release();
    assert.throws(one.gate);
    await next;
    two.gate();
    const { spec } = await client.get(lease, { namespace, name: "leader" });
    assert.equal(spec?.holderIdentity, "two");
    assert.equal(spec?.leaseTransitions, 1);
    end.abort(new Error("the end"));
    await holding;
    await two.release();
    const { spec: free } = await client.get(lease, { namespace, name: "leader" });
    assert.deepEqual([free?.holderIdentity ?? "", free?.leaseDurationSeconds], ["", 1]);
  }),
];
