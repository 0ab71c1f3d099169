// SPDX-License-Identifier: Apache-2.0
import { crd, kindOf } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";

export const GROUP = "schema.example.com";

export const text = { type: "string" };
export const whole = { type: "integer" };

/** An object schema with these properties. */
export function objectOf(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...more };
}

/** A CRD of the suite's group; only `spec` is described. */
export function kind(name: string, spec: JsonObject, schema: JsonObject = {}): JsonObject {
  return crd({ group: GROUP, kind: name, schema: { type: "object", properties: { spec }, ...schema } });
}

/**
 * A case that tries specs of a kind, each with the code it deserves, as dry runs: all start from nothing. What is
 * accepted is shown as the server would store it.
 */
export function attempts(name: string, kindName: string, tries: readonly (readonly [number, unknown])[]): Case {
  const make = kindOf(GROUP, kindName);
  return {
    name,
    answers: tries.map(([code]) => code),
    async run(t) {
      const path = `${t.custom(`${kindName.toLowerCase()}s`)}?dryRun=All`;
      for (const [, spec] of tries) {
        await t.request("POST", path, make("a", { spec }), { show: (body) => ({ spec: body.spec }) });
      }
    },
  };
}

/** A case that stores one spec and then tries to change it into others, as dry runs. */
export function changes(
  name: string,
  kindName: string,
  { from, to }: { readonly from: unknown; readonly to: readonly (readonly [number, unknown])[] },
): Case {
  const make = kindOf(GROUP, kindName);
  return {
    name,
    answers: to.map(([code]) => code),
    async run(t) {
      const plural = `${kindName.toLowerCase()}s`;
      const stored = await t.prepare("POST", t.custom(plural), make("a", { spec: from }));
      for (const [, spec] of to) {
        await t.request(
          "PUT",
          `${t.custom(plural, "a")}?dryRun=All`,
          { ...stored, spec },
          { show: (body) => ({ spec: body.spec }) },
        );
      }
    },
  };
}
