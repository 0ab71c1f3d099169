// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case, Target } from "../../framework/types.ts";
import { GROUP, marble, names, query } from "./kinds.ts";

async function storeMarbles(t: Target): Promise<void> {
  const specs = {
    a: { color: "red", size: 1, glossy: true },
    b: { color: "blue", size: 2, glossy: false },
    c: { color: "red", size: 2 },
    d: {},
  };
  for (const [name, spec] of Object.entries(specs))
    await t.prepare("POST", t.custom("marbles"), marble(name, { spec }));
}

export const fields: readonly Case[] = [
  {
    name: "every kind can be selected by name and by namespace",
    answers: [200, 200, 200, 200],
    async run(t) {
      const { namespace } = t;
      for (const name of ["a", "b"]) {
        await t.prepare("POST", t.core("configmaps"), configMap(name));
        await t.prepare("POST", t.custom("marbles"), marble(name));
      }
      const show = { show: names };
      await t.request("GET", query(t.core("configmaps"), { fieldSelector: "metadata.name=a" }), undefined, show);
      await t.request("GET", query(t.core("configmaps"), { fieldSelector: "metadata.name!=a" }), undefined, show);
      const own = { fieldSelector: `metadata.namespace=${namespace},metadata.name==b` };
      await t.request("GET", query("/api/v1/configmaps", own), undefined, show);
      await t.request("GET", query(`/apis/${GROUP}/v1/marbles`, own), undefined, show);
    },
  },
  {
    name: "a field selector by an unknown field is refused",
    answers: [400, 400, 400, 400],
    async run(t) {
      await t.request("GET", query(t.core("configmaps"), { fieldSelector: "data.a=b" }));
      await t.request("GET", query(t.custom("marbles"), { fieldSelector: "spec.weight=1" }));
      await t.request("GET", query(t.core("configmaps"), { fieldSelector: "metadata.uid=a" }));
      await t.request("GET", query(t.core("secrets"), { fieldSelector: "spec.type=a" }));
    },
  },
  {
    name: "a field selector that cannot be read is refused",
    answers: [400, 400],
    async run(t) {
      await t.request("GET", query(t.core("configmaps"), { fieldSelector: "metadata.name" }));
      await t.request("GET", query(t.custom("marbles"), { fieldSelector: "spec.color in (red)" }));
    },
  },
  {
    name: "a CRD's selectable fields select its objects, numbers and booleans too, and what lacks them counts as empty",
    answers: [200, 200, 200, 200, 200],
    async run(t) {
      await storeMarbles(t);
      const selectors = [
        "spec.color=red",
        "spec.color!=red",
        "spec.size=2,spec.color=red",
        "spec.glossy=true",
        "spec.color=",
      ];
      for (const fieldSelector of selectors) {
        await t.request("GET", query(t.custom("marbles"), { fieldSelector }), undefined, { show: names });
      }
    },
  },
  {
    name: "a watch by a selectable field shows what comes to match as added and what ceases to as deleted",
    answers: [200],
    async run(t) {
      const watch = await t.watch(query(t.custom("marbles"), { watch: "1", fieldSelector: "spec.color=red" }));
      const first = await t.prepare("POST", t.custom("marbles"), marble("a", { spec: { color: "blue" } }));
      const second = await t.prepare("PUT", t.custom("marbles", "a"), { ...first, spec: { color: "red" } });
      await t.prepare("PUT", t.custom("marbles", "a"), { ...second, spec: { color: "green" } });
      await watch.take(2);
    },
  },
  {
    name: "secrets are selected by type, namespaces by phase",
    answers: [200, 200, 200],
    async run(t) {
      await t.prepare("POST", t.core("secrets"), { metadata: { name: "a" } });
      await t.prepare("POST", t.core("secrets"), { metadata: { name: "b" }, type: "example.com/other" });
      const show = { show: names };
      await t.request("GET", query(t.core("secrets"), { fieldSelector: "type=Opaque" }), undefined, show);
      await t.request("GET", query(t.core("secrets"), { fieldSelector: "type!=Opaque" }), undefined, show);
      const active = `status.phase=Active,metadata.name=${t.namespace}`;
      await t.request("GET", query("/api/v1/namespaces", { fieldSelector: active }), undefined, show);
    },
  },
  {
    name: "events are selected by what they are about, their reason, type and source",
    answers: [200, 200, 200, 200, 200],
    async run(t) {
      const { namespace } = t;
      const event = (name: string, about: string, reason: string) => ({
        metadata: { name },
        involvedObject: { kind: "ConfigMap", namespace, name: about, uid: `uid-of-${about}` },
        reason,
        type: reason === "Failed" ? "Warning" : "Normal",
        source: { component: "tester" },
      });
      await t.prepare("POST", t.core("events"), event("one", "a", "Started"));
      await t.prepare("POST", t.core("events"), event("two", "b", "Failed"));
      const selectors = [
        "involvedObject.name=a",
        `involvedObject.kind=ConfigMap,involvedObject.namespace=${namespace},involvedObject.uid=uid-of-b`,
        "reason=Failed",
        "type!=Normal",
        "source=tester",
      ];
      for (const fieldSelector of selectors) {
        await t.request("GET", query(t.core("events"), { fieldSelector }), undefined, { show: names });
      }
    },
  },
  {
    name: "field and label selectors hold together",
    answers: [200, 200],
    async run(t) {
      for (const name of ["a", "b"]) {
        await t.prepare("POST", t.core("configmaps"), configMap(name, {}, { labels: { color: "red" } }));
      }
      const both = { labelSelector: "color=red", fieldSelector: "metadata.name!=a" };
      await t.request("GET", query(t.core("configmaps"), both), undefined, { show: names });
      await t.request("DELETE", query(t.core("configmaps"), both), undefined, { show: names });
    },
  },
];
