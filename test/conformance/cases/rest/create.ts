// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case } from "../../framework/types.ts";
import { plain, widget } from "./kinds.ts";

export const create: readonly Case[] = [
  {
    name: "a created object has uid, creationTimestamp, resourceVersion and, where it is a custom resource, generation",
    answers: [201, 201, 200],
    async run(t) {
      await t.request("POST", t.core("configmaps"), configMap("a", { color: "red" }));
      await t.request("POST", t.custom("widgets"), widget("a", { spec: { size: 1 } }));
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "what a client says about uid, generation, creationTimestamp and deletion is not believed on create",
    answers: [201],
    async run(t) {
      const metadata = {
        uid: "11111111-2222-3333-4444-555555555555",
        generation: 7,
        creationTimestamp: "2001-02-03T04:05:06Z",
        deletionTimestamp: "2001-02-03T04:05:06Z",
        deletionGracePeriodSeconds: 30,
        selfLink: "/nowhere",
      };
      await t.request("POST", t.custom("widgets"), widget("a", { metadata, spec: { size: 1 } }));
    },
  },
  {
    name: "an object is created once: the second create of the same name is refused",
    answers: [201, 409, 201, 409],
    async run(t) {
      await t.request("POST", t.core("configmaps"), configMap("a", { color: "red" }));
      await t.request("POST", t.core("configmaps"), configMap("a"));
      await t.request("POST", t.custom("widgets"), widget("a"));
      await t.request("POST", t.custom("widgets"), widget("a"));
    },
  },
  {
    name: "an object to be created must not have a resourceVersion",
    answers: [],
    async run(t) {
      const words = { wordsAlone: true };
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { resourceVersion: "17" }), words);
      await t.request("POST", t.custom("widgets"), widget("a", { metadata: { resourceVersion: "17" } }), words);
    },
  },
  {
    name: "generateName is completed with five random characters",
    answers: [201, 201],
    async run(t) {
      const nameless = { metadata: { generateName: "thing-" } };
      await t.request("POST", t.core("configmaps"), { apiVersion: "v1", kind: "ConfigMap", ...nameless });
      await t.request("POST", t.custom("widgets"), { ...widget("a"), ...nameless });
    },
  },
  {
    name: "a long generateName is cut so that the random characters fit",
    answers: [201],
    async run(t) {
      const { body } = await t.request(
        "POST",
        t.core("configmaps"),
        { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: `${"x".repeat(70)}-` } },
        { show: ({ metadata }) => String((metadata as { name: string }).name).replace(/.{5}$/, "{5 random}") },
      );
      if (String((body.metadata as { name: string }).name).length !== 63) throw new Error("not 63 characters");
    },
  },
  {
    name: "a name wins over generateName",
    answers: [201],
    async run(t) {
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { generateName: "thing-" }));
    },
  },
  {
    name: "an object without any name is refused",
    answers: [422, 422],
    async run(t) {
      await t.request("POST", t.core("configmaps"), { apiVersion: "v1", kind: "ConfigMap", metadata: {} });
      await t.request("POST", t.custom("widgets"), { ...widget("a"), metadata: {} });
    },
  },
  {
    name: "a name must be a DNS subdomain",
    answers: [422, 422, 422],
    async run(t) {
      await t.request("POST", t.core("configmaps"), configMap("Not_Valid"));
      await t.request("POST", t.custom("widgets"), widget("not/valid"));
      await t.request("POST", t.core("configmaps"), configMap("x".repeat(254)));
    },
  },
  {
    name: "labels and annotations must have valid keys, labels valid values",
    answers: [422, 422, 422],
    async run(t) {
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { labels: { "-bad-": "no spaces please" } }));
      await t.request("POST", t.custom("widgets"), widget("a", { metadata: { labels: { a: "x".repeat(64) } } }));
      await t.request("POST", t.custom("widgets"), widget("a", { metadata: { annotations: { "a/b/c": "" } } }));
    },
  },
  {
    name: "annotations may not be larger than 256 KiB in all",
    answers: [422],
    async run(t) {
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { annotations: { a: "x".repeat(262_144) } }));
    },
  },
  {
    name: "the namespace of a body must be that of the path",
    answers: [400, 400, 201],
    async run(t) {
      await t.request("POST", t.core("configmaps"), configMap("a", {}, { namespace: "elsewhere" }));
      await t.request("POST", t.custom("widgets"), widget("a", { metadata: { namespace: "elsewhere" } }));
      await t.request("POST", t.custom("widgets"), widget("a", { metadata: { namespace: t.namespace } }));
    },
  },
  {
    name: "nothing is created in a namespace that is not there",
    answers: [404, 404],
    async run(t) {
      await t.request("POST", `/api/v1/namespaces/${t.namespace}-missing/configmaps`, configMap("a"));
      await t.request("POST", t.custom("widgets").replace(t.namespace, `${t.namespace}-missing`), widget("a"));
    },
  },
  {
    name: "a namespaced object cannot be created without a namespace in the path",
    answers: [405, 404],
    async run(t) {
      await t.request("POST", "/api/v1/configmaps", configMap("a", {}, { namespace: t.namespace }));
      await t.request(
        "POST",
        "/apis/rest.example.com/v1/widgets",
        widget("a", { metadata: { namespace: t.namespace } }),
      );
    },
  },
  {
    name: "a create ignores status where the status subresource is served, and only there",
    answers: [201, 201],
    async run(t) {
      await t.request("POST", t.custom("widgets"), widget("a", { spec: { size: 1 }, status: { phase: "Done" } }));
      await t.request("POST", t.custom("plains"), plain("a", { spec: { size: 1 }, status: { phase: "Done" } }));
    },
  },
  {
    name: "a dry run of a create answers like a create and stores nothing",
    answers: [201, 404, 422, 422],
    async run(t) {
      await t.request("POST", `${t.custom("widgets")}?dryRun=All`, widget("a", { spec: { size: 1 } }));
      await t.request("GET", t.custom("widgets", "a"));
      await t.request("POST", `${t.core("configmaps")}?dryRun=All`, configMap("Not_Valid"));
      await t.request("POST", `${t.core("configmaps")}?dryRun=Some`, configMap("a"));
    },
  },
];
