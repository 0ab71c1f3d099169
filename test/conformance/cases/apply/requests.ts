// SPDX-License-Identifier: Apache-2.0
import { APPLY_PATCH, configMap } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";
import { apply, applyAt, widget } from "./kinds.ts";

/** What an apply has to be, and what it is refused for. */
export const requests: readonly Case[] = [
  {
    name: "an apply of what is not there creates it, and notes who applied which fields",
    answers: [201, 201],
    async run(t) {
      await apply(t, "painter", { size: 1, color: "red" });
      await applyAt(t, t.core("configmaps", "a"), "painter")(configMap("a", { color: "red" }, { labels: { a: "b" } }));
    },
  },
  {
    name: "an apply of the same again writes nothing",
    answers: [201, 200, 200],
    async run(t) {
      await apply(t, "painter", { size: 1, color: "red" });
      await apply(t, "painter", { size: 1, color: "red" });
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "an apply may be YAML",
    answers: [201],
    async run(t) {
      const yaml =
        "# red and large\napiVersion: apply.example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec: {color: red, size: 0x10}\n";
      await applyAt(t, t.custom("widgets", "a"), "painter")(yaml);
    },
  },
  {
    name: "an apply needs a field manager",
    answers: [422],
    async run(t) {
      await t.request("PATCH", t.custom("widgets", "a"), widget("a"), { contentType: APPLY_PATCH });
    },
  },
  {
    name: "a field manager's name is printable and at most 128 characters long",
    answers: [422, 422, 422],
    async run(t) {
      await applyAt(t, t.custom("widgets", "a"), "m".repeat(129))(widget("a"));
      await applyAt(t, t.custom("widgets", "a"), "a%0Ab")(widget("a"));
      await t.request("POST", `${t.core("configmaps")}?fieldManager=${"m".repeat(129)}`, configMap("a"));
    },
  },
  {
    name: "an apply must be of the kind and version of its path",
    answers: [400, 400, 400, 400],
    async run(t) {
      const send = applyAt(t, t.custom("widgets", "a"), "painter");
      await send({ ...widget("a"), apiVersion: "apply.example.com/v2" });
      await send({ ...widget("a"), kind: "Gadget" });
      await send({ metadata: { name: "a" } });
      await applyAt(t, t.core("configmaps", "a"), "painter")({ metadata: { name: "a" } });
    },
  },
  {
    name: "an apply must have the name and namespace of its path",
    answers: [400, 400, 400],
    async run(t) {
      const send = applyAt(t, t.custom("widgets", "a"), "painter");
      await send(widget("b"));
      await send(widget("a", { metadata: { namespace: "elsewhere" } }));
      await send({ apiVersion: "apply.example.com/v1", kind: "Widget" });
    },
  },
  {
    name: "an apply must be one YAML object",
    answers: [400, 400, 400],
    async run(t) {
      const send = applyAt(t, t.custom("widgets", "a"), "painter");
      await send("a: [");
      await send("[]");
      await send("just words");
    },
  },
  {
    name: "an apply must not tell managed fields",
    answers: [400],
    async run(t) {
      const managedFields = [{ manager: "painter", operation: "Apply", apiVersion: "apply.example.com/v1" }];
      await applyAt(t, t.custom("widgets", "a"), "painter")(widget("a", { metadata: { managedFields } }));
    },
  },
  {
    name: "an apply that names a version is of that version, where there is one",
    answers: [201, 200, 200, 409],
    async run(t) {
      const send = applyAt(t, t.custom("widgets", "a"), "painter");
      const at = (resourceVersion: unknown, size: number) =>
        send(widget("a", { metadata: { resourceVersion }, spec: { size } }));
      await at("17", 1);
      const { body } = await apply(t, "painter", { size: 1 });
      const { resourceVersion } = body.metadata as JsonObject;
      await at(resourceVersion, 2);
      await at(resourceVersion, 3);
    },
  },
  {
    name: "an apply that names another uid is refused",
    answers: [409, 201, 422],
    async run(t) {
      const uid = "11111111-2222-3333-4444-555555555555";
      const send = applyAt(t, t.custom("widgets", "a"), "painter");
      await send(widget("a", { metadata: { uid } }));
      await send(widget("a"));
      await send(widget("a", { metadata: { uid } }));
    },
  },
  {
    name: "a dry run of an apply shows what would be, and stores nothing",
    answers: [201, 404],
    async run(t) {
      await apply(t, "painter", { size: 1 }, { query: "&dryRun=All" });
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "what is applied must be valid: nothing is stored otherwise",
    answers: [422, 404],
    async run(t) {
      await apply(t, "painter", { size: 101 });
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "a field of the wrong type is refused",
    async run(t) {
      await apply(t, "painter", { size: "large" }, { wordsAlone: true });
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "a field that nobody knows is refused, whatever validation the request wants",
    async run(t) {
      const spec = { size: 1, taste: "sweet" };
      for (const validation of ["Warn", "Strict", "Ignore"]) {
        await apply(t, "painter", spec, { query: `&fieldValidation=${validation}`, wordsAlone: true });
      }
    },
  },
  {
    name: "a field that nobody knows is refused for a built-in kind",
    async run(t) {
      const config = { ...configMap("a"), taste: "sweet" };
      await applyAt(t, t.core("configmaps", "a"), "painter")(config, { wordsAlone: true });
    },
  },
  {
    name: "a field that is there twice is refused where the request is strict, else warned about",
    answers: [400, 201],
    async run(t) {
      const yaml = "apiVersion: apply.example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1, size: 2}\n";
      const send = applyAt(t, t.custom("widgets", "a"), "painter");
      await send(yaml, { query: "&fieldValidation=Strict" });
      await send(yaml);
    },
  },
  {
    name: "items of a keyed list that have the same key are refused, and items without one",
    async run(t) {
      await apply(t, "painter", { ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] }, { wordsAlone: true });
      await apply(t, "painter", { ports: [{ protocol: "TCP" }] });
    },
  },
  {
    name: "an item that is in a set twice is refused",
    async run(t) {
      await apply(t, "painter", { tags: ["a", "b", "a"] }, { wordsAlone: true });
    },
  },
  {
    name: "force is for apply alone, and whatever is neither false nor 0 is force",
    answers: [422, 409, 409, 200],
    async run(t) {
      await t.prepare("POST", t.custom("widgets"), widget("a", { spec: { size: 2 } }));
      const patch = { spec: { size: 1 } };
      const contentType = "application/merge-patch+json";
      await t.request("PATCH", `${t.custom("widgets", "a")}?force=true`, patch, { contentType });
      for (const force of ["false", "0", "perhaps"]) {
        await apply(t, "painter", { size: 1 }, { query: `&force=${force}` });
      }
    },
  },
];
