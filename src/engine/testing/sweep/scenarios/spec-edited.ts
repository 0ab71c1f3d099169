// SPDX-License-Identifier: Apache-2.0
import { machineRequest } from "../../../../api/index.ts";
import { isInvalid, isNotFound } from "../../../../kube/index.ts";
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import type { Scenario } from "./scenario.ts";

/**
 * Somebody edits the spec while the machine is being made, before the phase forbids it. A machine that was made of the old spec is gone
 * before one of the new is made.
 */
export function specEdited(what: "name" | "size"): Scenario {
  return {
    name: `spec-edited-${what}`,
    from: "asked",
    to: "fixed",
    mostEver: 2,
    begin: ({ world, name }) => ({
      async act() {
        const spec = what === "name" ? { machineName: "web-9" } : { cpu: 4 };
        try {
          await world.client.mergePatch(machineRequest, { namespace: SYSTEM_NAMESPACE, name }, { spec });
          return true;
        } catch (error) {
          // It is too late, or too early.
          if (isInvalid(error) || isNotFound(error)) return false;
          throw error;
        }
      },
    }),
  };
}
