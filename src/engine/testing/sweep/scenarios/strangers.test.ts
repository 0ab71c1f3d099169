// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, loadKubeconfig, secret } from "../../../../kube/index.ts";
import { provider as harvester } from "../../../../providers/harvester/index.ts";
import { harvesterBlock } from "../../../../providers/harvester/settings.ts";
import { harvesterSimulator as simulator } from "../../../../providers/harvester/simulator.ts";
import { pointsFor } from "./plan-plays.ts";
import { playScenario } from "./play-scenario.ts";
import { strangerBefore } from "./strangers.ts";

type Input = Parameters<typeof harvester.connect>[0];

/** A Harvester that leaves something without a mark where a machine could not be made. */
const careless = {
  ...harvester,
  async connect(input: Input) {
    const connection = await harvester.connect(input);
    const { machines } = connection;
    const create: typeof machines.create = async (want, call) => {
      try {
        return await machines.create(want, call);
      } catch (error) {
        await leaveJunk(input);
        throw error;
      }
    };
    return { ...connection, machines: { ...machines, create } };
  },
};

async function leaveJunk({ secret: { kubeconfig: text = "" }, transport, clock }: Input): Promise<void> {
  const client = createClient(loadKubeconfig({ text }), { clock, ...(transport === undefined ? {} : { transport }) });
  // There it is already from the second time on.
  await client.create(secret, { metadata: { name: "junk", namespace: "default" } }).catch(() => {});
  await client.close();
}

test("what a manager leaves beside a stranger's machine is not taken for the stranger's", async () => {
  const scenario = strangerBefore({ isRemoved: false });
  const violationsOf = async (provider: typeof harvester) => {
    const entry = { ...harvesterBlock, load: async () => ({ provider }) };
    const options = { entry, simulator, circumstances: {}, seed: 7, scenario };
    const model = await playScenario(options);
    const at = pointsFor(scenario, model).at(-1);
    assert.ok(at !== undefined);
    const { isPlayed, violations } = await playScenario({ ...options, model, at });
    assert.ok(isPlayed);
    return violations.map(({ kind, text }) => `${kind}: ${text.slice(0, 30)}`);
  };
  assert.deepEqual(await violationsOf(harvester), []);
  assert.deepEqual(await violationsOf(careless), ["leftover: Secret default/junk is there: "]);
});
