// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { APPLY_PATCH, configMap, MERGE_PATCH } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";
import { gadget, now, stored, versionOf, watching, widget } from "./kinds.ts";

/** What is sent, and what is not. */
export const events: readonly Case[] = [
  {
    name: "each change of a custom resource is an event with the object as it was then",
    async run(t) {
      const watch = await t.watch(watching(t.custom("widgets")));
      const first = await t.prepare("POST", t.custom("widgets"), widget("a", { spec: { size: 1 } }));
      await t.prepare("PUT", t.custom("widgets", "a/status"), { ...first, status: { phase: "Done" } });
      await t.prepare("PATCH", t.custom("widgets", "a"), { spec: { size: 2 } }, { contentType: MERGE_PATCH });
      const applied = widget("a", { spec: { color: "red" } });
      await t.prepare("PATCH", `${t.custom("widgets", "a")}?fieldManager=painter`, applied, {
        contentType: APPLY_PATCH,
      });
      await t.prepare("DELETE", t.custom("widgets", "a"));
      await watch.take(5);
    },
  },
  {
    name: "a deletion is an event with the last state and a version of its own",
    async run(t) {
      const [first = {}] = await stored(t, "a");
      const watch = await t.watch(watching(t.core("configmaps"), { resourceVersion: versionOf(first) }));
      await t.request("GET", t.core("configmaps", "a"));
      await t.request("DELETE", t.core("configmaps", "a"));
      await watch.next();
    },
  },
  {
    name: "a deletion that waits for a finalizer is a change first, and a deletion when that is gone",
    async run(t) {
      const watch = await t.watch(watching(t.custom("widgets")));
      await t.prepare("POST", t.custom("widgets"), widget("a", { metadata: { finalizers: ["example.com/wait"] } }));
      await t.prepare("DELETE", t.custom("widgets", "a"));
      const released = { metadata: { finalizers: null } };
      await t.prepare("PATCH", t.custom("widgets", "a"), released, { contentType: MERGE_PATCH });
      await watch.take(3);
    },
  },
  {
    name: "what changes nothing is no event: equal updates, dry runs, refusals",
    async run(t) {
      const [first = {}] = await stored(t, "a");
      const watch = await t.watch(watching(t.core("configmaps"), { resourceVersion: versionOf(first) }));
      const red = configMap("a", { color: "red" });
      await t.prepare("PUT", t.core("configmaps", "a"), first);
      await t.prepare("PUT", `${t.core("configmaps", "a")}?dryRun=All`, red);
      await t.prepare("DELETE", `${t.core("configmaps", "a")}?dryRun=All`);
      await t.request("POST", t.core("configmaps"), red);
      await t.prepare("PUT", t.core("configmaps", "a"), red);
      await watch.next();
    },
  },
  {
    name: "an object that is made again under the same name is another object",
    async run(t) {
      const watch = await t.watch(watching(t.core("configmaps")));
      await stored(t, "a");
      await t.prepare("DELETE", t.core("configmaps", "a"));
      await stored(t, "a");
      await watch.take(3);
    },
  },
  {
    name: "a delete of a collection is a deletion of each object",
    async run(t) {
      const [, , last = {}] = await stored(t, "b", "a", "c");
      const watch = await t.watch(watching(t.core("configmaps"), { resourceVersion: versionOf(last) }));
      await t.prepare("DELETE", t.core("configmaps"));
      await watch.take(3);
    },
  },
  {
    name: "a watch that resumes from its last event misses nothing and sees nothing twice",
    async run(t) {
      const before = await t.watch(watching(t.core("configmaps")), { name: "before" });
      await stored(t, "a", "b");
      const [, second] = await before.take(2);
      before.close();
      await t.prepare("DELETE", t.core("configmaps", "a"));
      await stored(t, "c");
      const resourceVersion = versionOf(second?.object ?? {});
      const after = await t.watch(watching(t.core("configmaps"), { resourceVersion }), { name: "after" });
      await stored(t, "d");
      await after.take(3);
    },
  },
  {
    name: "all watches see the same changes in the same order, whenever they began",
    async run(t) {
      const resourceVersion = await now(t);
      const early = await t.watch(watching(t.core("configmaps"), { resourceVersion }), { name: "early" });
      const [first] = await stored(t, "a", "b");
      const late = await t.watch(watching(t.core("configmaps"), { resourceVersion }), { name: "late" });
      await t.prepare("PUT", t.core("configmaps", "a"), { ...first, data: { color: "red" } });
      await t.prepare("DELETE", t.core("configmaps", "b"));
      await early.take(4);
      await late.take(4);
    },
  },
  {
    name: "fifty changes at once reach a watch, each once, in the order of their versions",
    async run(t) {
      const watch = await t.watch(watching(t.core("configmaps"), {}), { quiet: true });
      const names = Array.from({ length: 50 }, (_, index) => `c${index}`);
      const written = await Promise.all(names.map((name) => t.prepare("POST", t.core("configmaps"), configMap(name))));
      const seen = await watch.take(50);
      const versions = seen.map(({ object }) => Number(versionOf(object)));
      const expected = written.map((object) => Number(versionOf(object))).toSorted((a, b) => a - b);
      assert.deepEqual(versions, expected);
    },
  },
  {
    name: "a watch of a namespace sees nothing of others, a watch of all sees all",
    async run(t) {
      const other = `${t.namespace}-other`;
      await t.prepare("POST", "/api/v1/namespaces", { metadata: { name: other } });
      const labels = { case: t.namespace };
      const query = { labelSelector: `case=${t.namespace}` };
      const own = await t.watch(watching(t.core("configmaps"), query), { name: "own" });
      const all = await t.watch(watching("/api/v1/configmaps", query), { name: "all" });
      await t.prepare("POST", `/api/v1/namespaces/${other}/configmaps`, configMap("a", {}, { labels }));
      await t.prepare("POST", t.core("configmaps"), configMap("b", {}, { labels }));
      await own.next();
      await all.take(2);
    },
  },
  {
    name: "a watch of one version of a kind shows objects in that version, however they were written",
    async run(t) {
      const path = t.custom("gadgets").replace("/v1/", "/v2/");
      const watch = await t.watch(watching(path));
      await t.prepare("POST", t.custom("gadgets"), gadget("a", { spec: { size: 1 } }));
      await t.prepare("POST", path, { ...gadget("b"), apiVersion: "watch.example.com/v2" });
      await watch.take(2);
    },
  },
  {
    name: "an event that is written to core is seen by a watch of events.k8s.io, as that shows it",
    async run(t) {
      const watch = await t.watch(watching(`/apis/events.k8s.io/v1/namespaces/${t.namespace}/events`));
      const seen = "2001-02-03T04:05:06Z";
      await t.prepare("POST", t.core("events"), {
        metadata: { name: "a" },
        involvedObject: { kind: "ConfigMap", namespace: t.namespace, name: "a" },
        reason: "Tested",
        message: "it was tested",
        type: "Normal",
        firstTimestamp: seen,
        lastTimestamp: seen,
        count: 3,
      });
      await watch.next();
    },
  },
  {
    name: "a watch of namespaces sees one begin and be labelled",
    async run(t) {
      const name = `${t.namespace}-watched`;
      const query = { fieldSelector: `metadata.name=${name}` };
      const watch = await t.watch(watching("/api/v1/namespaces", query));
      await t.prepare("POST", "/api/v1/namespaces", { metadata: { name } });
      const labels = { metadata: { labels: { color: "red" } } };
      await t.prepare("PATCH", `/api/v1/namespaces/${name}`, labels, { contentType: MERGE_PATCH });
      await watch.take(2);
    },
  },
  {
    name: "a watch of secrets shows stringData as data",
    async run(t) {
      const watch = await t.watch(watching(t.core("secrets")));
      const secret: JsonObject = { metadata: { name: "a" }, stringData: { password: "swordfish" } };
      await t.prepare("POST", t.core("secrets"), secret);
      await watch.next();
    },
  },
];
