// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Answer, Case, JsonObject, Target } from "../../framework/types.ts";
import { marble, names, query, storeMany } from "./kinds.ts";

function listMetadata({ body }: Answer): { continue: string; resourceVersion: string } {
  return body.metadata as { continue: string; resourceVersion: string };
}

function versionOf(object: JsonObject): string {
  return (object.metadata as { resourceVersion: string }).resourceVersion;
}

async function list(t: Target, parameters: Readonly<Record<string, string>>, plural = "configmaps"): Promise<Answer> {
  return t.request("GET", query(t.core(plural), parameters), undefined, { show: names });
}

const FUTURE = "999999999999";

export const paging: readonly Case[] = [
  {
    name: "a list comes in pages, each telling how many are left, and the last one has no more",
    answers: [200, 200, 200],
    async run(t) {
      await storeMany(t, 5);
      const first = await list(t, { limit: "2" });
      const second = await list(t, { limit: "2", continue: listMetadata(first).continue });
      await list(t, { limit: "2", continue: listMetadata(second).continue });
    },
  },
  {
    name: "custom resources come in pages too",
    answers: [200, 200],
    async run(t) {
      for (const name of ["a", "b", "c"]) await t.prepare("POST", t.custom("marbles"), marble(name));
      const first = await t.request("GET", query(t.custom("marbles"), { limit: "2" }), undefined, { show: names });
      const rest = { limit: "2", continue: listMetadata(first).continue };
      await t.request("GET", query(t.custom("marbles"), rest), undefined, { show: names });
    },
  },
  {
    name: "later pages show the state of the first one, whatever was written since",
    answers: [200, 200, 200],
    async run(t) {
      await storeMany(t, 4);
      const first = await list(t, { limit: "2" });
      await t.prepare("DELETE", t.core("configmaps", "item-2"));
      await t.prepare("POST", t.core("configmaps"), configMap("item-9"));
      await list(t, { limit: "2", continue: listMetadata(first).continue });
      await list(t, {});
    },
  },
  {
    name: "a list of an exact version that is forgotten is gone",
    answers: [410],
    async run(t) {
      await t.compact();
      await t.request("GET", query(t.custom("marbles"), { resourceVersion: "2", resourceVersionMatch: "Exact" }));
    },
  },
  {
    name: "with a selector the number of items left is not told",
    answers: [200, 200],
    async run(t) {
      for (const name of ["a", "b", "c"]) {
        await t.prepare("POST", t.core("configmaps"), configMap(name, {}, { labels: { color: "red" } }));
      }
      const first = await list(t, { limit: "2", labelSelector: "color=red" });
      await list(t, { limit: "2", labelSelector: "color=red", continue: listMetadata(first).continue });
    },
  },
  {
    name: "a limit of nothing or of more than there is gives all",
    answers: [200, 200, 200],
    async run(t) {
      await storeMany(t, 2);
      await list(t, { limit: "0" });
      await list(t, { limit: "2" });
      await list(t, { limit: "100" });
    },
  },
  {
    name: "a limit that is not a number is refused, and so is a token that is none",
    answers: [400, 400],
    async run(t) {
      await t.request("GET", query(t.core("configmaps"), { limit: "few" }));
      await t.request("GET", query(t.core("configmaps"), { limit: "1", continue: "???" }));
    },
  },
  {
    name: "a token must not come with a resourceVersion",
    answers: [200, 400],
    async run(t) {
      await storeMany(t, 2);
      const first = await list(t, { limit: "1" });
      const { continue: token, resourceVersion } = listMetadata(first);
      await t.request("GET", query(t.core("configmaps"), { limit: "1", continue: token, resourceVersion }));
    },
  },
  {
    name: "a list of an exact version shows the state of that version",
    answers: [201, 201, 200, 200],
    async run(t) {
      const first = await t.request("POST", t.core("configmaps"), configMap("a"));
      await t.request("POST", t.core("configmaps"), configMap("b"));
      const resourceVersion = versionOf(first.body);
      await list(t, { resourceVersion, resourceVersionMatch: "Exact" });
      await list(t, { resourceVersion, resourceVersionMatch: "Exact", limit: "1" });
    },
  },
  {
    name: "a list not older than a version shows at least that",
    answers: [201, 200, 200],
    async run(t) {
      await storeMany(t, 1);
      const last = await t.request("POST", t.core("configmaps"), configMap("last"));
      const resourceVersion = versionOf(last.body);
      await list(t, { resourceVersion, resourceVersionMatch: "NotOlderThan" });
      await list(t, { resourceVersion });
    },
  },
  {
    name: "a list of any version is a list",
    answers: [200],
    async run(t) {
      const path = query(t.core("configmaps"), { resourceVersion: "0" });
      const last = await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await t.prepare("GET", query(t.core("configmaps"), { resourceVersion: versionOf(last) }));
      await t.request("GET", path, undefined, { show: names });
    },
  },
  {
    name: "resourceVersionMatch is refused where it makes no sense",
    answers: [422, 422, 422, 422],
    async run(t) {
      const refused = (parameters: Readonly<Record<string, string>>) =>
        t.request("GET", query(t.core("configmaps"), parameters));
      await refused({ resourceVersionMatch: "Exact" });
      await refused({ resourceVersion: "0", resourceVersionMatch: "Exact" });
      await refused({ resourceVersion: "7", resourceVersionMatch: "Nearly" });
      await refused({ resourceVersion: "7", resourceVersionMatch: "Exact", watch: "1" });
    },
  },
  {
    name: "sendInitialEvents is for watches alone",
    answers: [422],
    async run(t) {
      await t.request("GET", query(t.core("configmaps"), { sendInitialEvents: "true" }));
    },
  },
  {
    name: "a version that is still to come is waited for in vain",
    answers: [504],
    async run(t) {
      const path = query(t.core("configmaps"), { resourceVersion: FUTURE, resourceVersionMatch: "NotOlderThan" });
      await t.request("GET", path);
    },
  },
  {
    name: "a get not older than a version shows at least that",
    answers: [200, 200],
    async run(t) {
      const { metadata } = await t.prepare("POST", t.core("configmaps"), configMap("a"));
      const { resourceVersion } = metadata as { resourceVersion: string };
      await t.request("GET", query(t.core("configmaps", "a"), { resourceVersion }));
      await t.request("GET", query(t.core("configmaps", "a"), { resourceVersion: "0" }));
    },
  },
];
