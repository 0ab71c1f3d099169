// SPDX-License-Identifier: Apache-2.0
import { configMap, MERGE_PATCH } from "../../framework/objects.ts";
import type { Case } from "../../framework/types.ts";
import { apply, applyAt, widget } from "./kinds.ts";

/** Several managers and the same fields. */
export const conflicts: readonly Case[] = [
  {
    name: "an apply of another's field with another value is a conflict, and changes nothing",
    answers: [201, 409, 200],
    async run(t) {
      await apply(t, "painter", { size: 1, color: "red" });
      await apply(t, "builder", { size: 2, color: "red" });
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "a conflict names every field, by manager",
    answers: [201, 200, 409],
    async run(t) {
      await apply(t, "painter", { color: "red", nested: { a: "x", deep: { b: "y" } }, notes: { "a.b/c": "d" } });
      await apply(t, "builder", { size: 1, tags: ["a"], ports: [{ port: 1, name: "one" }] });
      await apply(t, "critic", {
        size: 2,
        color: "blue",
        nested: { a: "z", deep: { b: "z" } },
        notes: { "a.b/c": "z" },
        ports: [{ port: 1, name: "z" }],
      });
    },
  },
  {
    name: "a conflict with an update names the version it was written in",
    answers: [201, 409],
    async run(t) {
      await t.request("POST", `${t.core("configmaps")}?fieldManager=kubectl-create`, configMap("a", { color: "red" }));
      await applyAt(t, t.core("configmaps", "a"), "painter")(configMap("a", { color: "blue" }));
    },
  },
  {
    name: "a conflict with an update of status names the subresource",
    answers: [200, 409],
    async run(t) {
      const first = await t.prepare("POST", t.custom("widgets"), widget("a", { spec: { size: 1 } }));
      await t.request("PUT", `${t.custom("widgets", "a/status")}?fieldManager=controller`, {
        ...first,
        status: { phase: "Done" },
      });
      const status = widget("a", { status: { phase: "Lost" } });
      await applyAt(t, t.custom("widgets", "a/status"), "critic")(status);
    },
  },
  {
    name: "force takes fields over: who had them has them no more",
    answers: [201, 200],
    async run(t) {
      await apply(t, "painter", { size: 1, color: "red" });
      await apply(t, "builder", { size: 2 }, { force: true });
    },
  },
  {
    name: "a manager that loses its last field is forgotten",
    answers: [201, 200],
    async run(t) {
      await apply(t, "painter", { size: 1 });
      await apply(t, "builder", { size: 2 }, { force: true });
    },
  },
  {
    name: "an apply of another's field with the same value shares it",
    answers: [201, 200, 409],
    async run(t) {
      await apply(t, "painter", { size: 1 });
      await apply(t, "builder", { size: 1 });
      await apply(t, "builder", { size: 2 });
    },
  },
  {
    name: "a shared field stays when one of its managers gives it up, and goes with the last",
    answers: [201, 200, 200, 200],
    async run(t) {
      await apply(t, "painter", { size: 1 });
      await apply(t, "builder", { size: 1, color: "red" });
      await apply(t, "painter", {});
      await apply(t, "builder", { color: "red" });
    },
  },
  {
    name: "a field that its only manager applies no more is removed",
    answers: [201, 200],
    async run(t) {
      await apply(t, "painter", { size: 1, color: "red", nested: { a: "x", deep: { b: "y", c: "z" } } });
      await apply(t, "painter", { size: 1, nested: { deep: { b: "y" } } });
    },
  },
  {
    name: "a removed field that has a default gets it back",
    answers: [201, 200],
    async run(t) {
      await apply(t, "painter", { shape: "square", size: 1 });
      await apply(t, "painter", { size: 1 });
    },
  },
  {
    name: "a default is nobody's field: whoever applies another value gets it",
    answers: [201, 200],
    async run(t) {
      await apply(t, "painter", { size: 1 });
      await apply(t, "builder", { shape: "square" });
    },
  },
  {
    name: "a field that was changed by an update since is removed no more",
    answers: [201, 200, 200],
    async run(t) {
      await apply(t, "painter", { size: 1, color: "red" });
      const changes = { spec: { color: "blue" } };
      await t.request("PATCH", `${t.custom("widgets", "a")}?fieldManager=hand`, changes, { contentType: MERGE_PATCH });
      await apply(t, "painter", { size: 1 });
    },
  },
  {
    name: "an apply to an object that nobody's fields are known of leaves the rest to before-first-apply",
    answers: [200, 200, 409],
    async run(t) {
      const first = await t.prepare("POST", t.custom("widgets"), widget("a", { spec: { size: 1, color: "red" } }));
      const metadata = { ...(first.metadata as object), managedFields: [{}] };
      await t.request("PUT", t.custom("widgets", "a"), { ...first, metadata });
      await apply(t, "painter", { size: 1 });
      await apply(t, "painter", { size: 2 });
    },
  },
];
