// SPDX-License-Identifier: Apache-2.0
import type { Case } from "../../framework/types.ts";
import { now, stored, versionOf, watching, widget } from "./kinds.ts";

/** Where a watch begins. */
export const start: readonly Case[] = [
  {
    name: "a watch from a version sends everything that was written after it, in order",
    async run(t) {
      const resourceVersion = await now(t);
      const [first] = await stored(t, "a");
      await t.prepare("PUT", t.core("configmaps", "a"), { ...first, data: { color: "red" } });
      await stored(t, "b");
      await t.prepare("DELETE", t.core("configmaps", "a"));
      const watch = await t.watch(watching(t.core("configmaps"), { resourceVersion }));
      await watch.take(4);
      await stored(t, "c");
      await watch.next();
    },
  },
  {
    name: "a watch from an object's version sends nothing of that version itself",
    async run(t) {
      const [first = {}] = await stored(t, "a");
      const watch = await t.watch(watching(t.core("configmaps"), { resourceVersion: versionOf(first) }));
      await stored(t, "b");
      await watch.next();
    },
  },
  {
    name: "a watch from a list's version goes on exactly where the list ends",
    async run(t) {
      await stored(t, "a");
      const { body } = await t.request("GET", t.core("configmaps"));
      await stored(t, "b");
      const watch = await t.watch(watching(t.core("configmaps"), { resourceVersion: versionOf(body) }));
      await watch.next();
    },
  },
  {
    name: "a watch without a version begins with everything that is there, as added",
    async run(t) {
      const [, first] = await stored(t, "c", "a", "b");
      await t.prepare("PUT", t.core("configmaps", "a"), { ...first, data: { color: "red" } });
      await t.prepare("DELETE", t.core("configmaps", "b"));
      const watch = await t.watch(watching(t.core("configmaps")));
      await watch.take(2);
      await stored(t, "d");
      await watch.next();
    },
  },
  {
    name: "a watch from version 0 begins with everything that is there, as added",
    async run(t) {
      await t.prepare("POST", t.custom("widgets"), widget("b", { spec: { size: 1 } }));
      await t.prepare("POST", t.custom("widgets"), widget("a", { spec: { size: 2 } }));
      // The server may show an older state to such a watch, but not after it has shown a newer one.
      await t.prepare("GET", t.custom("widgets"));
      const watch = await t.watch(watching(t.custom("widgets"), { resourceVersion: 0 }));
      await watch.take(2);
      await t.prepare("DELETE", t.custom("widgets", "b"));
      await watch.next();
    },
  },
  {
    name: "a watch of an empty collection begins with the first object",
    async run(t) {
      const watch = await t.watch(watching(t.custom("widgets")));
      await t.prepare("POST", t.custom("widgets"), widget("a"));
      await watch.next();
    },
  },
  {
    name: "resourceVersionMatch is refused unless initial events are asked for or declined",
    answers: [422, 422],
    async run(t) {
      const query = { resourceVersion: 0, resourceVersionMatch: "NotOlderThan" };
      await t.request("GET", watching(t.core("configmaps"), query));
      await t.request("GET", watching(t.custom("widgets"), query));
    },
  },
  {
    name: "initial events are refused without resourceVersionMatch, or with any other than NotOlderThan",
    answers: [422, 422, 422],
    async run(t) {
      const path = t.custom("widgets");
      await t.request("GET", watching(path, { sendInitialEvents: true }));
      await t.request("GET", watching(path, { sendInitialEvents: true, resourceVersionMatch: "Exact" }));
      await t.request("GET", watching(path, { sendInitialEvents: false, resourceVersionMatch: "Sideways" }));
    },
  },
  {
    name: "initial events are for a watch, not for a list",
    answers: [422],
    async run(t) {
      await t.request("GET", `${t.core("configmaps")}?sendInitialEvents=true`);
    },
  },
  {
    name: "a watch does not continue a list",
    answers: [422],
    async run(t) {
      await t.request("GET", watching(t.core("configmaps"), { continue: "abc" }));
    },
  },
  {
    name: "a get of one object stays a get, whatever it says about watching",
    answers: [200],
    async run(t) {
      await stored(t, "a", "b");
      await t.request("GET", watching(t.core("configmaps", "a")));
    },
  },
  {
    name: "a watch of what is not served is not found, and of what nobody may watch forbidden",
    answers: [404, 404, 403],
    async run(t) {
      await t.request("GET", watching(t.core("gizmos")));
      await t.request("GET", watching(t.custom("gizmos")));
      await t.as({ user: "eve" }).request("GET", watching(t.core("configmaps")));
    },
  },
];
