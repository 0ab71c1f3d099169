// SPDX-License-Identifier: Apache-2.0
import { machineRequest } from "../../../../api/index.ts";
import { isInvalid, isNotFound, type KindDescriptor, keyOf } from "../../../../kube/index.ts";
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import { providerConfigDescriptor } from "../../../provider-config-use.ts";
import type { Scenario } from "./scenario.ts";

/** All statuses are lost, as in a restore that leaves them out, while no manager runs or under one. It is as if nothing had been. */
export function statusesWiped({ restarts }: { readonly restarts: boolean }): Scenario {
  return {
    name: restarts ? "statuses-wiped" : "statuses-wiped-under-a-manager",
    from: "start",
    to: "gone",
    kills: restarts,
    begin: ({ world: { client } }) => ({
      async act() {
        const place = { namespace: SYSTEM_NAMESPACE };
        const wipe = { subresource: "status" } as const;
        const kinds: readonly KindDescriptor[] = [machineRequest, providerConfigDescriptor];
        for (const kind of kinds)
          for (const object of (await client.list(kind, place)).items)
            await client
              .jsonPatch(kind, keyOf(object), [{ op: "replace", path: "/status", value: {} }], wipe)
              .catch(ignoreGone);
        return undefined;
      },
    }),
  };
}

/** One without a status has nothing to lose. */
function ignoreGone(error: unknown): void {
  if (!isNotFound(error) && !isInvalid(error)) throw error;
}
