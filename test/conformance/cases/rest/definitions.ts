// SPDX-License-Identifier: Apache-2.0
import { crd, kindOf, MERGE_PATCH } from "../../framework/objects.ts";
import type { Answer, Case, JsonObject, Target } from "../../framework/types.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const sized = { type: "object", properties: { size: { type: "integer" } } };

/** What the server tells of a CRD: its conditions in a fixed order, without times. */
function statusOf({ status }: JsonObject): JsonObject {
  const { conditions, ...rest } = status as { conditions: { type: string; lastTransitionTime?: string }[] };
  return {
    ...rest,
    conditions: conditions
      .map(({ lastTransitionTime, ...condition }) => condition)
      .toSorted((a, b) => (a.type < b.type ? -1 : 1)),
  };
}

function hasCondition(type: string, wanted: string) {
  return ({ body }: Answer) => {
    const { conditions } = (body.status ?? {}) as { conditions?: { type: string; status: string }[] | null };
    return (conditions ?? []).some((condition) => condition.type === type && condition.status === wanted);
  };
}

function objectsOf({ group, namespace }: Target, version = "v1"): string {
  return `/apis/${group}/${version}/namespaces/${namespace}/boxs`;
}

/** A CRD of kind Box in the case's own group. */
function box(t: Target, change: (version: JsonObject) => readonly JsonObject[] = (version) => [version]): JsonObject {
  const definition = crd({ group: t.group, kind: "Box", spec: sized });
  const { versions, ...spec } = definition.spec as JsonObject & { versions: JsonObject[] };
  return { ...definition, spec: { ...spec, versions: versions.flatMap(change) } };
}

export const definitions: readonly Case[] = [
  {
    name: "a CRD is stored with its defaults and soon established",
    answers: [201, 200],
    async run(t) {
      const { spec, ...rest } = box(t);
      const { names, ...others } = spec as JsonObject & { names: { plural: string; kind: string } };
      const brief = { ...rest, spec: { ...others, names: { plural: names.plural, kind: names.kind } } };
      await t.request("POST", CRDS, brief, { show: ({ status, ...stored }) => ({ ...stored, metadata: {} }) });
      await t.eventually(`${CRDS}/boxs.${t.group}`, hasCondition("Established", "True"), { show: statusOf });
    },
  },
  {
    name: "a CRD serves its objects once it is established, until it is deleted with all of them",
    answers: [201, 200, 404, 404],
    async run(t) {
      await t.installCrds([box(t)]);
      await t.request("POST", objectsOf(t), kindOf(t.group, "Box")("a", { spec: { size: 1 } }));
      const show = ({ metadata }: JsonObject) => (metadata as JsonObject).finalizers;
      await t.request("DELETE", `${CRDS}/boxs.${t.group}`, undefined, { show });
      await t.eventually(`${CRDS}/boxs.${t.group}`, ({ status }) => status === 404);
      await t.eventually(objectsOf(t), ({ status }) => status === 404);
    },
  },
  {
    name: "a CRD whose kind another one of its group has is not accepted",
    answers: [200],
    async run(t) {
      await t.installCrds([box(t)]);
      const other = crd({ group: t.group, kind: "Crate", names: { kind: "Box", listKind: "BoxList" } });
      await t.prepare("POST", CRDS, other);
      await t.eventually(`${CRDS}/crates.${t.group}`, hasCondition("NamesAccepted", "False"), { show: statusOf });
    },
  },
  {
    name: "a changed schema holds for what is written from then on; what is stored stays",
    answers: [201, 200, 422],
    async run(t) {
      const make = kindOf(t.group, "Box");
      await t.installCrds([box(t)]);
      await t.request("POST", objectsOf(t), make("a", { spec: { size: 1 } }));
      const change = [
        {
          op: "add",
          path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/minimum",
          value: 5,
        },
      ];
      await t.prepare("PATCH", `${CRDS}/boxs.${t.group}`, change, { contentType: "application/json-patch+json" });
      await t.eventually(`${objectsOf(t)}/a`, ({ status }) => status === 200);
      const path = `${objectsOf(t)}?dryRun=All`;
      const small = make("b", { spec: { size: 2 } });
      await t.until(async () => {
        const attempt = t.prepare("POST", path, small);
        return attempt.then(() => false).catch(() => true);
      }, "the new schema holds");
      await t.request("POST", path, small);
    },
  },
  {
    name: "every served version of a CRD shows the same objects; one that is not served is not there",
    answers: [201, 200, 200, 404],
    async run(t) {
      const versions = (version: JsonObject) => [
        version,
        { ...version, name: "v2", storage: false },
        { ...version, name: "v3", storage: false, served: false },
      ];
      await t.installCrds([box(t, versions)]);
      const object = { ...kindOf(t.group, "Box")("a", { spec: { size: 1 } }), apiVersion: `${t.group}/v2` };
      await t.request("POST", objectsOf(t, "v2"), object);
      await t.request("GET", `${objectsOf(t, "v1")}/a`);
      await t.request("GET", objectsOf(t, "v2"));
      await t.request("GET", `${objectsOf(t, "v3")}/a`);
    },
  },
  {
    name: "a deprecated version of a CRD warns at every request",
    answers: [200, 200],
    async run(t) {
      const versions = (version: JsonObject) => [
        { ...version, deprecated: true },
        { ...version, name: "v2", storage: false, deprecated: true, deprecationWarning: "use v3, please" },
      ];
      await t.installCrds([box(t, versions)]);
      await t.request("GET", objectsOf(t, "v1"));
      await t.request("GET", objectsOf(t, "v2"));
    },
  },
  {
    name: "a CRD cannot change its scope, nor lose a version that is stored",
    answers: [422, 422],
    async run(t) {
      await t.installCrds([box(t)]);
      const path = `${CRDS}/boxs.${t.group}`;
      await t.request("PATCH", path, { spec: { scope: "Cluster" } }, { contentType: MERGE_PATCH });
      const [version] = (box(t).spec as { versions: JsonObject[] }).versions;
      const versions = [{ ...version, name: "v2" }];
      await t.request("PATCH", path, { spec: { versions } }, { contentType: MERGE_PATCH });
    },
  },
];
