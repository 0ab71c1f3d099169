// SPDX-License-Identifier: Apache-2.0
import { configMap, crd, kindOf } from "../../framework/objects.ts";
import type { JsonObject, Target } from "../../framework/types.ts";

export const GROUP = "watch.example.com";

/** Has a status, a selectable field `.spec.color` and a printer column for it. */
export const widget = kindOf(GROUP, "Widget");

/** Is served as v1 and v2. */
export const gadget = kindOf(GROUP, "Gadget");

const painted = { type: "object", properties: { size: { type: "integer" }, color: { type: "string" } } };

const gadgets = crd({ group: GROUP, kind: "Gadget", spec: painted });
const { versions, ...gadgetSpec } = gadgets.spec as { versions: readonly JsonObject[] };
const twoVersions = versions.flatMap((version) => [version, { ...version, name: "v2", storage: false }]);

export const crds = [
  crd({
    group: GROUP,
    kind: "Widget",
    spec: painted,
    subresources: { status: {} },
    selectableFields: [{ jsonPath: ".spec.color" }],
    columns: [{ name: "Color", type: "string", jsonPath: ".spec.color" }],
  }),
  { ...gadgets, spec: { ...gadgetSpec, versions: twoVersions } },
];

/** The version of an object, a list, or an event's object. */
export function versionOf({ metadata }: JsonObject): string {
  return (metadata as { resourceVersion: string }).resourceVersion;
}

/** The version to watch from to see everything that a case writes from now on. */
export async function now(t: Target): Promise<string> {
  return versionOf(await t.prepare("GET", t.core("configmaps")));
}

/** Creates ConfigMaps without a word, one after the other; gives them back as stored. */
export async function stored(t: Target, ...names: readonly string[]): Promise<JsonObject[]> {
  const objects: JsonObject[] = [];
  for (const name of names) objects.push(await t.prepare("POST", t.core("configmaps"), configMap(name)));
  return objects;
}

/** The path of a watch. */
export function watching(path: string, query: Readonly<Record<string, string | number | boolean>> = {}): string {
  const parameters = Object.entries({ watch: true, ...query });
  return `${path}?${parameters.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`;
}
