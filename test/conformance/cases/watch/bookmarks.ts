// SPDX-License-Identifier: Apache-2.0
import type { Case } from "../../framework/types.ts";
import { stored, versionOf, watching, widget } from "./kinds.ts";

const INITIAL = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true };

/** Bookmarks, and how a watch ends. */
export const bookmarks: readonly Case[] = [
  {
    name: "initial events end with a bookmark that says so",
    async run(t) {
      await stored(t, "b", "a");
      const watch = await t.watch(watching(t.core("configmaps"), INITIAL));
      await watch.take(3);
      await stored(t, "c");
      await watch.next();
    },
  },
  {
    name: "where there is nothing, the bookmark after the initial events comes all the same",
    async run(t) {
      const watch = await t.watch(watching(t.custom("widgets"), INITIAL));
      await watch.next();
      await t.prepare("POST", t.custom("widgets"), widget("a"));
      await watch.next();
    },
  },
  {
    name: "initial events are at least as new as the version that is asked for",
    async run(t) {
      const [, second = {}] = await stored(t, "a", "b");
      await t.request("GET", t.core("configmaps", "b"));
      const watch = await t.watch(watching(t.core("configmaps"), { ...INITIAL, resourceVersion: versionOf(second) }));
      await watch.take(3);
    },
  },
  {
    name: "initial events of a selector are of that selector, and so is what follows",
    async run(t) {
      await stored(t, "a", "b");
      const watch = await t.watch(watching(t.core("configmaps"), { ...INITIAL, fieldSelector: "metadata.name!=a" }));
      await watch.take(2);
      await t.prepare("DELETE", t.core("configmaps", "a"));
      await t.prepare("DELETE", t.core("configmaps", "b"));
      await watch.next();
    },
  },
  {
    name: "initial events without bookmarks come without the bookmark",
    async run(t) {
      await stored(t, "a");
      const watch = await t.watch(watching(t.core("configmaps"), { ...INITIAL, allowWatchBookmarks: false }));
      await watch.next();
      await stored(t, "b");
      await watch.next();
    },
  },
  {
    name: "initial events can be declined: the watch begins with the next change",
    async run(t) {
      await stored(t, "a");
      const watch = await t.watch(watching(t.core("configmaps"), { ...INITIAL, sendInitialEvents: false }));
      await stored(t, "b");
      await watch.next();
    },
  },
  {
    name: "initial events declined from a version: the watch begins with the change after it",
    async run(t) {
      const [first = {}] = await stored(t, "a", "b");
      const query = { ...INITIAL, sendInitialEvents: false, resourceVersion: versionOf(first) };
      const watch = await t.watch(watching(t.core("configmaps"), query));
      await watch.next();
    },
  },
  {
    name: "before a watch ends by its own timeout it gets a bookmark to resume from",
    async run(t) {
      const [first = {}] = await stored(t, "a");
      const query = { allowWatchBookmarks: true, timeoutSeconds: 4, resourceVersion: versionOf(first) };
      const before = await t.watch(watching(t.custom("widgets"), query), { name: "before" });
      await t.prepare("POST", t.custom("widgets"), widget("a"));
      const bookmark = (await before.until(({ type }) => type === "BOOKMARK")).at(-1)?.object ?? {};
      before.close();
      await t.prepare("POST", t.custom("widgets"), widget("b"));
      const resumed = watching(t.custom("widgets"), { resourceVersion: versionOf(bookmark) });
      const after = await t.watch(resumed, { name: "after" });
      await after.next();
    },
  },
  {
    name: "a watch ends after timeoutSeconds",
    async run(t) {
      await stored(t, "a");
      const watch = await t.watch(watching(t.core("configmaps"), { timeoutSeconds: 1 }));
      await watch.ended();
    },
  },
  {
    name: "a timeout that is not a number is refused",
    answers: [400],
    async run(t) {
      await t.request("GET", watching(t.core("configmaps"), { timeoutSeconds: "soon" }));
    },
  },
  {
    name: "a watch from a version that is forgotten is told so in the stream, and ends",
    async run(t) {
      await t.compact();
      await t.prepare("POST", t.custom("widgets"), widget("a"));
      const watch = await t.watch(watching(t.custom("widgets"), { resourceVersion: 1 }));
      await watch.ended();
    },
  },
];
