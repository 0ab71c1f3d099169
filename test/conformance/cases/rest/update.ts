// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case, JsonObject, Target } from "../../framework/types.ts";
import { fleet, plain, widget } from "./kinds.ts";

/** Stores a widget without a word and gives it back as stored. */
async function stored(t: Target, fields: JsonObject = { spec: { size: 1 } }): Promise<JsonObject> {
  return t.prepare("POST", t.custom("widgets"), widget("a", fields));
}

function withMetadata(object: JsonObject, metadata: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), ...metadata } };
}

export const update: readonly Case[] = [
  {
    name: "an update without resourceVersion of a custom resource is refused",
    answers: [422],
    async run(t) {
      await stored(t);
      await t.request("PUT", t.custom("widgets", "a"), widget("a", { spec: { size: 2 } }));
    },
  },
  {
    name: "an update without resourceVersion of a ConfigMap overwrites whatever is there",
    answers: [200],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a", { color: "red" }));
      await t.request("PUT", t.core("configmaps", "a"), configMap("a", { size: "1" }));
    },
  },
  {
    name: "an update of an older version is a conflict",
    answers: [200, 409, 409],
    async run(t) {
      const first = await stored(t);
      await t.request("PUT", t.custom("widgets", "a"), { ...first, spec: { size: 2 } });
      await t.request("PUT", t.custom("widgets", "a"), { ...first, spec: { size: 3 } });
      const old = await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await t.prepare("PUT", t.core("configmaps", "a"), configMap("a", { color: "red" }));
      await t.request("PUT", t.core("configmaps", "a"), old);
    },
  },
  {
    name: "an update of what is not there is not found",
    answers: [404, 404],
    async run(t) {
      await t.request("PUT", t.core("configmaps", "a"), configMap("a"));
      await t.request("PUT", t.custom("widgets", "a"), widget("a", { metadata: { resourceVersion: "17" } }));
    },
  },
  {
    name: "a resourceVersion that is not a number is refused",
    answers: [],
    async run(t) {
      const first = withMetadata(await stored(t), { resourceVersion: "abc" });
      await t.request("PUT", t.custom("widgets", "a"), first, { wordsAlone: true });
      const path = `${t.custom("widgets", "a")}?resourceVersion=abc`;
      await t.request("GET", path, undefined, { wordsAlone: true });
    },
  },
  {
    name: "an update must have the name of its path",
    answers: [400, 400, 400],
    async run(t) {
      const first = await stored(t);
      await t.request("PUT", t.custom("widgets", "a"), withMetadata(first, { name: "b" }));
      await t.request("PUT", t.custom("widgets", "a"), withMetadata(first, { name: "" }));
      await t.request("PUT", t.custom("widgets", "a"), withMetadata(first, { namespace: "elsewhere" }));
    },
  },
  {
    name: "an update of another object's uid is a conflict",
    answers: [409],
    async run(t) {
      const uid = "11111111-2222-3333-4444-555555555555";
      await t.request("PUT", t.custom("widgets", "a"), withMetadata(await stored(t), { uid }));
    },
  },
  {
    name: "an update that changes nothing writes nothing: the resourceVersion stays",
    answers: [200, 200, 200],
    async run(t) {
      const first = await stored(t);
      await t.request("GET", t.custom("widgets", "a"));
      await t.request("PUT", t.custom("widgets", "a"), first);
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "an update changes neither creationTimestamp nor generation, and setting deletionTimestamp is refused",
    answers: [200, 422],
    async run(t) {
      const past = "2001-02-03T04:05:06Z";
      const next = { ...(await stored(t)), spec: { size: 2 } };
      const path = t.custom("widgets", "a");
      const { body } = await t.request("PUT", path, withMetadata(next, { creationTimestamp: past, generation: 9 }));
      await t.request("PUT", path, withMetadata(body, { deletionTimestamp: past }));
    },
  },
  {
    name: "a change of spec is a new generation, a change of labels is not",
    answers: [200, 200],
    async run(t) {
      const first = await stored(t);
      const { body } = await t.request("PUT", t.custom("widgets", "a"), withMetadata(first, { labels: { a: "b" } }));
      await t.request("PUT", t.custom("widgets", "a"), { ...body, spec: { size: 2 } });
    },
  },
  {
    name: "without a status subresource a change of status is a new generation",
    answers: [200],
    async run(t) {
      const first = await t.prepare("POST", t.custom("plains"), plain("a", { spec: { size: 1 } }));
      await t.request("PUT", t.custom("plains", "a"), { ...first, status: { phase: "Done" } });
    },
  },
  {
    name: "an update ignores status, and an update of status ignores everything else",
    answers: [200, 200],
    async run(t) {
      const first = await stored(t);
      const both = { spec: { size: 2 }, status: { phase: "Done" } };
      const { body } = await t.request("PUT", t.custom("widgets", "a"), { ...first, ...both });
      const labelled = withMetadata(body, { labels: { a: "b" } });
      await t.request("PUT", t.custom("widgets", "a/status"), {
        ...labelled,
        spec: { size: 3 },
        status: { phase: "Done" },
      });
    },
  },
  {
    name: "a status is read and written at its own path, and is no new generation",
    answers: [200, 200, 422],
    async run(t) {
      const first = await stored(t);
      const path = t.custom("widgets", "a/status");
      const { body } = await t.request("PUT", path, { ...first, status: { phase: "Done" } });
      await t.request("GET", path);
      await t.request("PUT", path, { ...body, status: { phase: 7 } });
    },
  },
  {
    name: "a dry run of an update or a delete changes nothing",
    answers: [200, 200, 200],
    async run(t) {
      const first = await stored(t);
      await t.request("PUT", `${t.custom("widgets", "a")}?dryRun=All`, { ...first, spec: { size: 2 } });
      await t.request("DELETE", `${t.custom("widgets", "a")}?dryRun=All`);
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "scale shows the replicas of a custom resource, and the selector of its status",
    answers: [200, 200],
    async run(t) {
      const first = await t.prepare("POST", t.custom("fleets"), fleet("a", { spec: { replicas: 3 } }));
      await t.request("GET", t.custom("fleets", "a/scale"));
      const status = { replicas: 2, selector: "app=a" };
      await t.prepare("PUT", t.custom("fleets", "a/status"), { ...first, status });
      await t.request("GET", t.custom("fleets", "a/scale"));
    },
  },
  {
    name: "writing scale changes the replicas of a custom resource and nothing else",
    answers: [200, 200, 422, 409],
    async run(t) {
      await t.prepare("POST", t.custom("fleets"), fleet("a", { spec: { replicas: 3, note: "stays" } }));
      const scale = await t.prepare("GET", t.custom("fleets", "a/scale"));
      await t.request("PUT", t.custom("fleets", "a/scale"), { ...scale, spec: { replicas: 5 } });
      await t.request("GET", t.custom("fleets", "a"));
      await t.request("PUT", t.custom("fleets", "a/scale"), {
        ...withMetadata(scale, { resourceVersion: undefined }),
        spec: { replicas: -1 },
      });
      await t.request("PUT", t.custom("fleets", "a/scale"), { ...scale, spec: { replicas: 6 } });
    },
  },
];
