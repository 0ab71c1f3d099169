// SPDX-License-Identifier: Apache-2.0
import type { Hazards } from "../src/engine/testing/soak/hazards.ts";
import type { SoakOptions } from "../src/engine/testing/soak/soak.ts";
import { createClient } from "../src/kube/index.ts";
import { type HarvesterSimulation, harvesterSimulator } from "../src/providers/harvester/simulator.ts";
import { providers } from "../src/providers/index.ts";

const hazards: Hazards<HarvesterSimulation> = {
  outage: (sim, ms) => sim.restartApi(ms),
  expireCredentials: (sim) => sim.expireCredentials(),
  renewCredentials: (sim) => sim.renewCredentials(),
  cutWatches: (sim, how) => sim.cutWatches(how),
  async startMachine(sim, name) {
    const user = { name: "outsider", groups: ["system:masters", "system:authenticated"] };
    const client = createClient(
      { server: "http://harvester" },
      { transport: (request) => sim.plane.handle({ ...request, user }) },
    );
    const path = `/apis/kubevirt.io/v1/namespaces/${sim.settings.namespace}/virtualmachines/${name}`;
    const contentType = "application/merge-patch+json";
    await client.raw("PATCH", path, { contentType, body: { spec: { runStrategy: "RerunOnFailure" } } });
    await client.close();
  },
};

/** What a soak on a simulated Harvester needs. */
export function harvesterSoak(): Pick<
  SoakOptions<HarvesterSimulation>,
  "entry" | "simulator" | "providersUrl" | "hazards"
> {
  const entry = providers.find(({ name }) => name === "harvester");
  if (entry === undefined) throw new Error("there is no Harvester");
  const providersUrl = new URL("../src/providers/index.ts", import.meta.url).href;
  return { entry, simulator: harvesterSimulator, providersUrl, hazards };
}
