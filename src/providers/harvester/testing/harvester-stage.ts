// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import type { Connection, MachineHave, MachineWant } from "../../../engine/provider.ts";
import { onStage, refusal, type Stage } from "../../../engine/testing/contract-stage.ts";
import { type Client, createClient, loadKubeconfig } from "../../../kube/index.ts";
import { provider } from "../index.ts";
import { type HarvesterOptions, type HarvesterSimulation, harvesterSimulator } from "../simulator.ts";

/** A stage with a simulated Harvester on it. */
export interface HarvesterStage extends Stage {
  readonly sim: HarvesterSimulation;
  /** Who may do everything on Harvester. */
  readonly admin: Client;
  /** Connects with other fields in the ProviderConfig's block, or other credentials. */
  link(changes?: LinkChanges): Promise<Connection>;
  /** Makes a machine and waits until it runs and has an address. */
  up(connection: Connection, want: MachineWant): Promise<MachineHave>;
}

/** What may differ from the usual connection. */
export interface LinkChanges {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly secret?: Readonly<Record<string, string>>;
}

/** Plays on a fresh Harvester in this process. */
export async function onHarvester(
  play: (stage: HarvesterStage) => Promise<void>,
  options: Pick<HarvesterOptions, "harvester"> = {},
): Promise<void> {
  let started: HarvesterSimulation | undefined;
  const simulator = {
    ...harvesterSimulator,
    async start(given: HarvesterOptions) {
      started = await harvesterSimulator.start({ ...given, ...options });
      return started;
    },
  };
  await onStage({ provider, simulator, overSockets: false }, async (stage) => {
    assert.ok(started !== undefined);
    const sim = started;
    const config = loadKubeconfig({ text: sim.adminKubeconfig });
    const admin = createClient(config, { clock: stage.clock, transport: sim.transport });
    const link = ({ settings = {}, secret = sim.secret }: LinkChanges = {}) =>
      stage.connect({ access: { settings: { ...sim.settings, ...settings }, secret } });
    await play({
      ...stage,
      sim,
      admin,
      link,
      async up(connection, want) {
        await connection.machines.create(want, stage.call());
        const found = await stage.until(
          connection,
          want,
          ({ have }) => have?.state === "running" && have.addresses.length > 0,
        );
        assert.ok(found.have !== undefined);
        return found.have;
      },
    });
    await admin.close();
  });
}

/** The refusal that create must end in. */
export function createRefusal({ call }: Stage, connection: Connection, want: MachineWant) {
  return refusal(connection.machines.create(want, call()), "create");
}
