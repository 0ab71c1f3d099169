// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";
import { mergePatch, stored, widget } from "./kinds.ts";

/** JSON Merge Patch, RFC 7386. */
export const merge: readonly Case[] = [
  {
    name: "merge patch: maps are merged, null removes, lists are replaced",
    answers: [200],
    async run(t) {
      await stored(t, { size: 1, color: "red", notes: { a: "1", b: "2" }, tags: ["x", "y"] });
      const spec = { size: 2, color: null, notes: { a: null, c: "3" }, tags: ["z"], nested: { a: "new", b: null } };
      await mergePatch(t, t.custom("widgets", "a"), { spec });
    },
  },
  {
    name: "merge patch: an empty patch and one that changes nothing write nothing",
    answers: [200, 200, 200],
    async run(t) {
      await stored(t);
      await t.request("GET", t.custom("widgets", "a"));
      await mergePatch(t, t.custom("widgets", "a"), {});
      await mergePatch(t, t.custom("widgets", "a"), { spec: { size: 1, nested: null } });
    },
  },
  {
    name: "merge patch: a removed field that has a default gets it back",
    answers: [200],
    async run(t) {
      await stored(t, { shape: "square", size: 1 });
      await mergePatch(t, t.custom("widgets", "a"), { spec: { shape: null } });
    },
  },
  {
    name: "merge patch: what is no JSON object is refused",
    answers: [400, 400, 400],
    async run(t) {
      await stored(t);
      await mergePatch(t, t.custom("widgets", "a"), "{");
      await mergePatch(t, t.custom("widgets", "a"), []);
      await mergePatch(t, t.custom("widgets", "a"), '"text"');
    },
  },
  {
    name: "merge patch: what is not there is not found, and is not created",
    answers: [404, 404],
    async run(t) {
      await mergePatch(t, t.custom("widgets", "a"), { spec: { size: 1 } });
      await mergePatch(t, t.core("configmaps", "a"), { data: { color: "red" } });
    },
  },
  {
    name: "merge patch: a version in the patch is a precondition",
    answers: [200, 409],
    async run(t) {
      const { resourceVersion } = (await stored(t)).metadata as JsonObject;
      await mergePatch(t, t.custom("widgets", "a"), { metadata: { resourceVersion }, spec: { size: 2 } });
      await mergePatch(t, t.custom("widgets", "a"), { metadata: { resourceVersion }, spec: { size: 3 } });
    },
  },
  {
    name: "merge patch: name, namespace, uid and kind cannot be changed",
    answers: [400, 400, 422, 422],
    async run(t) {
      await stored(t);
      const path = t.custom("widgets", "a");
      await mergePatch(t, path, { metadata: { name: "b" } });
      await mergePatch(t, path, { metadata: { namespace: "elsewhere" } });
      await mergePatch(t, path, { metadata: { uid: "11111111-2222-3333-4444-555555555555" } });
      await mergePatch(t, path, { kind: "Gadget" });
    },
  },
  {
    name: "merge patch: creationTimestamp and generation stay, whatever the patch says",
    answers: [200],
    async run(t) {
      await stored(t);
      const metadata = { creationTimestamp: "2001-02-03T04:05:06Z", generation: 7, labels: { a: "b" } };
      await mergePatch(t, t.custom("widgets", "a"), { metadata });
    },
  },
  {
    name: "merge patch: the object's own patch leaves status, that of status leaves the rest",
    answers: [200, 200],
    async run(t) {
      await stored(t);
      const both = { spec: { size: 2 }, status: { phase: "Done" } };
      await mergePatch(t, t.custom("widgets", "a"), both);
      await mergePatch(t, t.custom("widgets", "a/status"), { ...both, spec: { size: 3 } });
    },
  },
  {
    name: "merge patch: an unknown field is dropped with a warning, or refused where the request is strict",
    answers: [200, 422, 200],
    async run(t) {
      await stored(t);
      const patch = { spec: { taste: "sweet" } };
      await mergePatch(t, t.custom("widgets", "a"), patch);
      await mergePatch(t, `${t.custom("widgets", "a")}?fieldValidation=Strict`, patch);
      await mergePatch(t, `${t.custom("widgets", "a")}?fieldValidation=Ignore`, patch);
    },
  },
  {
    name: "merge patch: a dry run shows what would be, and stores nothing",
    answers: [200, 200],
    async run(t) {
      await stored(t);
      await mergePatch(t, `${t.custom("widgets", "a")}?dryRun=All`, { spec: { size: 2 } });
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "merge patch: the result must be valid",
    answers: [422, 422, 422],
    async run(t) {
      await stored(t);
      await mergePatch(t, t.custom("widgets", "a"), { spec: { size: 0, tags: "none" } });
      await mergePatch(t, t.custom("widgets", "a"), { metadata: { labels: { "not a key": "x" } } });
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await mergePatch(t, t.core("configmaps", "a"), { data: { "not a key": "x" } });
    },
  },
  {
    name: "merge patch: a value of the wrong type is refused",
    answers: [422, 422],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await mergePatch(t, t.core("configmaps", "a"), { data: { size: 1 } });
      await stored(t);
      await mergePatch(t, t.custom("widgets", "a"), { metadata: { labels: { a: 1 } } });
    },
  },
  {
    name: "a patch of a sort that nobody knows is refused, and so is a strategic one of a custom resource",
    answers: [415, 415, 415, 415],
    async run(t) {
      await stored(t);
      for (const contentType of ["application/json", "text/plain", "application/merge-patch+yaml"]) {
        await t.request("PATCH", t.custom("widgets", "a"), widget("a"), { contentType });
      }
      const contentType = "application/strategic-merge-patch+json";
      await t.request("PATCH", t.custom("widgets", "a"), widget("a"), { contentType });
    },
  },
  {
    name: "a patch cannot be of a whole collection",
    answers: [405],
    async run(t) {
      await mergePatch(t, t.core("configmaps"), { data: { color: "red" } });
    },
  },
];
