// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../../src/api/index.ts";
import { type Cache, type Client, createCache, createClient, systemClock } from "../../src/kube/index.ts";
import type { Plane } from "../../src/plane/plane.ts";
import { type HarvesterSimulation, harvesterSimulator } from "../../src/providers/harvester/simulator.ts";
import { seededRandom } from "../seeded-random.ts";
import { accessObjects } from "./life-objects.ts";

/** What survives whatever is done to managers: a Kubernetes and a Harvester, both listening. */
export interface LivesWorld {
  readonly simulator: HarvesterSimulation;
  /** The user of the Kubernetes. */
  readonly client: Client;
  /** Looks into Harvester from behind. */
  readonly behind: Client;
  readonly requests: Cache<MachineRequest>;
  /** The machine id that a request has at this moment, not a moment ago. */
  machineIdOf(namespace: string, name: string): Promise<string | undefined>;
}

export const NAMESPACE = "butler-system";
export const CONFIG = "harvester-prod";

/** Much faster than real machines come up, and slow enough for kills to fall in between. */
const PACE = 0.05;

/** Starts a Harvester that listens. */
export function startHarvester(seed: number): Promise<HarvesterSimulation> {
  const random = seededRandom(seed).next;
  return harvesterSimulator.start({ clock: systemClock, random, listens: true, pace: PACE });
}

/** Makes the ProviderConfig that leads to it, and its Secret. */
export async function createAccess(client: Client, simulator: HarvesterSimulation): Promise<void> {
  const [credentials, config] = accessObjects(CONFIG, simulator);
  await client.raw("POST", `/api/v1/namespaces/${NAMESPACE}/secrets`, { body: credentials });
  await client.raw("POST", `/apis/butler.butlerlabs.dev/v1alpha1/namespaces/${NAMESPACE}/providerconfigs`, {
    body: config,
  });
}

/** Follows the requests. */
export async function followRequests(client: Client) {
  const requests = createCache(client, machineRequest, { namespace: NAMESPACE });
  const end = new AbortController();
  const following = requests.start(end.signal);
  await requests.synced;
  return {
    requests,
    async stop() {
      end.abort(new Error("the test is over"));
      await following;
    },
  };
}

/** An administrator in the same process. */
export function clientInside({ handle }: Plane): Client {
  const user = { name: "admin", groups: ["system:masters", "system:authenticated"] };
  return createClient({ server: "http://inside" }, { transport: (request) => handle({ ...request, user }) });
}
