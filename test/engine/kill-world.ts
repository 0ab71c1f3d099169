// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../../src/api/index.ts";
import { kinds } from "../../src/kinds.ts";
import {
  type Cache,
  type Client,
  createCache,
  createClient,
  customResourceDefinition,
  namespace,
  systemClock,
} from "../../src/kube/index.ts";
import { type Plane, startPlane } from "../../src/plane/plane.ts";
import { type HarvesterSimulation, harvesterSimulator } from "../../src/providers/harvester/simulator.ts";
import { seededRandom } from "../seeded-random.ts";
import { createTrap, type Trap } from "./kill-trap.ts";
import { accessObjects } from "./life-objects.ts";

/** What survives every kill: a Kubernetes and a Harvester, both listening. */
export interface World {
  readonly plane: Plane;
  readonly simulator: HarvesterSimulation;
  /** The user of the Kubernetes. The trap does not see it. */
  readonly client: Client;
  /** Looks into Harvester from behind. The trap does not see it. */
  readonly behind: Client;
  readonly requests: Cache<MachineRequest>;
  readonly trap: Trap;
  stop(): Promise<void>;
}

export const NAMESPACE = "butler-system";
export const CONFIG = "harvester-prod";

/** Much faster than real machines come up, and slow enough for kills to fall in between. */
const PACE = 0.05;

/** Starts both and prepares everything but requests. */
export async function raiseWorld(seed: number): Promise<World> {
  const random = seededRandom(seed).next;
  const simulator = await harvesterSimulator.start({ clock: systemClock, random, listens: true, pace: PACE });
  const trap = createTrap(simulator);
  const plane = await startPlane({ memory: true, intercept: trap.intercept });
  const client = clientInside(plane);
  const behind = clientInside(simulator.plane);
  for (const kind of kinds) await client.create(customResourceDefinition, kind.crd());
  await client.create(namespace, { metadata: { name: NAMESPACE } });
  await plane.settled();
  const [credentials, config] = accessObjects(CONFIG, simulator);
  await client.raw("POST", `/api/v1/namespaces/${NAMESPACE}/secrets`, { body: credentials });
  await client.raw("POST", `/apis/butler.butlerlabs.dev/v1alpha1/namespaces/${NAMESPACE}/providerconfigs`, {
    body: config,
  });
  const requests = createCache(client, machineRequest, { namespace: NAMESPACE });
  const end = new AbortController();
  const following = requests.start(end.signal);
  await requests.synced;
  return {
    plane,
    simulator,
    client,
    behind,
    requests,
    trap,
    async stop() {
      end.abort(new Error("the test is over"));
      await following;
      await client.close();
      await behind.close();
      await simulator.stop();
      await plane.stop();
    },
  };
}

function clientInside({ handle }: Plane): Client {
  const user = { name: "admin", groups: ["system:masters", "system:authenticated"] };
  return createClient({ server: "http://inside" }, { transport: (request) => handle({ ...request, user }) });
}
