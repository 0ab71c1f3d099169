// SPDX-License-Identifier: Apache-2.0
import { casesOf, type KindCase } from "./kind-case.ts";

const report = {
  eventTime: "2020-01-01T00:00:00.000001Z",
  reportingComponent: "example.com/c",
  reportingInstance: "i",
  action: "Acted",
  reason: "R",
  type: "Normal",
};
const { reportingComponent, ...others } = report;
const newReport = { ...others, reportingController: reportingComponent };

const events = casesOf("events", [
  ["an event needs nothing", {}],
  [
    "an old event is kept",
    {
      involvedObject: { kind: "Pod", name: "x", namespace: "default" },
      reason: "R",
      message: "m",
      count: 3,
      firstTimestamp: "2020-01-01T00:00:00.5+01:00",
      source: { component: "c" },
    },
  ],
  ["a new event is kept", { ...report, involvedObject: { kind: "Node", name: "x" }, series: { count: 2 } }],
  ["a new event says who and what", { eventTime: report.eventTime }],
  ["an event is where its object is", { involvedObject: { namespace: "other" } }],
  ["an object in no namespace is the default one's", {}, { namespace: "kube-public" }],
  ["a new event about no namespace is the system's", { ...report }, { namespace: "kube-system" }],
  [
    "texts have limits",
    {
      ...report,
      action: "a".repeat(129),
      reason: "r".repeat(129),
      message: "m".repeat(1025),
      reportingInstance: "i".repeat(129),
    },
  ],
  ["a reporter has a qualified name", { ...report, reportingComponent: "a b" }],
  ["a name may have anything a path may", { metadata: { name: "A_b" } }],
  ["a name fits into a path", { metadata: { name: "a/b" } }],
  ["times have six digits", { eventTime: "2020-01-01T00:00:00Z" }],
  ["times have no more digits", { eventTime: "2020-01-01T00:00:00.123456789+01:00" }],
  ["counts are 32 bits", { count: 3_000_000_000 }],
  ["counts are numbers", { count: "3" }],
  ["an event may change", { reason: "S" }, { old: { reason: "R" } }],
]);

const newEvents = casesOf("events.events.k8s.io", [
  ["an event is kept", { ...newReport, note: "n", regarding: { kind: "Pod" } }],
  ["a series is kept", { ...newReport, series: { count: 2, lastObservedTime: "2020-01-01T00:00:00.000001Z" } }],
  ["an event says when, who and what", {}],
  ["a series has a count and a time", { eventTime: report.eventTime, series: {} }],
  [
    "old fields are not set",
    {
      ...newReport,
      deprecatedCount: 3,
      deprecatedSource: { component: "c" },
      deprecatedFirstTimestamp: "2020-01-01T00:00:00Z",
    },
  ],
  ["the type is Normal or Warning", { ...newReport, type: "x" }],
  [
    "what happened stays",
    { ...newReport, note: "other", reason: "S", regarding: { kind: "Pod" } },
    { old: { ...newReport, note: "n" } },
  ],
  ["who reported stays", { ...newReport, reportingController: "example.com/d" }, { old: newReport }],
  [
    "a series goes on",
    { ...newReport, series: { count: 2, lastObservedTime: "2020-01-01T00:00:00.000001Z" } },
    { old: newReport },
  ],
]);

const leases = casesOf("leases.coordination.k8s.io", [
  [
    "a lease is kept",
    { spec: { holderIdentity: "me", leaseDurationSeconds: 15, acquireTime: "2020-01-01T00:00:00.123456+01:00" } },
  ],
  ["a lease needs nothing", { spec: null }],
  ["an empty holder is kept", { spec: { holderIdentity: "" } }],
  ["a duration is positive", { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }],
  ["a duration is a number", { spec: { leaseDurationSeconds: "a" } }],
  ["a duration is 32 bits", { spec: { leaseDurationSeconds: 3_000_000_000 } }],
  ["a duration is whole", { spec: { leaseDurationSeconds: 1.5 } }],
  ["times are text", { spec: { renewTime: 5 } }],
  ["times are times", { spec: { renewTime: "x" } }],
  ["a fault in a time counts before others", { spec: { leaseDurationSeconds: "a", renewTime: "x" } }],
  ["a spec is an object", { spec: [] }],
  ["finalizers may lack a domain", { metadata: { finalizers: ["a"] } }],
  ["features that are off leave no trace", { spec: { strategy: "x", preferredHolder: "y" } }],
]);

const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const roles = casesOf("roles.rbac.authorization.k8s.io", [
  ["a role may allow nothing", {}],
  ["a role is kept", { rules: [rule] }],
  ["a name may have colons", { metadata: { name: "system:a:b" } }],
  ["a name has no slashes", { metadata: { name: "a/b%" } }],
  ["a name is not two dots", { metadata: { name: ".." } }],
  ["rules are complete", { rules: [{}] }],
  ["rules of namespaces have no paths", { rules: [{ verbs: ["get"], nonResourceURLs: ["/a"], resources: ["b"] }] }],
  ["verbs are text", { rules: [{ verbs: [1] }] }],
  ["updates are checked", { rules: [{ verbs: [] }] }, { old: {} }],
]);

const clusterRoles = casesOf("clusterroles.rbac.authorization.k8s.io", [
  ["a path may be allowed", { rules: [{ verbs: ["get"], nonResourceURLs: ["/a"] }] }],
  ["roles may be put together", { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } }],
  ["of something", { aggregationRule: {} }],
  [
    "selectors are right",
    { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "In" }] }] } },
  ],
]);

const roleRef = { kind: "Role", name: "x" };
const roleBindings = casesOf("rolebindings.rbac.authorization.k8s.io", [
  [
    "groups are filled in",
    {
      roleRef,
      subjects: [
        { kind: "User", name: "u" },
        { kind: "ServiceAccount", name: "s" },
      ],
    },
  ],
  ["a binding has a role", {}],
  [
    "subjects are somebody",
    {
      roleRef,
      subjects: [
        { kind: "Group" },
        { kind: "Z", name: "z" },
        { kind: "ServiceAccount", name: "S", apiGroup: "x" },
        { kind: "User", name: "u", apiGroup: "y" },
      ],
    },
  ],
  ["roles are of the group", { roleRef: { ...roleRef, apiGroup: "x", name: "a/b" } }],
  ["the role stays", { roleRef: { kind: "ClusterRole", name: "y" } }, { old: { roleRef } }],
]);

const clusterRoleBindings = casesOf("clusterrolebindings.rbac.authorization.k8s.io", [
  [
    "a binding is kept",
    { roleRef: { kind: "ClusterRole", name: "x" }, subjects: [{ kind: "ServiceAccount", name: "s", namespace: "n" }] },
  ],
  [
    "accounts have namespaces, and roles are cluster roles",
    { roleRef, subjects: [{ kind: "ServiceAccount", name: "s" }] },
  ],
]);

const storageClasses = casesOf("storageclasses.storage.k8s.io", [
  ["defaults are filled in", { provisioner: "Example.com/x" }],
  ["a class is complete and right", { reclaimPolicy: "Recycle", volumeBindingMode: "x", parameters: { "": "x" } }],
  ["a provisioner is qualified", { provisioner: "a b" }],
  [
    "topologies are right",
    {
      provisioner: "x",
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: "a", values: ["x", "x"] },
            { key: "a", values: [] },
          ],
        },
      ],
    },
  ],
  [
    "topologies differ",
    {
      provisioner: "x",
      allowedTopologies: [
        { matchLabelExpressions: [{ key: "a", values: ["x"] }] },
        { matchLabelExpressions: [{ key: "a", values: ["x"] }] },
      ],
    },
  ],
  [
    "most of it stays",
    { provisioner: "y", parameters: { b: "c" }, reclaimPolicy: "Retain", volumeBindingMode: "WaitForFirstConsumer" },
    { old: { provisioner: "x" } },
  ],
  ["growing may be allowed later", { provisioner: "x", allowVolumeExpansion: true }, { old: { provisioner: "x" } }],
]);

const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
const spec = {
  group: "kinds.example.com",
  scope: "Namespaced",
  names: { plural: "foos", kind: "Foo" },
  versions: [version],
};
const crd = (change: Record<string, unknown>) => ({
  metadata: { name: "foos.kinds.example.com" },
  spec: { ...spec, ...change },
});
const definitions = casesOf("customresourcedefinitions.apiextensions.k8s.io", [
  ["names and conversion are filled in", crd({})],
  ["everything must be there", { metadata: { name: "a" }, spec: {} }],
  ["a name is plural and group", { metadata: { name: "bars.kinds.example.com" }, spec }],
  ["a group has a dot", { metadata: { name: "foos.example" }, spec: { ...spec, group: "example" } }],
  ["a scope exists", crd({ scope: "World" })],
  [
    "names are right",
    crd({
      names: { plural: "foos", kind: "Foo", singular: "Foo", listKind: "Foo", shortNames: ["F"], categories: ["a b"] },
    }),
  ],
  ["versions have schemas", crd({ versions: [{ name: "v1", served: true, storage: true }] })],
  ["one version is stored", crd({ versions: [{ ...version, storage: false }] })],
  ["versions are named right", crd({ versions: [{ ...version, name: "V1" }] })],
  ["versions differ", crd({ versions: [version, { ...version, storage: false }] })],
  ["unknown fields are not kept in new definitions", crd({ preserveUnknownFields: true })],
  [
    "columns are right",
    crd({
      versions: [
        {
          ...version,
          additionalPrinterColumns: [
            { name: "", type: "x", format: "y", jsonPath: "z" },
            { name: "a", type: "", jsonPath: "" },
          ],
        },
      ],
    }),
  ],
  [
    "columns of several versions are right",
    crd({
      versions: [
        version,
        {
          ...version,
          name: "v2",
          storage: false,
          additionalPrinterColumns: [{ name: "a", type: "x", jsonPath: ".b" }],
        },
      ],
    }),
  ],
  [
    "scale paths are right",
    crd({
      versions: [
        {
          ...version,
          subresources: { scale: { specReplicasPath: ".status.a", statusReplicasPath: "", labelSelectorPath: "x" } },
        },
      ],
    }),
  ],
  ["warnings are for deprecated versions", crd({ versions: [{ ...version, deprecationWarning: "x" }] })],
  ["warnings are not empty", crd({ versions: [{ ...version, deprecated: true, deprecationWarning: "" }] })],
  ["a webhook is reachable", crd({ conversion: { strategy: "Webhook" } })],
  [
    "a webhook knows versions",
    crd({
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { name: "a", namespace: "b" } },
          conversionReviewVersions: ["v2", "v2", "V"],
        },
      },
    }),
  ],
  [
    "no webhook is asked for nothing",
    crd({
      conversion: {
        strategy: "None",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1"] },
      },
    }),
  ],
  ["conversions exist", crd({ conversion: { strategy: "x" } })],
  ["selectable fields are fields", crd({ versions: [{ ...version, selectableFields: [{ jsonPath: ".spec.a" }] }] })],
  [
    "selectable fields are simple",
    crd({
      versions: [
        {
          ...version,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { a: { type: "string" }, b: { type: "object" } } } },
            },
          },
          selectableFields: [
            { jsonPath: ".spec.a" },
            { jsonPath: ".spec.a" },
            { jsonPath: ".spec.b" },
            { jsonPath: "" },
          ],
        },
      ],
    }),
  ],
  [
    "schemas are structural",
    crd({ versions: [{ ...version, schema: { openAPIV3Schema: { type: "object", properties: { a: {} } } } }] }),
  ],
  [
    "schemas are schemas",
    crd({
      versions: [{ ...version, schema: { openAPIV3Schema: { type: "object", properties: { a: { type: 4 } } } } }],
    }),
  ],
  [
    "items are schemas",
    crd({
      versions: [
        {
          ...version,
          schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "array", items: { type: 4 } } } } },
        },
      ],
    }),
  ],
  [
    "additional properties are a schema or not",
    crd({ versions: [{ ...version, schema: { openAPIV3Schema: { type: "object", additionalProperties: 4 } } }] }),
  ],
  [
    "unknown keywords are warned about",
    crd({
      versions: [
        {
          ...version,
          schema: { openAPIV3Schema: { type: "object", foo: 1, properties: { a: { type: "string", bar: 2 } } } },
        },
      ],
    }),
  ],
  ["protected groups need approval", { metadata: { name: "foos.a.k8s.io" }, spec: { ...spec, group: "a.k8s.io" } }],
  [
    "approval is a link",
    {
      metadata: { name: "foos.a.k8s.io", annotations: { "api-approved.kubernetes.io": "x" } },
      spec: { ...spec, group: "a.k8s.io" },
    },
  ],
  [
    "approval may be refused",
    {
      metadata: { name: "foos.a.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, test" } },
      spec: { ...spec, group: "a.k8s.io" },
    },
  ],
]);

/** Cases of the kinds in all groups but the core one. */
export const otherCases: readonly KindCase[] = [
  ...events,
  ...newEvents,
  ...leases,
  ...roles,
  ...clusterRoles,
  ...roleBindings,
  ...clusterRoleBindings,
  ...storageClasses,
  ...definitions,
];
