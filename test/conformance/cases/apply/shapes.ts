// SPDX-License-Identifier: Apache-2.0
import type { Case } from "../../framework/types.ts";
import { apply, applyAt, widget } from "./kinds.ts";

/** How fields of every sort are merged. */
export const shapes: readonly Case[] = [
  {
    name: "items of a keyed list are merged by their keys, each manager's beside the other's",
    answers: [201, 200, 200],
    async run(t) {
      await apply(t, "painter", { ports: [{ port: 2, name: "two" }, { port: 1 }] });
      await apply(t, "builder", { ports: [{ port: 3 }, { port: 2, note: "mine" }] });
      await apply(t, "painter", { ports: [{ port: 1 }] });
    },
  },
  {
    name: "an item that nobody applies any more is removed from a keyed list",
    answers: [201, 200, 200],
    async run(t) {
      await apply(t, "painter", { ports: [{ port: 1 }, { port: 2 }, { port: 2, protocol: "UDP" }] });
      await apply(t, "painter", { ports: [{ port: 2, protocol: "UDP" }] });
      await apply(t, "painter", {});
    },
  },
  {
    name: "a key that has a default need not be told",
    answers: [201, 200],
    async run(t) {
      await apply(t, "painter", { ports: [{ port: 1, name: "one" }] });
      await apply(t, "builder", { ports: [{ port: 1, protocol: "TCP", note: "same item" }] });
    },
  },
  {
    name: "the order of a keyed list follows what is applied",
    answers: [201, 200, 200],
    async run(t) {
      await apply(t, "painter", { ports: [{ port: 1 }, { port: 2 }, { port: 3 }] });
      await apply(t, "painter", { ports: [{ port: 3 }, { port: 2 }, { port: 1 }] });
      await apply(t, "builder", { ports: [{ port: 4 }, { port: 1 }, { port: 5 }] });
    },
  },
  {
    name: "a set is the union of what its managers apply",
    answers: [201, 200, 200],
    async run(t) {
      await apply(t, "painter", { tags: ["b", "a"] });
      await apply(t, "builder", { tags: ["c", "a"] });
      await apply(t, "painter", { tags: ["d"] });
    },
  },
  {
    name: "any other list is one value: applied whole, in conflict whole",
    answers: [201, 200, 409, 200],
    async run(t) {
      await apply(t, "painter", { steps: [{ run: "a" }, { run: "b" }] });
      await apply(t, "painter", { steps: [{ run: "c" }] });
      await apply(t, "builder", { steps: [{ run: "c" }, { run: "d" }] });
      await apply(t, "builder", { steps: [{ run: "d" }] }, { force: true });
    },
  },
  {
    name: "an atomic map is one value",
    answers: [201, 409, 200],
    async run(t) {
      await apply(t, "painter", { fixed: { a: "x" } });
      await apply(t, "builder", { fixed: { b: "y" } });
      await apply(t, "builder", { fixed: { b: "y" } }, { force: true });
    },
  },
  {
    name: "the entries of any other map are fields of their own",
    answers: [201, 200, 200],
    async run(t) {
      await apply(t, "painter", { notes: { a: "x" } });
      await apply(t, "builder", { notes: { b: "y" } });
      await apply(t, "painter", { notes: {} });
    },
  },
  {
    name: "an empty map or list that is applied is a field too",
    answers: [201, 200],
    async run(t) {
      await apply(t, "painter", { nested: {}, notes: {}, tags: [], ports: [], steps: [] });
      await apply(t, "painter", {});
    },
  },
  {
    name: "a field that is applied as null is refused, unless it has a default",
    answers: [422, 201],
    async run(t) {
      await apply(t, "painter", { size: null, nested: { a: null }, notes: null, color: "red" });
      await apply(t, "painter", { shape: null });
    },
  },
  {
    name: "fields without a schema are merged as they look",
    answers: [201, 200, 409],
    async run(t) {
      await apply(t, "painter", { anything: { a: { b: 1 }, list: [1, 2] } });
      await apply(t, "builder", { anything: { a: { c: "x" } } });
      await apply(t, "builder", { anything: { a: { b: 2 }, list: [3] } });
    },
  },
  {
    name: "an integer and a string in the same place are one field",
    answers: [201, 409, 200],
    async run(t) {
      await apply(t, "painter", { amount: 1 });
      await apply(t, "builder", { amount: "1" });
      await apply(t, "painter", { amount: "50%" });
    },
  },
  {
    name: "labels and annotations are merged by their keys",
    answers: [201, 200, 200],
    async run(t) {
      const send = (manager: string) => applyAt(t, t.custom("widgets", "a"), manager);
      await send("painter")(widget("a", { metadata: { labels: { a: "1" }, annotations: { "example.com/a": "1" } } }));
      await send("builder")(widget("a", { metadata: { labels: { b: "2" } } }));
      await send("painter")(widget("a", { metadata: { labels: {} } }));
    },
  },
  {
    name: "finalizers are a set, owner references a list keyed by uid",
    answers: [201, 200, 200],
    async run(t) {
      const owner = (n: number) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: `owner-${n}`,
        uid: `${n}1111111-2222-3333-4444-555555555555`,
      });
      const send = (manager: string, metadata: { finalizers: string[]; ownerReferences: object[] }) =>
        applyAt(t, t.custom("widgets", "a"), manager)(widget("a", { metadata }));
      await send("painter", { finalizers: ["example.com/a"], ownerReferences: [owner(1)] });
      await send("builder", { finalizers: ["example.com/b"], ownerReferences: [owner(2)] });
      await send("painter", { finalizers: [], ownerReferences: [] });
    },
  },
];
