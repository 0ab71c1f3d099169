// SPDX-License-Identifier: Apache-2.0
import { configMap, STRATEGIC_PATCH } from "../../framework/objects.ts";
import type { Case, JsonObject, Target } from "../../framework/types.ts";
import { strategicPatch } from "./kinds.ts";

const PULL = "imagePullSecrets";

/** Stores a ServiceAccount "a" without a word: its lists of secrets are merged by name. */
async function account(t: Target, fields: JsonObject): Promise<void> {
  await t.prepare("POST", t.core("serviceaccounts"), { metadata: { name: "a" }, ...fields });
}

function named(...names: readonly string[]): JsonObject[] {
  return names.map((name) => ({ name }));
}

function owner(digit: number): JsonObject {
  const uid = `${digit}1111111-2222-3333-4444-555555555555`;
  return { apiVersion: "v1", kind: "ConfigMap", name: `owner-${digit}`, uid };
}

/** Strategic merge patch, for kinds that every server has. */
export const strategic: readonly Case[] = [
  {
    name: "strategic patch: maps are merged, null removes",
    answers: [200],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a", { color: "red", size: "1" }));
      const patch = { data: { color: null, shape: "round" }, metadata: { labels: { a: "b" } } };
      await strategicPatch(t, t.core("configmaps", "a"), patch);
    },
  },
  {
    name: "strategic patch: items of a list with a merge key are merged by it",
    answers: [200, 200],
    async run(t) {
      await account(t, { secrets: named("a", "b"), imagePullSecrets: named("x") });
      const secrets = [{ name: "b", namespace: "elsewhere" }, { name: "c" }];
      await strategicPatch(t, t.core("serviceaccounts", "a"), { secrets, [PULL]: named("y") });
      await strategicPatch(t, t.core("serviceaccounts", "a"), { secrets: named("a") });
    },
  },
  {
    name: "strategic patch: $patch delete removes one item",
    answers: [200],
    async run(t) {
      await account(t, { secrets: named("a", "b", "c") });
      const secrets = [{ $patch: "delete", name: "b" }];
      await strategicPatch(t, t.core("serviceaccounts", "a"), { secrets });
    },
  },
  {
    name: "strategic patch: $patch replace puts the list or map in place of the old one",
    answers: [200, 200],
    async run(t) {
      await account(t, { secrets: named("a", "b") });
      const secrets = [{ $patch: "replace" }, { name: "c" }];
      await strategicPatch(t, t.core("serviceaccounts", "a"), { secrets });
      await t.prepare("POST", t.core("configmaps"), configMap("a", { color: "red", size: "1" }));
      await strategicPatch(t, t.core("configmaps", "a"), { data: { $patch: "replace", shape: "round" } });
    },
  },
  {
    name: "strategic patch: $patch delete removes a whole map",
    answers: [200],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a", { color: "red" }, { labels: { a: "b" } }));
      await strategicPatch(t, t.core("configmaps", "a"), { data: { $patch: "delete" } });
    },
  },
  {
    name: "strategic patch: $setElementOrder puts the items in order",
    answers: [200],
    async run(t) {
      await account(t, { secrets: named("a", "b", "c") });
      const patch = { "$setElementOrder/secrets": named("c", "d", "a", "b"), secrets: named("d") };
      await strategicPatch(t, t.core("serviceaccounts", "a"), patch);
    },
  },
  {
    name: "strategic patch: finalizers are merged, $deleteFromPrimitiveList takes some away",
    answers: [200, 200],
    async run(t) {
      const finalizers = ["example.com/a", "example.com/b"];
      await t.prepare("POST", t.core("configmaps"), configMap("a", {}, { finalizers }));
      const path = t.core("configmaps", "a");
      await strategicPatch(t, path, { metadata: { finalizers: ["example.com/c"] } });
      await strategicPatch(t, path, { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } });
    },
  },
  {
    name: "strategic patch: owner references are merged by uid",
    answers: [200, 200],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a", {}, { ownerReferences: [owner(1)] }));
      const path = t.core("configmaps", "a");
      await strategicPatch(t, path, { metadata: { ownerReferences: [owner(2)] } });
      const gone = { $patch: "delete", uid: owner(1).uid };
      await strategicPatch(t, path, { metadata: { ownerReferences: [gone] } });
    },
  },
  {
    name: "strategic patch: lists without a merge key are replaced",
    answers: [200],
    async run(t) {
      const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
      const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${t.namespace}/roles`;
      await t.prepare("POST", roles, { metadata: { name: "a" }, rules: [rule("secrets"), rule("pods")] });
      await strategicPatch(t, `${roles}/a`, { rules: [rule("configmaps")] });
    },
  },
  {
    name: "strategic patch: a directive that nobody knows is refused",
    async run(t) {
      await account(t, { secrets: named("a") });
      const path = t.core("serviceaccounts", "a");
      const contentType = STRATEGIC_PATCH;
      const secrets = [{ $patch: "explode", name: "a" }];
      await t.request("PATCH", path, { secrets }, { contentType, wordsAlone: true });
      await t.request("PATCH", path, { $patch: "explode" }, { contentType, wordsAlone: true });
    },
  },
  {
    name: "strategic patch: an item without its merge key is refused",
    async run(t) {
      await account(t, { secrets: named("a") });
      const patch = { secrets: [{ namespace: "elsewhere" }] };
      const options = { contentType: STRATEGIC_PATCH, wordsAlone: true };
      await t.request("PATCH", t.core("serviceaccounts", "a"), patch, options);
    },
  },
  {
    name: "strategic patch: a value of the wrong type is refused",
    answers: [422, 422],
    async run(t) {
      await account(t, { secrets: named("a") });
      await strategicPatch(t, t.core("serviceaccounts", "a"), { secrets: "none" });
      await strategicPatch(t, t.core("serviceaccounts", "a"), { automountServiceAccountToken: "perhaps" });
    },
  },
  {
    name: "strategic patch: what is no JSON object is refused",
    answers: [400, 400],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await strategicPatch(t, t.core("configmaps", "a"), "{");
      await strategicPatch(t, t.core("configmaps", "a"), []);
    },
  },
  {
    name: "strategic patch: an unknown field is dropped with a warning, or refused where the request is strict",
    answers: [200, 422],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await strategicPatch(t, t.core("configmaps", "a"), { taste: "sweet" });
      await strategicPatch(t, `${t.core("configmaps", "a")}?fieldValidation=Strict`, { taste: "sweet" });
    },
  },
  {
    name: "strategic patch: a version in the patch is a precondition",
    answers: [409],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      const patch = { metadata: { resourceVersion: "17" }, data: { color: "red" } };
      await strategicPatch(t, t.core("configmaps", "a"), patch);
    },
  },
];
