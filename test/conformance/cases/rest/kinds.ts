// SPDX-License-Identifier: Apache-2.0
import { crd, kindOf } from "../../framework/objects.ts";

export const GROUP = "rest.example.com";

/** Two typed fields in spec; `/status` is served. */
export const widget = kindOf(GROUP, "Widget");

/** Has no subresource at all. */
export const plain = kindOf(GROUP, "Plain");

/** Has `/scale`, without and with a label selector. */
export const fleet = kindOf(GROUP, "Fleet");

/** Belongs to no namespace. */
export const planet = kindOf(GROUP, "Planet");

const sized = {
  type: "object",
  properties: {
    size: { type: "integer" },
    color: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
    nested: { type: "object", properties: { deep: { type: "string" } } },
  },
};

const scale = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};

export const crds = [
  crd({
    group: GROUP,
    kind: "Widget",
    spec: sized,
    status: { type: "object", properties: { phase: { type: "string" } } },
    subresources: { status: {} },
    names: { shortNames: ["wd"], categories: ["all", "gadgets"] },
  }),
  crd({ group: GROUP, kind: "Plain", spec: sized }),
  crd({
    group: GROUP,
    kind: "Fleet",
    spec: { type: "object", properties: { replicas: { type: "integer", minimum: 0 }, note: { type: "string" } } },
    status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
    subresources: { status: {}, scale },
  }),
  crd({ group: GROUP, kind: "Planet", scope: "Cluster", spec: sized }),
];
