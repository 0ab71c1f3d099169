// SPDX-License-Identifier: Apache-2.0
import type { Circumstances } from "../../../engine/testing/index.ts";
import { createClient, loadKubeconfig, namespace } from "../../../kube/index.ts";
import type { HarvesterSimulation } from "../simulator.ts";

const ELSEWHERE = "tenant-b";

/** What scenarios need of a simulated Harvester: its tokens are renewed, and another namespace of it is another place. */
export function harvesterCircumstances({
  isBasic,
}: {
  readonly isBasic: boolean;
}): Required<Circumstances<HarvesterSimulation>> {
  return {
    rotate(sim) {
      sim.expireCredentials();
      return sim.renewCredentials({ isBasic });
    },
    async elsewhere(sim) {
      const admin = createClient(loadKubeconfig({ text: sim.adminKubeconfig }), { transport: sim.transport });
      await admin.create(namespace, { metadata: { name: ELSEWHERE } });
      await admin.close();
      const { settings, secret } = isBasic ? sim.basicAccess : sim;
      return { settings: { ...settings, namespace: ELSEWHERE }, secret };
    },
  };
}
