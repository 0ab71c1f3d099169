// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case, JsonObject, Target } from "../../framework/types.ts";
import { AS_TABLE, GROUP } from "./kinds.ts";

interface Printed {
  readonly name: string;
  /** The objects to be shown, and where they are made. */
  readonly objects: (t: Target) => readonly JsonObject[];
  readonly path: (t: Target) => string;
  /** Narrows a list of cluster-scoped objects down to the case's own. */
  readonly ownOnly?: true;
}

/** A case that makes objects and lists them as a table. */
function prints({ name, objects, path, ownOnly }: Printed): Case {
  return {
    name,
    answers: [200],
    async run(t) {
      for (const object of objects(t)) await t.prepare("POST", path(t), object);
      const query = ownOnly === true ? `?fieldSelector=metadata.name%3D${t.namespace}` : "";
      await t.request("GET", `${path(t)}${query}`, undefined, AS_TABLE);
    },
  };
}

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const OLD = "2001-02-03T04:05:06Z";

export const builtInTables: readonly Case[] = [
  prints({
    name: "ConfigMaps show how many values they have",
    path: (t) => t.core("configmaps"),
    objects: () => [configMap("a"), { ...configMap("b", { x: "", y: "" }), binaryData: { z: "" } }],
  }),
  prints({
    name: "secrets show type and number of values",
    path: (t) => t.core("secrets"),
    objects: () => [
      { metadata: { name: "a" } },
      { metadata: { name: "b" }, type: "example.com/other", stringData: { x: "" } },
    ],
  }),
  prints({
    name: "namespaces show their phase",
    path: () => "/api/v1/namespaces",
    ownOnly: true,
    objects: () => [],
  }),
  prints({
    name: "leases show their holder",
    path: (t) => `/apis/coordination.k8s.io/v1/namespaces/${t.namespace}/leases`,
    objects: () => [{ metadata: { name: "a" }, spec: { holderIdentity: "me" } }, { metadata: { name: "b" } }],
  }),
  prints({
    name: "roles show when they were made",
    path: (t) => `${RBAC}/namespaces/${t.namespace}/roles`,
    objects: () => [{ metadata: { name: "a" }, rules: [] }],
  }),
  prints({
    name: "role bindings show role and subjects",
    path: (t) => `${RBAC}/namespaces/${t.namespace}/rolebindings`,
    objects: ({ namespace }) => [
      {
        metadata: { name: "a" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
        subjects: [
          { kind: "User", name: "ann", apiGroup: "rbac.authorization.k8s.io" },
          { kind: "User", name: "bob", apiGroup: "rbac.authorization.k8s.io" },
          { kind: "Group", name: "staff", apiGroup: "rbac.authorization.k8s.io" },
          { kind: "ServiceAccount", name: "robot", namespace },
        ],
      },
    ],
  }),
  prints({
    name: "cluster roles show when they were made",
    path: () => `${RBAC}/clusterroles`,
    ownOnly: true,
    objects: ({ namespace }) => [{ metadata: { name: namespace }, rules: [] }],
  }),
  {
    name: "service accounts show their age alone",
    answers: [200],
    async run(t) {
      const robot = { metadata: { name: "robot" }, secrets: [{ name: "a" }, { name: "b" }] };
      await t.prepare("POST", t.core("serviceaccounts"), robot);
      await t.request("GET", t.core("serviceaccounts", "robot"), undefined, AS_TABLE);
    },
  },
  prints({
    name: "volume claims show their state",
    path: (t) => t.core("persistentvolumeclaims"),
    objects: () => [
      {
        metadata: { name: "a" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
      },
    ],
  }),
  prints({
    name: "storage classes show provisioner and policies",
    path: () => "/apis/storage.k8s.io/v1/storageclasses",
    ownOnly: true,
    objects: ({ namespace }) => [{ metadata: { name: namespace }, provisioner: "example.com/disk" }],
  }),
  prints({
    name: "events show when, what and about whom",
    path: (t) => t.core("events"),
    objects: ({ namespace }) => [
      {
        metadata: { name: "a" },
        involvedObject: { kind: "ConfigMap", namespace, name: "a", fieldPath: "data" },
        reason: "Started",
        message: "It has started. ",
        type: "Normal",
        source: { component: "tester", host: "here" },
        count: 3,
      },
    ],
  }),
  {
    name: "events that happened long ago, once or in a series, show their ages",
    answers: [200],
    async run(t) {
      const about = { kind: "ConfigMap", namespace: t.namespace, name: "a" };
      const event = (name: string, more: JsonObject) => ({
        metadata: { name },
        involvedObject: about,
        reason: "Started",
        message: "It has started.",
        type: "Normal",
        ...more,
      });
      await t.prepare("POST", t.core("events"), event("old", { firstTimestamp: OLD, lastTimestamp: OLD, count: 1 }));
      await t.prepare("POST", t.core("events"), event("undated", {}));
      const modern = {
        eventTime: "2001-02-03T04:05:06.000000Z",
        reportingComponent: "example.com/tester",
        reportingInstance: "tester-0",
        action: "Starting",
        series: { count: 4, lastObservedTime: "2001-02-03T04:05:06.000000Z" },
      };
      await t.prepare("POST", t.core("events"), event("series", modern));
      const show = ({ rows }: JsonObject) =>
        (rows as { cells: unknown[] }[]).map(({ cells }) =>
          cells.map((cell) =>
            String(cell)
              .replace(/^\d+y(\d+d)?/, "{years}")
              .replace(/ over \d+y(\d+d)?/, " over {years}"),
          ),
        );
      await t.request("GET", t.core("events"), undefined, { ...AS_TABLE, show });
    },
  },
  {
    name: "definitions of custom resources show when they were made",
    answers: [200],
    async run(t) {
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/plains.${GROUP}`;
      const show = ({ rows, columnDefinitions }: JsonObject) => ({
        columns: (columnDefinitions as JsonObject[]).map(({ name, type }) => [name, type]),
        // The time that they were made, not the age.
        cells: (rows as { cells: unknown[] }[]).map(({ cells }) => cells),
      });
      await t.request("GET", path, undefined, { ...AS_TABLE, show });
    },
  },
];
