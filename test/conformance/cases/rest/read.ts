// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";
import { planet, widget } from "./kinds.ts";

export const read: readonly Case[] = [
  {
    name: "what is not there is not found, and the answer says what it was",
    answers: [404, 404, 404, 404],
    async run(t) {
      await t.request("GET", t.core("configmaps", "missing"));
      await t.request("GET", t.custom("widgets", "missing"));
      await t.request("GET", `/api/v1/namespaces/${t.namespace}-missing`);
      await t.request("GET", t.custom("widgets", "missing/status"));
    },
  },
  {
    name: "an unknown group, version, resource or subresource is a page that is not found",
    answers: [404, 404, 404, 404, 404, 404],
    async run(t) {
      await t.request("GET", "/apis/nobody.example.com/v1/things");
      await t.request("GET", "/apis/rest.example.com/v9/widgets");
      await t.request("GET", t.custom("gadgets"));
      await t.request("GET", t.core("gadgets"));
      await t.request("GET", t.custom("plains", "a/status"));
      await t.request("GET", "/nowhere");
    },
  },
  {
    name: "a list of nothing is an empty list, also in a namespace that is not there",
    answers: [200, 200, 200],
    async run(t) {
      await t.request("GET", t.core("configmaps"));
      await t.request("GET", t.custom("widgets"));
      await t.request("GET", t.custom("widgets").replace(t.namespace, `${t.namespace}-missing`));
    },
  },
  {
    name: "a list holds whole objects in the order of their names; those of custom resources name their kind",
    answers: [200, 200],
    async run(t) {
      for (const name of ["b", "a", "a-b"]) {
        await t.prepare("POST", t.core("configmaps"), configMap(name));
        await t.prepare("POST", t.custom("widgets"), widget(name));
      }
      await t.request("GET", t.core("configmaps"));
      await t.request("GET", t.custom("widgets"));
    },
  },
  {
    name: "a cluster-scoped custom resource has no namespace, whatever its body says",
    answers: [201, 201, 200, 200],
    async run(t) {
      const path = "/apis/rest.example.com/v1/planets";
      const { namespace } = t;
      await t.request("POST", path, planet(namespace));
      await t.request("POST", path, planet(`${namespace}-b`, { metadata: { namespace } }));
      await t.request("GET", `${path}?fieldSelector=metadata.name=${namespace}`);
      await t.request("DELETE", `${path}/${namespace}`);
    },
  },
  {
    name: "an answer can be had as metadata alone",
    answers: [200, 200, 200],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a", { color: "red" }, { labels: { a: "b" } }));
      await t.prepare("POST", t.custom("widgets"), widget("a", { spec: { size: 1 } }));
      const one = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };
      const many = { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" };
      await t.request("GET", t.core("configmaps", "a"), undefined, one);
      await t.request("GET", t.custom("widgets", "a"), undefined, one);
      await t.request("GET", t.core("configmaps"), undefined, many);
    },
  },
  {
    name: "an answer can be had as YAML",
    answers: [404],
    async run(t) {
      await t.request("GET", t.core("configmaps", "missing"), undefined, { accept: "application/yaml" });
    },
  },
  {
    name: "a request that accepts nothing the server has is refused",
    answers: [406, 406, 200],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await t.request("GET", t.core("configmaps", "a"), undefined, { accept: "text/html" });
      await t.request("GET", t.custom("widgets"), undefined, { accept: "image/png" });
      await t.request("GET", t.core("configmaps", "a"), undefined, { accept: "text/html, */*" });
    },
  },
  {
    name: "a method that a path does not have is refused",
    answers: [405, 405, 405],
    async run(t) {
      await t.prepare("POST", t.core("configmaps"), configMap("a"));
      await t.request("POST", t.core("configmaps", "a"), configMap("a"));
      await t.request("PUT", t.core("configmaps"), configMap("a"));
      await t.request("DELETE", t.custom("widgets", "a/status"));
    },
  },
  {
    name: "a parameter that cannot be decoded was not given",
    answers: [200, 200, 404],
    async run(t) {
      await t.request("GET", `${t.core("configmaps")}?limit=%zz`);
      await t.request("GET", `${t.core("configmaps")}?limit=1;labelSelector=%21`);
      await t.request("GET", "/nowhere?a=%zz");
    },
  },
  {
    name: "a resourceVersion has 64 bits",
    answers: [504, 400, 400, 504, 409],
    async run(t) {
      const made = await t.prepare("POST", t.core("configmaps"), configMap("a"));
      const at = (version: string) => `${t.core("configmaps")}?resourceVersion=${version}`;
      const words = { show: ({ message, reason }: JsonObject) => ({ message: past(message), reason }) };
      await t.request("GET", at("18446744073709551615"), undefined, words);
      await t.request("GET", at("18446744073709551616"));
      await t.request("GET", `${at("99999999999999999999999")}&resourceVersionMatch=Exact`);
      await t.request("GET", `${t.core("configmaps", "a")}?resourceVersion=9223372036854775808`, undefined, words);
      const metadata = { ...(made.metadata as JsonObject), resourceVersion: "18446744073709551615" };
      await t.request("PUT", t.core("configmaps", "a"), { ...made, metadata });
    },
  },
];

/** Words about a version that is yet to come, without the one that is there now. */
function past(message: unknown): string {
  return String(message).replace(/current: \d+/, "current: {version}");
}
