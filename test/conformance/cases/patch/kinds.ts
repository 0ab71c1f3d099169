// SPDX-License-Identifier: Apache-2.0
import { crd, JSON_PATCH, kindOf, MERGE_PATCH, STRATEGIC_PATCH } from "../../framework/objects.ts";
import type { Answer, JsonObject, Target } from "../../framework/types.ts";

export const GROUP = "patch.example.com";

/** Has a number, maps and lists in spec; `/status` is served. */
export const widget = kindOf(GROUP, "Widget");

const text = { type: "string" };

export const crds = [
  crd({
    group: GROUP,
    kind: "Widget",
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", minimum: 1 },
        color: text,
        shape: { type: "string", default: "round" },
        notes: { type: "object", additionalProperties: text },
        tags: { type: "array", items: text },
        nested: { type: "object", properties: { a: text, b: text } },
      },
    },
    status: { type: "object", properties: { phase: text } },
    subresources: { status: {} },
  }),
];

/** Stores widget "a" without a word and gives it back. */
export async function stored(t: Target, spec: JsonObject = { size: 1, color: "red" }): Promise<JsonObject> {
  return t.prepare("POST", t.custom("widgets"), widget("a", { spec }));
}

/** Sends one sort of patch. */
type Send = (t: Target, path: string, patch: unknown) => Promise<Answer>;

const sender =
  (contentType: string): Send =>
  (t, path, patch) =>
    t.request("PATCH", path, patch, { contentType });

export const jsonPatch = sender(JSON_PATCH);
export const mergePatch = sender(MERGE_PATCH);
export const strategicPatch = sender(STRATEGIC_PATCH);
