// SPDX-License-Identifier: Apache-2.0
import { kindOf } from "../../framework/objects.ts";
import type { Case } from "../../framework/types.ts";
import { attempts, GROUP } from "./kinds.ts";

const pruned = kindOf(GROUP, "Pruned");

export const defaults: readonly Case[] = [
  attempts("what is missing gets its default, but only inside what is there", "Defaulted", [
    [201, {}],
    [201, undefined],
    [201, { nested: {} }],
  ]),
  attempts("what is given is kept, also where it says nothing", "Defaulted", [
    [201, { text: "", size: 0, flag: true, names: [], whole: { inner: "" } }],
  ]),
  attempts("null becomes the default, unless the field is nullable", "Defaulted", [
    [201, { text: null, nullable: null, names: null, whole: null }],
  ]),
  attempts("items of lists and values of maps get their defaults", "Defaulted", [
    [201, { list: [{ name: "a" }, { port: 1 }], map: { a: {}, b: { port: 1 } } }],
  ]),
  attempts("a default does not hide a mistake", "Defaulted", [[422, { size: "3", nested: { inner: 1 } }]]),
  attempts("a list key that is missing gets its default before keys are compared", "Listed", [
    [201, { ports: [{ port: 1 }] }],
  ]),
  {
    name: "unknown fields are dropped at every depth, and told",
    answers: [201],
    async run(t) {
      const spec = {
        known: "a",
        unknown: "b",
        nested: { known: "a", unknown: "b" },
        list: [{ known: "a", unknown: "b" }],
        map: { any: { known: "a", unknown: "b" } },
      };
      await t.request("POST", t.custom("pruneds"), { ...pruned("a", { spec }), extra: {}, status: { a: "b" } });
    },
  },
  {
    name: "unknown fields stay where the schema preserves them, except inside what it describes",
    answers: [201],
    async run(t) {
      const spec = { free: { known: "a", unknown: { deep: [1, null, true] }, inner: { known: "a", unknown: "b" } } };
      await t.request("POST", t.custom("pruneds"), pruned("a", { spec }));
    },
  },
  {
    name: "an embedded object keeps its type and metadata, and must have them",
    answers: [201, 422, 422],
    async run(t) {
      const embedded = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "b", labels: { a: "b" } },
        data: { a: "b" },
      };
      await t.request("POST", t.custom("pruneds"), pruned("a", { spec: { embedded } }));
      await t.request("POST", t.custom("pruneds"), pruned("b", { spec: { embedded: { data: {} } } }));
      const unnamed = { ...embedded, metadata: { name: "Not_Valid", labels: { "-": "" } } };
      await t.request("POST", t.custom("pruneds"), pruned("c", { spec: { embedded: unnamed } }));
    },
  },
  {
    name: "an update drops unknown fields just as a create does",
    answers: [200, 200],
    async run(t) {
      const first = await t.prepare("POST", t.custom("pruneds"), pruned("a", { spec: { known: "a" } }));
      await t.request("PUT", t.custom("pruneds", "a"), { ...first, spec: { known: "a", unknown: "b" } });
      const options = { contentType: "application/merge-patch+json" };
      await t.request("PATCH", t.custom("pruneds", "a"), { spec: { nested: { unknown: "b" } } }, options);
    },
  },
  {
    name: "unknown fields of metadata are dropped, and told",
    answers: [201],
    async run(t) {
      await t.request(
        "POST",
        t.custom("pruneds"),
        pruned("a", { metadata: { unknown: "b", clusterName: "c" }, spec: {} }),
      );
    },
  },
];
