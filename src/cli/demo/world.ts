// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineRequest } from "../../api/index.ts";
import { createEngine } from "../../engine/engine.ts";
import { providerConfigDescriptor } from "../../engine/provider-config-use.ts";
import type { RunningSimulator } from "../../engine/testing/simulator.ts";
import { kinds } from "../../kinds.ts";
import {
  type Client,
  createCaches,
  createClient,
  createLog,
  createManager,
  customResourceDefinition,
  loadKubeconfig,
  namespace,
  secret,
  systemClock,
} from "../../kube/index.ts";
import { type Plane, startPlane } from "../../plane/plane.ts";
import { harvesterSimulator } from "../../providers/harvester/simulator.ts";
import { providers } from "../../providers/index.ts";
import { CONFIG_NAME, clusterOf, NAMESPACE, SECRET_NAME } from "./machines.ts";

/** How much faster than real ones the simulated machines come up. */
const PACE = 0.25;

/** Everything the demo runs, in this process. */
export interface World {
  readonly plane: Plane;
  readonly simulator: RunningSimulator;
  readonly client: Client;
  /** Rejects when the controllers have given up. Never resolves before `stop`. */
  readonly controllers: Promise<void>;
  /** Ends all of it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts an API server, a Harvester and the controllers, each on a port of its own. */
export async function raiseWorld(onLine: (line: string) => void): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), "butler-demo-"));
  const random = Math.random;
  const [plane, simulator] = await Promise.all([
    startPlane({ dir }),
    harvesterSimulator.start({ clock: systemClock, random, listens: true, pace: PACE }),
  ]);
  const client = createClient(await loadKubeconfig({ text: plane.kubeconfig, env: {} }));
  for (const kind of kinds) await client.create(customResourceDefinition, kind.crd());
  await client.create(namespace, { metadata: { name: NAMESPACE } });
  const log = createLog({ write: onLine, level: "error" });
  const engine = createEngine({
    provider: "harvester",
    entries: providers,
    client,
    caches: createCaches(client, { onProblem: (error) => log.warn("a cache has a problem", { error }) }),
    clock: systemClock,
    random,
    log,
    identity: "demo",
  });
  const end = new AbortController();
  const controllers = createManager({ client, controllers: [engine.controller], log }).run(end.signal);
  // Whoever waits hears of it; nobody need.
  controllers.catch(() => {});
  return {
    plane,
    simulator,
    client,
    controllers,
    async stop() {
      end.abort(new Error("the demo is over"));
      await controllers.catch(() => {});
      await client.close();
      await simulator.stop();
      await plane.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Applies the credentials, the ProviderConfig and the requests. */
export async function applyCluster({ client, simulator }: World, machines: number): Promise<void> {
  const encoded = Object.entries(simulator.secret).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  await client.create(secret, {
    metadata: { name: SECRET_NAME, namespace: NAMESPACE },
    data: Object.fromEntries(encoded),
  });
  await client.create(providerConfigDescriptor, {
    metadata: { name: CONFIG_NAME, namespace: NAMESPACE },
    spec: { provider: "harvester", credentialsRef: { name: SECRET_NAME }, ...{ harvester: simulator.settings } },
  });
  for (const request of clusterOf(machines)) await client.create(machineRequest, request);
}

/** Asks for everything to be deleted: the requests, then what they used. The controllers hold each back until it is safe. */
export async function deleteCluster({ client }: World, machines: number): Promise<void> {
  for (const { metadata } of clusterOf(machines)) await client.delete(machineRequest, keyOf(metadata.name));
  await client.delete(providerConfigDescriptor, keyOf(CONFIG_NAME));
  await client.delete(secret, keyOf(SECRET_NAME));
}

function keyOf(name = "") {
  return { namespace: NAMESPACE, name };
}
