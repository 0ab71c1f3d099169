// SPDX-License-Identifier: Apache-2.0
import { int32, needed, of, optional, shown, struct, text } from "../kinds/fields.ts";
import { builtIn } from "../kinds/kind.ts";
import type { ResourceType } from "../types.ts";

const AUTOSCALING = "io.k8s.api.autoscaling.v1";

const scaleSpec = struct(`${AUTOSCALING}.ScaleSpec`, "How many are wanted.", {
  replicas: optional(int32, "How many are wanted."),
});

const scaleStatus = struct(`${AUTOSCALING}.ScaleStatus`, "How many there are.", {
  replicas: needed(int32, "How many there are."),
  selector: optional(text, "Selects them by their labels."),
});

/** What the `scale` subresource of custom resources speaks of; no resource of its own. */
export const scaleType: ResourceType = builtIn({
  group: "autoscaling",
  kind: "Scale",
  plural: "scales",
  namespaced: true,
  verbs: [],
  definitions: AUTOSCALING,
  about: "How many there are of something, and how many there should be.",
  fields: {
    spec: optional(of(scaleSpec), "How many are wanted."),
    status: shown(of(scaleStatus), "How many there are."),
  },
  isVirtual: true,
  behaviour: {},
});
