// SPDX-License-Identifier: Apache-2.0
import { configMap, MERGE_PATCH } from "../../framework/objects.ts";
import type { Case, Target } from "../../framework/types.ts";
import { stored, watching, widget } from "./kinds.ts";

/** Changes an object without a word. */
async function patch(t: Target, path: string, changes: unknown): Promise<void> {
  await t.prepare("PATCH", path, changes, { contentType: MERGE_PATCH });
}

/** What a selector does to a watch. */
export const selectors: readonly Case[] = [
  {
    name: "an object that starts to have the labels is added, one that stops is deleted",
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a", {}, { labels: { color: "blue" } }));
      const watch = await t.watch(watching(t.core("configmaps"), { labelSelector: "color=red" }));
      await patch(t, t.core("configmaps", "a"), { metadata: { labels: { color: "red" } } });
      await patch(t, t.core("configmaps", "a"), { data: { size: "1" } });
      await patch(t, t.core("configmaps", "a"), { data: { size: "2" }, metadata: { labels: { color: "blue" } } });
      await patch(t, t.core("configmaps", "a"), { data: { size: "3" } });
      await patch(t, t.core("configmaps", "a"), { metadata: { labels: { color: "red" } } });
      await t.prepare("DELETE", t.core("configmaps", "a"));
      await watch.take(5);
    },
  },
  {
    name: "what never had the labels is never seen, its deletion neither",
    async run(t) {
      const watch = await t.watch(watching(t.custom("widgets"), { labelSelector: "color in (red, blue),!hidden" }));
      await t.prepare("POST", t.custom("widgets"), widget("a", { metadata: { labels: { color: "green" } } }));
      await t.prepare("DELETE", t.custom("widgets", "a"));
      const hidden = { color: "red", hidden: "yes" };
      await t.prepare("POST", t.custom("widgets"), widget("b", { metadata: { labels: hidden } }));
      await t.prepare("POST", t.custom("widgets"), widget("c", { metadata: { labels: { color: "blue" } } }));
      await watch.next();
    },
  },
  {
    name: "the initial events of a watch are those that the selector names",
    async run(t) {
      for (const [name, color] of Object.entries({ a: "red", b: "blue", c: "red" })) {
        await t.prepare("POST", t.custom("widgets"), widget(name, { metadata: { labels: { color } } }));
      }
      const watch = await t.watch(watching(t.custom("widgets"), { labelSelector: "color=red" }));
      await watch.take(2);
      await t.prepare("DELETE", t.custom("widgets", "b"));
      await t.prepare("DELETE", t.custom("widgets", "c"));
      await watch.next();
    },
  },
  {
    name: "a watch of one name sees that object alone",
    async run(t) {
      await stored(t, "a", "b");
      const watch = await t.watch(watching(t.core("configmaps"), { fieldSelector: "metadata.name=b" }));
      await t.prepare("PUT", t.core("configmaps", "a"), configMap("a", { color: "red" }));
      await t.prepare("PUT", t.core("configmaps", "b"), configMap("b", { color: "red" }));
      await t.prepare("DELETE", t.core("configmaps", "a"));
      await t.prepare("DELETE", t.core("configmaps", "b"));
      await watch.take(3);
    },
  },
  {
    name: "an object that starts to have a selectable field's value is added, one that stops is deleted",
    async run(t) {
      await t.prepare("POST", t.custom("widgets"), widget("a", { spec: { color: "blue" } }));
      const watch = await t.watch(watching(t.custom("widgets"), { fieldSelector: "spec.color=red" }));
      await patch(t, t.custom("widgets", "a"), { spec: { color: "red" } });
      await patch(t, t.custom("widgets", "a"), { spec: { size: 1 } });
      await patch(t, t.custom("widgets", "a"), { spec: { color: "blue" } });
      await watch.take(3);
    },
  },
  {
    name: "a watch of secrets of one type sees no others",
    async run(t) {
      const watch = await t.watch(watching(t.core("secrets"), { fieldSelector: "type=example.com/token" }));
      await t.prepare("POST", t.core("secrets"), { metadata: { name: "a" } });
      await t.prepare("POST", t.core("secrets"), { metadata: { name: "b" }, type: "example.com/token" });
      await watch.next();
    },
  },
  {
    name: "a selector that cannot be read is refused",
    answers: [400, 400, 400],
    async run(t) {
      await t.request("GET", watching(t.core("configmaps"), { labelSelector: "color in red" }));
      await t.request("GET", watching(t.core("configmaps"), { fieldSelector: "data.color=red" }));
      await t.request("GET", watching(t.custom("widgets"), { fieldSelector: "spec.size=1" }));
    },
  },
];
