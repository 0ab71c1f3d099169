// SPDX-License-Identifier: Apache-2.0
import { MERGE_PATCH } from "../../framework/objects.ts";
import type { Case } from "../../framework/types.ts";
import { stored, watching, widget } from "./kinds.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

/** Watches of something else than whole objects. */
export const formats: readonly Case[] = [
  {
    name: "a watch of tables names the columns in its first event alone",
    async run(t) {
      await t.prepare("POST", t.custom("widgets"), widget("a", { spec: { color: "red" } }));
      const watch = await t.watch(watching(t.custom("widgets")), { accept: TABLE });
      await watch.next();
      const blue = { spec: { color: "blue" } };
      await t.prepare("PATCH", t.custom("widgets", "a"), blue, { contentType: MERGE_PATCH });
      await t.prepare("DELETE", t.custom("widgets", "a"));
      await watch.take(2);
    },
  },
  {
    name: "a watch of tables of a built-in kind has that kind's columns",
    async run(t) {
      await stored(t, "a");
      const watch = await t.watch(watching(t.core("configmaps")), { accept: TABLE });
      await watch.next();
    },
  },
  {
    name: "a watch of tables that include whole objects has them in its rows",
    async run(t) {
      await stored(t, "a");
      const watch = await t.watch(watching(t.core("configmaps"), { includeObject: "Object" }), { accept: TABLE });
      await watch.next();
    },
  },
  {
    name: "a watch of metadata shows nothing else",
    async run(t) {
      await t.prepare("POST", t.custom("widgets"), widget("a", { spec: { color: "red" } }));
      const watch = await t.watch(watching(t.custom("widgets")), { accept: METADATA });
      await watch.next();
      await t.prepare("DELETE", t.custom("widgets", "a"));
      await watch.next();
    },
  },
  {
    name: "the bookmark after initial events has the form of the other events",
    async run(t) {
      const initial = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true };
      const table = await t.watch(watching(t.custom("widgets"), initial), { accept: TABLE, name: "table" });
      await table.next();
      const metadata = await t.watch(watching(t.custom("widgets"), initial), { accept: METADATA, name: "metadata" });
      await metadata.next();
    },
  },
];
