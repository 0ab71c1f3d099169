// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";
import {
  dependent,
  isDeleting,
  isGone,
  ownedBy,
  PLANETS,
  planet,
  release,
  remove,
  stored,
  WAIT,
  widget,
} from "./kinds.ts";

const ABSENT = "11111111-2222-3333-4444-555555555555";

function referencesOf(object: JsonObject): readonly JsonObject[] {
  return (object.metadata as { ownerReferences?: JsonObject[] }).ownerReferences ?? [];
}

/** Owners and what they own. */
export const owners: readonly Case[] = [
  {
    name: "background: the owner goes at once, what it owns after it",
    async run(t) {
      const owner = await stored(t, "owner");
      await dependent(t, "a", ownedBy(owner));
      await dependent(t, "b", ownedBy(owner, { blockOwnerDeletion: true, controller: true }));
      await remove(t, t.core("configmaps", "owner"), "Background");
      await t.request("GET", t.core("configmaps", "owner"));
      await t.eventually(t.core("configmaps", "a"), isGone);
      await t.eventually(t.core("configmaps", "b"), isGone);
    },
  },
  {
    name: "a delete that says nothing about what is owned is a background one",
    async run(t) {
      const owner = await t.prepare("POST", t.custom("widgets"), widget("owner"));
      await t.prepare("POST", t.custom("widgets"), widget("a", { metadata: { ownerReferences: [ownedBy(owner)] } }));
      await dependent(t, "a", ownedBy(owner));
      await t.request("DELETE", t.custom("widgets", "owner"));
      await t.eventually(t.custom("widgets", "a"), isGone);
      await t.eventually(t.core("configmaps", "a"), isGone);
    },
  },
  {
    name: "what is owned by what is owned goes too",
    async run(t) {
      const owner = await stored(t, "owner");
      const child = await dependent(t, "child", ownedBy(owner));
      const references = { metadata: { ownerReferences: [ownedBy(child)] } };
      await t.prepare("POST", t.custom("widgets"), widget("grandchild", references));
      await t.request("DELETE", t.core("configmaps", "owner"));
      await t.eventually(t.custom("widgets", "grandchild"), isGone);
      await t.eventually(t.core("configmaps", "child"), isGone);
    },
  },
  {
    name: "foreground: the owner waits with a finalizer until what blocks it is gone",
    async run(t) {
      const owner = await stored(t, "owner");
      await stored(t, "a", { finalizers: [WAIT], ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] });
      await remove(t, t.core("configmaps", "owner"), "Foreground");
      await t.eventually(t.core("configmaps", "a"), isDeleting);
      await t.request("GET", t.core("configmaps", "owner"));
      await release(t, t.core("configmaps", "a"));
      await t.eventually(t.core("configmaps", "owner"), isGone);
    },
  },
  {
    name: "foreground: what does not block its owner is deleted, but not waited for",
    async run(t) {
      const owner = await stored(t, "owner");
      await stored(t, "a", { finalizers: [WAIT], ownerReferences: [ownedBy(owner)] });
      await remove(t, t.core("configmaps", "owner"), "Foreground");
      await t.eventually(t.core("configmaps", "owner"), isGone);
      await t.eventually(t.core("configmaps", "a"), isDeleting);
    },
  },
  {
    name: "foreground: an owner that owns nothing goes soon",
    async run(t) {
      await t.prepare("POST", t.custom("widgets"), widget("a"));
      await remove(t, t.custom("widgets", "a"), "Foreground");
      await t.eventually(t.custom("widgets", "a"), isGone);
    },
  },
  {
    name: "foreground: what is owned by what is owned goes first",
    async run(t) {
      const owner = await stored(t, "owner");
      const child = await dependent(t, "child", ownedBy(owner, { blockOwnerDeletion: true }));
      const references = [ownedBy(child, { blockOwnerDeletion: true })];
      await stored(t, "grandchild", { finalizers: [WAIT], ownerReferences: references });
      await remove(t, t.core("configmaps", "owner"), "Foreground");
      await t.eventually(t.core("configmaps", "grandchild"), isDeleting);
      await t.request("GET", t.core("configmaps", "child"));
      await t.request("GET", t.core("configmaps", "owner"));
      await release(t, t.core("configmaps", "grandchild"));
      await t.eventually(t.core("configmaps", "owner"), isGone);
      await t.request("GET", t.core("configmaps", "child"));
    },
  },
  {
    name: "orphan: the owner waits until what it owned is nobody's, then goes alone",
    async run(t) {
      const owner = await stored(t, "owner");
      await dependent(t, "a", ownedBy(owner));
      await remove(t, t.core("configmaps", "owner"), "Orphan");
      await t.eventually(t.core("configmaps", "owner"), isGone);
      await t.request("GET", t.core("configmaps", "a"));
    },
  },
  {
    name: "orphan: the owner's finalizer says so, other finalizers beside it",
    async run(t) {
      const owner = await stored(t, "owner", { finalizers: [WAIT] });
      await dependent(t, "a", ownedBy(owner));
      await remove(t, t.core("configmaps", "owner"), "Orphan");
      const isAlone = ({ body }: { body: JsonObject }) => referencesOf(body).length === 0;
      await t.eventually(t.core("configmaps", "a"), isAlone);
      const isReleased = ({ body }: { body: JsonObject }) => !JSON.stringify(body).includes('"orphan"');
      await t.eventually(t.core("configmaps", "owner"), isReleased);
    },
  },
  {
    name: "orphanDependents is the old word for orphan",
    async run(t) {
      const owner = await t.prepare("POST", t.custom("widgets"), widget("owner"));
      await dependent(t, "a", ownedBy(owner));
      const options = { apiVersion: "v1", kind: "DeleteOptions", orphanDependents: true };
      await t.request("DELETE", t.custom("widgets", "owner"), options);
      await t.eventually(t.custom("widgets", "owner"), isGone);
      await t.request("GET", t.core("configmaps", "a"));
    },
  },
  {
    name: "the policy can be told in the query",
    async run(t) {
      const owner = await stored(t, "owner");
      await dependent(t, "a", ownedBy(owner));
      await t.request("DELETE", `${t.core("configmaps", "owner")}?propagationPolicy=Orphan`);
      await t.eventually(t.core("configmaps", "owner"), isGone);
      await t.request("GET", t.core("configmaps", "a"));
    },
  },
  {
    name: "a delete of a collection has a policy too",
    async run(t) {
      const owner = await t.prepare("POST", t.custom("widgets"), widget("owner"));
      await dependent(t, "a", ownedBy(owner));
      await t.request("DELETE", `${t.custom("widgets")}?propagationPolicy=Orphan`);
      await t.eventually(t.custom("widgets", "owner"), isGone);
      await t.request("GET", t.core("configmaps", "a"));
    },
  },
  {
    name: "what has another owner left stays, and forgets the one that is gone",
    async run(t) {
      const [one, two] = [await stored(t, "one"), await stored(t, "two")];
      await dependent(t, "a", ownedBy(one), ownedBy(two));
      await t.request("DELETE", t.core("configmaps", "one"));
      await t.eventually(t.core("configmaps", "a"), ({ body }) => referencesOf(body).length === 1);
      await t.request("DELETE", t.core("configmaps", "two"));
      await t.eventually(t.core("configmaps", "a"), isGone);
    },
  },
  {
    name: "what is owned by what was never there is collected",
    async run(t) {
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: "absent", uid: ABSENT };
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { ownerReferences: [reference] }));
      await t.eventually(t.core("configmaps", "a"), isGone);
    },
  },
  {
    name: "an owner is known by its uid: one of the same name is another",
    async run(t) {
      const owner = await stored(t, "owner");
      await dependent(t, "a", { ...ownedBy(owner), uid: ABSENT });
      await t.eventually(t.core("configmaps", "a"), isGone);
      await t.request("GET", t.core("configmaps", "owner"));
    },
  },
  {
    name: "an owner in another namespace is no owner",
    async run(t) {
      const other = `${t.namespace}-other`;
      await t.prepare("POST", "/api/v1/namespaces", { metadata: { name: other } });
      const owner = await t.prepare("POST", `/api/v1/namespaces/${other}/configmaps`, configMap("owner"));
      await dependent(t, "a", ownedBy(owner));
      await t.eventually(t.core("configmaps", "a"), isGone);
    },
  },
  {
    name: "an owner may belong to no namespace",
    async run(t) {
      const owner = await t.prepare("POST", PLANETS, planet(t.namespace));
      await dependent(t, "a", ownedBy(owner));
      await t.request("DELETE", `${PLANETS}/${t.namespace}`);
      await t.eventually(t.core("configmaps", "a"), isGone);
    },
  },
  {
    name: "what belongs to no namespace cannot be owned by what belongs to one: it is told so, and stays",
    async run(t) {
      const owner = await stored(t, "owner");
      const references = { metadata: { ownerReferences: [ownedBy(owner)] } };
      const { body } = await t.request("POST", PLANETS, planet(t.namespace, references));
      const { uid } = body.metadata as { uid: string };
      const events = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.uid%3D${uid}`;
      const show = ({ items }: JsonObject) =>
        (items as JsonObject[]).slice(0, 1).map(({ reason, type, message }) => ({ reason, type, message }));
      await t.eventually(events, ({ body: list }) => (list.items as unknown[]).length > 0, { show });
      await t.request("DELETE", t.core("configmaps", "owner"));
      await t.request("GET", `${PLANETS}/${t.namespace}`);
    },
  },
  {
    name: "an owner reference needs version, kind, name and uid, and one of them at most is the controller's",
    answers: [422, 422],
    async run(t) {
      const empty = { apiVersion: "", kind: "", name: "", uid: "" };
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { ownerReferences: [empty] }));
      const owner = { apiVersion: "v1", kind: "ConfigMap", controller: true };
      const ownerReferences = [
        { ...owner, name: "one", uid: ABSENT },
        { ...owner, name: "two", uid: ABSENT.replaceAll("1", "2") },
      ];
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { ownerReferences }));
    },
  },
];
