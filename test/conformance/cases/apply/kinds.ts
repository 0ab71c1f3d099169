// SPDX-License-Identifier: Apache-2.0
import { APPLY_PATCH, crd, kindOf } from "../../framework/objects.ts";
import type { Answer, JsonObject, Target } from "../../framework/types.ts";

export const GROUP = "apply.example.com";

/** Has a field of every sort that apply treats in a way of its own; `/status` and `/scale` are served. */
export const widget = kindOf(GROUP, "Widget");

/** Is served as v1 and v2. */
export const gadget = kindOf(GROUP, "Gadget");

const text = { type: "string" };

const spec = {
  type: "object",
  properties: {
    size: { type: "integer", maximum: 100 },
    color: text,
    shape: { type: "string", default: "round" },
    replicas: { type: "integer" },
    nested: { type: "object", properties: { a: text, deep: { type: "object", properties: { b: text, c: text } } } },
    notes: { type: "object", additionalProperties: text },
    fixed: { type: "object", properties: { a: text, b: text }, "x-kubernetes-map-type": "atomic" },
    ports: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: {
        type: "object",
        required: ["port"],
        properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" }, name: text, note: text },
      },
    },
    tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
    steps: { type: "array", items: { type: "object", properties: { run: text } } },
    anything: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    amount: { "x-kubernetes-int-or-string": true },
  },
};

const status = {
  type: "object",
  properties: {
    phase: text,
    replicas: { type: "integer" },
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: { type: "object", required: ["type"], properties: { type: text, status: text, reason: text } },
    },
  },
};

const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
const painted = { type: "object", properties: { size: { type: "integer" }, color: text } };
const gadgets = crd({ group: GROUP, kind: "Gadget", spec: painted });
const { versions, ...gadgetSpec } = gadgets.spec as { versions: readonly JsonObject[] };
const twoVersions = versions.flatMap((version) => [version, { ...version, name: "v2", storage: false }]);

export const crds = [
  crd({ group: GROUP, kind: "Widget", spec, status, subresources: { status: {}, scale } }),
  { ...gadgets, spec: { ...gadgetSpec, versions: twoVersions } },
];

/** What an apply is told besides the configuration. */
export interface ApplyOptions {
  readonly force?: boolean;
  readonly query?: string;
  /** See `RequestOptions`. */
  readonly wordsAlone?: boolean;
}

/** Applies a configuration at a path, as a field manager. */
export function applyAt(t: Target, path: string, manager: string) {
  return (
    config: JsonObject | string,
    { force = false, query = "", wordsAlone = false }: ApplyOptions = {},
  ): Promise<Answer> => {
    const parameters = `fieldManager=${manager}${force ? "&force=true" : ""}${query}`;
    return t.request("PATCH", `${path}?${parameters}`, config, { contentType: APPLY_PATCH, wordsAlone });
  };
}

/** Applies the spec of widget "a" as a field manager. */
export async function apply(t: Target, manager: string, spec: JsonObject, options: ApplyOptions = {}): Promise<Answer> {
  return applyAt(t, t.custom("widgets", "a"), manager)(widget("a", { spec }), options);
}
