// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";
import { widget } from "./kinds.ts";

function metadataOf(object: JsonObject): { uid: string; resourceVersion: string } {
  return object.metadata as { uid: string; resourceVersion: string };
}

export const remove: readonly Case[] = [
  {
    name: "a delete answers with success and the uid, and then the object is gone",
    answers: [200, 404, 404, 200],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await t.prepare("POST", t.custom("widgets"), widget("a"));
      await t.request("DELETE", t.core("configmaps", "a"));
      await t.request("GET", t.core("configmaps", "a"));
      await t.request("DELETE", t.core("configmaps", "a"));
      await t.request("DELETE", t.custom("widgets", "a"));
    },
  },
  {
    name: "a delete of another uid or version is a conflict",
    answers: [409, 409, 200],
    async run(t) {
      const uid = "11111111-2222-3333-4444-555555555555";
      const first = await t.prepare("POST", t.core("configmaps"), configMap("a"));
      const options = (preconditions: JsonObject) => ({ apiVersion: "v1", kind: "DeleteOptions", preconditions });
      await t.request("DELETE", t.core("configmaps", "a"), options({ uid }));
      await t.request("DELETE", t.core("configmaps", "a"), options({ resourceVersion: "17" }));
      const { uid: own, resourceVersion } = metadataOf(first);
      await t.request("DELETE", t.core("configmaps", "a"), options({ uid: own, resourceVersion }));
    },
  },
  {
    name: "an unknown propagation policy is refused, and so are two ways of orphaning at once",
    answers: [422, 422],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await t.request("DELETE", `${t.core("configmaps", "a")}?propagationPolicy=Sideways`);
      const both = { orphanDependents: true, propagationPolicy: "Orphan" };
      await t.request("DELETE", t.core("configmaps", "a"), { apiVersion: "v1", kind: "DeleteOptions", ...both });
    },
  },
  {
    name: "delete options must be JSON",
    answers: [400],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await t.request("DELETE", t.core("configmaps", "a"), "{");
    },
  },
  {
    name: "a delete of a collection removes what the selector names and answers with it",
    answers: [200, 200, 200, 200],
    async run(t) {
      for (const [name, color] of Object.entries({ a: "red", b: "blue", c: "red" })) {
        await t.prepare("POST", t.core("configmaps"), configMap(name, {}, { labels: { color } }));
        await t.prepare("POST", t.custom("widgets"), widget(name, { metadata: { labels: { color } } }));
      }
      await t.request("DELETE", `${t.core("configmaps")}?labelSelector=color%3Dred`);
      await t.request("GET", t.core("configmaps"));
      await t.request("DELETE", t.custom("widgets"));
      await t.request("GET", t.custom("widgets"));
    },
  },
  {
    name: "a dry run of a delete of a collection removes nothing",
    answers: [200, 200],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await t.request("DELETE", `${t.core("configmaps")}?dryRun=All`);
      await t.request("GET", t.core("configmaps"));
    },
  },
];
