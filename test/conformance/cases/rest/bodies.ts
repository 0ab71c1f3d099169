// SPDX-License-Identifier: Apache-2.0
import { configMap, crd } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";
import { widget } from "./kinds.ts";

export const bodies: readonly Case[] = [
  {
    name: "a body that is not JSON is refused",
    answers: [400, 400, 422, 400],
    async run(t) {
      await t.request("POST", t.core("configmaps"), '{"apiVersion":"v1",');
      await t.request("POST", t.custom("widgets"), '{"apiVersion":"rest.example.com/v1","kind":"Widget",');
      await t.request("POST", t.core("configmaps"), "null");
      await t.request("POST", t.custom("widgets"), "hello");
    },
  },
  {
    name: "a body is needed, but a built-in kind takes its kind from the path",
    answers: [400, 422, 400],
    async run(t) {
      await t.request("POST", t.custom("widgets"), "");
      await t.request("POST", t.core("configmaps"), "{}");
      await t.request("POST", t.custom("widgets"), "{}");
    },
  },
  {
    name: "a body of another kind or version than the path's is refused",
    answers: [400, 422, 400],
    async run(t) {
      await t.request("POST", t.core("configmaps"), { ...configMap("a"), kind: "Secret" });
      await t.request("POST", t.custom("widgets"), { ...widget("a"), kind: "Plain" });
      await t.request("POST", t.custom("widgets"), { ...widget("a"), apiVersion: "rest.example.com/v9" });
    },
  },
  {
    name: "a field of the wrong JSON type is refused",
    answers: [400, 400, 400, 400],
    async run(t) {
      await t.request("POST", t.core("configmaps"), configMap("a", { count: 1 }));
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { labels: ["a"] }));
      await t.request("POST", t.custom("widgets"), widget("a", { metadata: { labels: { a: 1 } } }));
      await t.request("POST", t.custom("widgets"), widget("a", { metadata: { finalizers: "one" } }));
    },
  },
  {
    name: "a content type that the server does not read is refused",
    answers: [415, 415, 415],
    async run(t) {
      await t.request("POST", t.core("configmaps"), "a=b", { contentType: "application/x-www-form-urlencoded" });
      await t.request("POST", t.custom("widgets"), widget("a"), { contentType: "text/plain" });
      await t.request("PATCH", t.custom("widgets", "a"), {}, { contentType: "application/json" });
    },
  },
  {
    name: "a body may be YAML",
    answers: [201, 201, 400],
    async run(t) {
      const contentType = "application/yaml";
      const head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
      await t.request("POST", t.core("configmaps"), `${head}data:\n  color: red\n`, { contentType });
      const custom = "apiVersion: rest.example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n";
      await t.request("POST", t.custom("widgets"), custom, { contentType });
      await t.request("POST", t.core("configmaps"), "a: [", { contentType });
    },
  },
  {
    name: "a body larger than three MiB is refused",
    answers: [413],
    async run(t) {
      await t.request("POST", t.core("configmaps"), configMap("a", { text: "x".repeat(3 * 1024 * 1024) }));
    },
  },
  {
    name: "unknown and duplicate fields are warned about unless told otherwise",
    answers: [201, 201],
    async run(t) {
      const text =
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","nme":"b"},"data":{"a":"1","a":"2"},"x":1}';
      await t.request("POST", t.core("configmaps"), text);
      const custom =
        '{"apiVersion":"rest.example.com/v1","kind":"Widget","metadata":{"name":"a","nme":"b"},"spec":{"size":1,"size":2,"sise":3,"nested":{"dep":1}},"x":1}';
      await t.request("POST", t.custom("widgets"), custom);
    },
  },
  {
    name: "with fieldValidation=Strict unknown and duplicate fields refuse the object",
    answers: [400, 400],
    async run(t) {
      const text =
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","nme":"b"},"data":{"a":"1","a":"2"},"x":1}';
      await t.request("POST", `${t.core("configmaps")}?fieldValidation=Strict`, text);
      const custom =
        '{"apiVersion":"rest.example.com/v1","kind":"Widget","metadata":{"name":"a","nme":"b"},"spec":{"size":1,"size":2,"sise":3,"nested":{"dep":1}},"x":1}';
      await t.request("POST", `${t.custom("widgets")}?fieldValidation=Strict`, custom);
    },
  },
  {
    name: "with fieldValidation=Ignore nothing is said about unknown fields",
    answers: [201, 201, 422],
    async run(t) {
      await t.request("POST", `${t.core("configmaps")}?fieldValidation=Ignore`, { ...configMap("a"), x: 1 });
      await t.request("POST", `${t.custom("widgets")}?fieldValidation=Ignore`, widget("a", { spec: { x: 1 } }));
      await t.request("POST", `${t.core("configmaps")}?fieldValidation=Maybe`, configMap("b"));
    },
  },
  {
    name: "fieldValidation holds for updates and patches alike",
    answers: [200, 400, 422],
    async run(t) {
      const first = await t.prepare("POST", t.custom("widgets"), widget("a"));
      await t.request("PUT", t.custom("widgets", "a"), { ...first, spec: { x: 1 } });
      await t.request("PUT", `${t.custom("widgets", "a")}?fieldValidation=Strict`, { ...first, spec: { x: 1 } });
      const options = { contentType: "application/merge-patch+json" };
      await t.request("PATCH", `${t.custom("widgets", "a")}?fieldValidation=Strict`, { spec: { x: 1 } }, options);
    },
  },
  {
    name: "numbers beyond what a computer holds are refused, and those at its limits are kept",
    answers: [400, 201, 400, 400, 201],
    async run(t) {
      const free = (name: string, number: string) =>
        `{"apiVersion":"rest.example.com/v1","kind":"Plain","metadata":{"name":"${name}"},"status":{"number":${number}}}`;
      await t.request("POST", t.custom("plains"), free("a", "1e400"));
      await t.request("POST", t.custom("plains"), free("a", "9007199254740992"));
      const merge = { contentType: "application/merge-patch+json" };
      await t.request("PATCH", t.custom("plains", "a"), '{"status":{"number":-1e400}}', merge);
      const operation = '[{"op":"add","path":"/status/number","value":1e400}]';
      await t.request("PATCH", t.custom("plains", "a"), operation, { contentType: "application/json-patch+json" });
      await t.request("POST", t.custom("plains"), free("b", "[1e308,1e-400,-9007199254740992,123456789012345678901]"));
    },
  },
  {
    name: "bounds in a definition are floating point numbers, however they are written",
    answers: [201],
    async run(t) {
      const definition = crd({ group: t.group, kind: "Bounded", spec: { type: "integer", maximum: 7 } });
      const text = JSON.stringify(definition).replace('"maximum":7', '"maximum":9223372036854775807');
      const show = ({ spec }: JsonObject) => ({ spec });
      await t.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", text, { show });
    },
  },
  {
    name: "half a character becomes a replacement character",
    answers: [201, 201, 422],
    async run(t) {
      const head = '"metadata":{"name":"a"}';
      const text = `{"apiVersion":"v1","kind":"ConfigMap",${head},"data":{"a":"\\ud800x\\udc00","b":"\\ud83d\\ude00"}}`;
      await t.request("POST", t.core("configmaps"), text);
      const custom = `{"apiVersion":"rest.example.com/v1","kind":"Plain",${head},"status":{"\\ud801k":1,"\\ud802k":"\\udc00"}}`;
      await t.request("POST", `${t.custom("plains")}?fieldValidation=Ignore`, custom);
      await t.request("POST", t.core("configmaps"), `{"kind":"ConfigMap",${head},"data":{"\\ud800":"x"}}`);
    },
  },
  {
    name: "what is no YAML is refused in the parser's words",
    answers: [400, 400, 400, 400, 400, 400, 400, 400],
    async run(t) {
      const contentType = "application/yaml";
      for (const text of ["\ta: b\n", '\t{"a":1}', "a: b\n\tc: d\n", "&&&\n", "a: *b\n", "a: 'b\n", "a: b: c\n"])
        await t.request("POST", t.core("configmaps"), text, { contentType });
      const options = { contentType: "application/apply-patch+yaml" };
      await t.request("PATCH", `${t.core("configmaps", "a")}?fieldManager=x`, "&&&\n", options);
    },
  },
  {
    name: "a YAML body may be large",
    answers: [201],
    async run(t) {
      const line = "    a line of text, as it stands in files: with [brackets], and commas\n";
      const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  file: |\n${line.repeat(12_000)}`;
      const show = ({ data }: JsonObject) => ({ length: String((data as JsonObject).file).length });
      await t.request("POST", t.core("configmaps"), text, { contentType: "application/yaml", show });
    },
  },
];
