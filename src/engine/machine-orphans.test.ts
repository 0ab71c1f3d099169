// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import { conditions, type LifeStage, raiseLifeStage } from "./testing/life-stage.ts";
import { fixedRandom } from "./testing/stage.ts";

/** The request is gone as in a restore from an older backup: nobody has let go of its machine. */
async function lose({ client, gone }: LifeStage, name: string): Promise<void> {
  const key = { namespace: "butler-system", name };
  await client.delete(machineRequest, key);
  await client.mergePatch(machineRequest, key, { metadata: { finalizers: null } });
  await gone(name);
}

test("nothing new is made while a machine stands whose request was lost, and whoever asks for it again gets it", async () => {
  const stage = await raiseLifeStage();
  const first = await stage.grow("web-1");
  await stage.grow("web-2", "127.0.0.6");
  await stage.manager.stop();
  await lose(stage, "web-1");
  await lose(stage, "web-2");
  // Another manager makes other ids.
  stage.run("harvester", { random: fixedRandom(5) });
  await stage.request("web-3");
  const held = await stage.when("web-3", "held back", (request) =>
    conditions(request).includes("Ready=False TooManyMachines"),
  );
  assert.match(JSON.stringify(held.status), /web-1/);
  await stage.request("web-1");
  const again = await stage.phase("web-1", "Running");
  assert.equal(again.status?.providerID, first.status?.providerID);
  await stage.settle(60_000);
  assert.equal(stage.cloud.machines.size, 2);
  assert.equal((await stage.read("web-3")).status?.phase, "Pending");
  await stage.request("web-2");
  await stage.phase("web-2", "Running");
  await stage.phase("web-3", "Creating");
  assert.equal(stage.cloud.machines.size, 3);
  assert.equal(stage.cloud.mostPerId(), 1);
  await stage.stop();
});
