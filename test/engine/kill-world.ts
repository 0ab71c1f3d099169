// SPDX-License-Identifier: Apache-2.0
import { kinds } from "../../src/kinds.ts";
import { customResourceDefinition, namespace as namespaceKind } from "../../src/kube/index.ts";
import { type Plane, startPlane } from "../../src/plane/plane.ts";
import { createTrap, type Trap } from "./kill-trap.ts";
import {
  clientInside,
  createAccess,
  followRequests,
  type LivesWorld,
  NAMESPACE,
  startHarvester,
} from "./lives-world.ts";

/** A world whose Kubernetes is a plane in this process. The trap sees neither its user nor who looks from behind. */
export interface World extends LivesWorld {
  readonly plane: Plane;
  readonly trap: Trap;
  stop(): Promise<void>;
}

/** Starts both and prepares everything but requests. */
export async function raiseWorld(seed: number): Promise<World> {
  const simulator = await startHarvester(seed);
  const trap = createTrap(simulator);
  const plane = await startPlane({ memory: true, intercept: trap.intercept });
  const client = clientInside(plane);
  const behind = clientInside(simulator.plane);
  for (const kind of kinds) await client.create(customResourceDefinition, kind.crd());
  await client.create(namespaceKind, { metadata: { name: NAMESPACE } });
  await plane.settled();
  await createAccess(client, simulator);
  const following = await followRequests(client);
  const type = plane.registry.findKind("butler.butlerlabs.dev", "MachineRequest");
  if (type === undefined) throw new Error("the plane does not know MachineRequests");
  return {
    plane,
    simulator,
    client,
    behind,
    requests: following.requests,
    trap,
    async machineIdOf(namespace, name) {
      return plane.objects.get(type, { namespace, name })?.metadata.annotations?.["butler.butlerlabs.dev/machine-id"];
    },
    async stop() {
      await following.stop();
      await client.close();
      await behind.close();
      await simulator.stop();
      await plane.stop();
    },
  };
}
