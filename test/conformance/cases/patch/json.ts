// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case } from "../../framework/types.ts";
import { jsonPatch, stored } from "./kinds.ts";

/** JSON Patch, RFC 6902. */
export const json: readonly Case[] = [
  {
    name: "JSON patch: operations are done one after the other",
    answers: [200],
    async run(t) {
      await stored(t, { size: 1, color: "red", tags: ["a", "b"], notes: { x: "1" } });
      await jsonPatch(t, t.custom("widgets", "a"), [
        { op: "test", path: "/spec/size", value: 1 },
        { op: "replace", path: "/spec/size", value: 2 },
        { op: "remove", path: "/spec/color" },
        { op: "add", path: "/spec/tags/1", value: "between" },
        { op: "add", path: "/spec/tags/-", value: "last" },
        { op: "copy", from: "/spec/notes/x", path: "/spec/notes/y" },
        { op: "move", from: "/spec/notes/x", path: "/spec/notes/z" },
      ]);
    },
  },
  {
    name: "JSON patch: slashes and tildes in keys are escaped",
    answers: [200],
    async run(t) {
      await stored(t, { notes: { "a/b": "1", "c~d": "2" } });
      await jsonPatch(t, t.custom("widgets", "a"), [
        { op: "remove", path: "/spec/notes/a~1b" },
        { op: "replace", path: "/spec/notes/c~0d", value: "3" },
      ]);
    },
  },
  {
    name: "JSON patch: a test that fails refuses the whole patch",
    answers: [422, 200],
    async run(t) {
      await stored(t);
      await jsonPatch(t, t.custom("widgets", "a"), [
        { op: "replace", path: "/spec/size", value: 2 },
        { op: "test", path: "/spec/color", value: "blue" },
      ]);
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "JSON patch: paths that lead nowhere are refused",
    answers: [422, 422, 422, 422, 422],
    async run(t) {
      await stored(t);
      const path = t.custom("widgets", "a");
      await jsonPatch(t, path, [{ op: "remove", path: "/spec/notes" }]);
      await jsonPatch(t, path, [{ op: "replace", path: "/spec/notes/x", value: "1" }]);
      await jsonPatch(t, path, [{ op: "add", path: "/spec/notes/x", value: "1" }]);
      await jsonPatch(t, path, [{ op: "move", from: "/spec/notes", path: "/spec/nested" }]);
      await jsonPatch(t, path, [{ op: "copy", from: "/spec/notes/x", path: "/spec/color" }]);
    },
  },
  {
    name: "JSON patch: a replacement of what is not there adds it",
    answers: [200],
    async run(t) {
      await stored(t);
      await jsonPatch(t, t.custom("widgets", "a"), [{ op: "replace", path: "/spec/notes", value: { x: "1" } }]);
    },
  },
  {
    name: "JSON patch: an index beyond the end of a list is refused",
    answers: [422, 422],
    async run(t) {
      await stored(t, { tags: ["a"] });
      await jsonPatch(t, t.custom("widgets", "a"), [{ op: "add", path: "/spec/tags/5", value: "b" }]);
      await jsonPatch(t, t.custom("widgets", "a"), [{ op: "remove", path: "/spec/tags/1" }]);
    },
  },
  {
    name: "JSON patch: what is no list of operations is refused",
    answers: [400, 400, 422],
    async run(t) {
      await stored(t);
      await jsonPatch(t, t.custom("widgets", "a"), { op: "remove", path: "/spec/size" });
      await jsonPatch(t, t.custom("widgets", "a"), "[{");
      await jsonPatch(t, t.custom("widgets", "a"), [{ op: "explode", path: "/spec/size" }]);
    },
  },
  {
    name: "JSON patch: more than 10000 operations are too many",
    answers: [413],
    async run(t) {
      await stored(t);
      const operation = { op: "replace", path: "/spec/size", value: 2 };
      await jsonPatch(
        t,
        t.custom("widgets", "a"),
        Array.from({ length: 10_001 }, () => operation),
      );
    },
  },
  {
    name: "JSON patch: the result must be valid",
    answers: [422, 422],
    async run(t) {
      await stored(t);
      await jsonPatch(t, t.custom("widgets", "a"), [{ op: "replace", path: "/spec/size", value: 0 }]);
      await jsonPatch(t, t.custom("widgets", "a"), [{ op: "replace", path: "/spec/size", value: "large" }]);
    },
  },
  {
    name: "JSON patch: a built-in kind is patched too",
    answers: [200, 422],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a", { color: "red" }));
      await jsonPatch(t, t.core("configmaps", "a"), [{ op: "add", path: "/data/size", value: "1" }]);
      await jsonPatch(t, t.core("configmaps", "a"), [{ op: "add", path: "/data/no key", value: "1" }]);
    },
  },
];
