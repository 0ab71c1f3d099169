// SPDX-License-Identifier: Apache-2.0
import { APPLY_PATCH, configMap, JSON_PATCH, MERGE_PATCH } from "../../framework/objects.ts";
import type { Case, JsonObject, Target } from "../../framework/types.ts";
import { PLANETS, planet, release, stored, WAIT, widget } from "./kinds.ts";

/** Stores widget "a" with finalizers, without a word, and gives it back. */
async function held(t: Target, ...finalizers: readonly string[]): Promise<JsonObject> {
  return t.prepare("POST", t.custom("widgets"), widget("a", { metadata: { finalizers }, spec: { size: 1 } }));
}

/** The same, on its way out. */
async function deleting(t: Target, ...finalizers: readonly string[]): Promise<JsonObject> {
  await held(t, ...finalizers);
  await t.prepare("DELETE", t.custom("widgets", "a"));
  return t.prepare("GET", t.custom("widgets", "a"));
}

function withMetadata(object: JsonObject, metadata: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), ...metadata } };
}

/** What finalizers do to a deletion. */
export const finalizers: readonly Case[] = [
  {
    name: "a delete of what has a finalizer marks it, and leaves it",
    answers: [200, 200, 200, 200],
    async run(t) {
      await held(t, WAIT);
      await t.request("DELETE", t.custom("widgets", "a"));
      await t.request("GET", t.custom("widgets", "a"));
      await stored(t, "a", { finalizers: [WAIT] });
      await t.request("DELETE", t.core("configmaps", "a"));
      await t.request("GET", t.core("configmaps", "a"));
    },
  },
  {
    name: "an update that takes the last finalizer away ends what is being deleted",
    answers: [200, 404],
    async run(t) {
      const last = await deleting(t, WAIT);
      await t.request("PUT", t.custom("widgets", "a"), withMetadata(last, { finalizers: [] }));
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "any sort of patch that takes the last finalizer away ends what is being deleted",
    answers: [200, 404, 200, 404, 200, 404],
    async run(t) {
      const path = t.custom("widgets", "a");
      await deleting(t, WAIT);
      await release(t, path);
      await t.request("GET", path);
      await deleting(t, WAIT);
      const operations = [{ op: "remove", path: "/metadata/finalizers/0" }];
      await t.request("PATCH", path, operations, { contentType: JSON_PATCH });
      await t.request("GET", path);
      const applied = widget("a", { metadata: { finalizers: [WAIT] } });
      await t.prepare("PATCH", `${path}?fieldManager=x`, applied, { contentType: APPLY_PATCH });
      await t.prepare("DELETE", path);
      await t.request("PATCH", `${path}?fieldManager=x`, widget("a"), { contentType: APPLY_PATCH });
      await t.request("GET", path);
    },
  },
  {
    name: "what is being deleted stays until every finalizer is gone",
    answers: [200, 200, 200, 404],
    async run(t) {
      const last = await deleting(t, "example.com/one", "example.com/two");
      const path = t.custom("widgets", "a");
      const { body } = await t.request("PUT", path, withMetadata(last, { finalizers: ["example.com/two"] }));
      await t.request("GET", path);
      await t.request("PUT", path, withMetadata(body, { finalizers: [] }));
      await t.request("GET", path);
    },
  },
  {
    name: "taking finalizers away from what is not being deleted deletes nothing",
    answers: [200, 200],
    async run(t) {
      await held(t, WAIT);
      await release(t, t.custom("widgets", "a"));
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "what is being deleted gets no new finalizers",
    answers: [422, 422],
    async run(t) {
      const last = await deleting(t, WAIT);
      await t.request("PUT", t.custom("widgets", "a"), withMetadata(last, { finalizers: [WAIT, "example.com/more"] }));
      await stored(t, "a", { finalizers: [WAIT] });
      await t.prepare("DELETE", t.core("configmaps", "a"));
      const more = { metadata: { finalizers: [WAIT, "example.com/more"] } };
      await t.request("PATCH", t.core("configmaps", "a"), more, { contentType: MERGE_PATCH });
    },
  },
  {
    name: "a second delete of what is being deleted changes nothing",
    answers: [200, 200, 200],
    async run(t) {
      await deleting(t, WAIT);
      await t.request("GET", t.custom("widgets", "a"));
      await t.request("DELETE", t.custom("widgets", "a"));
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "a delete cannot be taken back, nor made by an update",
    answers: [200, 422],
    async run(t) {
      const last = await deleting(t, WAIT);
      const alive = { deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined, labels: { a: "b" } };
      await t.request("PUT", t.custom("widgets", "a"), withMetadata(last, alive));
      const first = await t.prepare("POST", t.custom("widgets"), widget("b"));
      const dead = { deletionTimestamp: "2001-02-03T04:05:06Z", labels: { a: "b" } };
      await t.request("PUT", t.custom("widgets", "b"), withMetadata(first, dead));
    },
  },
  {
    name: "what is being deleted can still be changed otherwise",
    answers: [200, 409],
    async run(t) {
      const last = await deleting(t, WAIT);
      await t.request("PUT", t.custom("widgets", "a"), { ...last, spec: { size: 2 } });
      await t.request("POST", t.custom("widgets"), widget("a"));
    },
  },
  {
    name: "a grace period of 0 does not wait less for finalizers",
    answers: [200, 200],
    async run(t) {
      await held(t, WAIT);
      const options = { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 };
      await t.request("DELETE", t.custom("widgets", "a"), options);
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "a delete of a collection marks what has finalizers, and ends the rest",
    answers: [200, 200],
    async run(t) {
      await stored(t, "a", { finalizers: [WAIT] });
      await stored(t, "b");
      await t.request("DELETE", t.core("configmaps"));
      await t.request("GET", t.core("configmaps"));
    },
  },
  {
    name: "a dry run of a delete of what has a finalizer marks nothing",
    answers: [200, 200],
    async run(t) {
      await held(t, WAIT);
      await t.request("DELETE", `${t.custom("widgets", "a")}?dryRun=All`);
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "finalizers have qualified names",
    answers: [422, 422, 201],
    async run(t) {
      const metadata = { finalizers: ["not a name"] };
      await t.request("POST", t.custom("widgets"), widget("a", { metadata }));
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { finalizers: ["unqualified"] }));
      await t.request("POST", t.custom("widgets"), widget("a", { metadata: { finalizers: ["unqualified"] } }));
    },
  },
  {
    name: "finalizers of what belongs to no namespace work alike",
    answers: [200, 200, 404],
    async run(t) {
      const { namespace: name } = t;
      await t.prepare("POST", PLANETS, planet(name, { metadata: { finalizers: [WAIT] } }));
      await t.request("DELETE", `${PLANETS}/${name}`);
      await release(t, `${PLANETS}/${name}`);
      await t.request("GET", `${PLANETS}/${name}`);
    },
  },
];
