// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../../../../api/index.ts";
import { isConflict, isInvalid } from "../../../../kube/index.ts";
import type { Scenario } from "./scenario.ts";

/**
 * Somebody replaces the request by the manifest that it was made from (`kubectl replace`), which has neither annotations nor finalizers,
 * and may have another name for the machine: nothing is left in the request that tells of a machine on its way.
 */
export function manifestReplaced({ isRenamed }: { readonly isRenamed: boolean }): Scenario {
  return {
    name: isRenamed ? "manifest-replaced-with-another-name" : "manifest-replaced",
    from: "asked",
    to: isRenamed ? "fixed" : "deleted",
    mostEver: isRenamed ? 2 : 1,
    begin: ({ world: { client }, request }) => ({
      async act() {
        const current = request();
        if (current === undefined || current.metadata.deletionTimestamp !== undefined) return false;
        const spec = { ...current.spec, ...(isRenamed ? { machineName: "web-9" } : {}) };
        try {
          await client.update(machineRequest, { ...bare(current), spec });
          return true;
        } catch (error) {
          // It is too late, or somebody was quicker.
          if (isInvalid(error) || isConflict(error)) return false;
          throw error;
        }
      },
    }),
  };
}

/** As people have it in a file. */
function bare({
  apiVersion,
  kind,
  metadata,
}: MachineRequest): Pick<MachineRequest, "apiVersion" | "kind" | "metadata"> {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
}
