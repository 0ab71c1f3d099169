// SPDX-License-Identifier: Apache-2.0
import { configMap, crd, kindOf } from "../../framework/objects.ts";
import type { JsonObject, Target } from "../../framework/types.ts";

export const GROUP = "selectors.example.com";

/** Can be selected by color and by size. */
export const marble = kindOf(GROUP, "Marble");

export const crds = [
  crd({
    group: GROUP,
    kind: "Marble",
    spec: {
      type: "object",
      properties: {
        color: { type: "string" },
        size: { type: "integer" },
        glossy: { type: "boolean" },
        weight: { type: "string" },
      },
    },
    selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.size" }, { jsonPath: ".spec.glossy" }],
  }),
];

/** The labels of the objects that label selectors are tried on. */
const LABELS: Readonly<Record<string, JsonObject>> = {
  a: { color: "red", size: "1" },
  b: { color: "blue", size: "2" },
  c: { color: "red" },
  d: {},
  e: { color: "", "example.com/owner": "me" },
};

/** Stores ConfigMaps a to e with their labels. */
export async function storeLabelled(t: Target): Promise<void> {
  for (const [name, labels] of Object.entries(LABELS)) {
    await t.prepare("POST", t.core("configmaps"), configMap(name, {}, { labels }));
  }
}

/** Stores this many ConfigMaps, named item-0 and so on. */
export async function storeMany(t: Target, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await t.prepare("POST", t.core("configmaps"), configMap(`item-${index}`));
  }
}

/** The names alone, with what a list says about itself. */
export function names({ metadata, items }: JsonObject): JsonObject {
  return { metadata, items: (items as { metadata: { name: string } }[]).map((item) => item.metadata.name) };
}

/** A path with a query, encoded. */
export function query(path: string, parameters: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(parameters)}`;
}
