// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { manualClock } from "../../../kube/index.ts";
import { type HarvesterSimulation, harvesterSimulator } from "../simulator.ts";
import { letPass, numbers } from "./testing/stage.ts";

type Deed = (harvester: HarvesterSimulation, key: string) => unknown;

const ignoringAbsence = (deed: (harvester: HarvesterSimulation, key: string) => Promise<unknown>): Deed => {
  return (harvester, key) => deed(harvester, key).catch((error: Error) => assert.match(error.message, /there is no/));
};

const deeds: Readonly<Record<string, Deed>> = {
  make: (harvester, key) => harvester.addStranger(key.slice("default/".length)),
  remove: (harvester, key) => harvester.deleteObject("vm", key),
  "remove instance": (harvester, key) => harvester.deleteObject("vmi", key),
  "remove claim": (harvester, key) => harvester.deleteObject("claim", `${key}-disk-0`),
  stop: (harvester, key) => harvester.stopMachine(key.slice("default/".length)),
  migrate: ignoringAbsence((harvester, key) => harvester.migrate(key)),
  "shut down": ignoringAbsence((harvester, key) => harvester.endGuest(key, "Succeeded")),
  crash: ignoringAbsence((harvester, key) => harvester.endGuest(key, "Failed")),
  "no room": (harvester) => harvester.setRoom(false),
  room: (harvester) => harvester.setRoom(true),
  "harvester down": (harvester) => harvester.setHarvesterDown(true),
  "harvester up": (harvester) => harvester.setHarvesterDown(false),
  "hold addresses": (harvester) => harvester.holdAddresses(true),
  "short quota": (harvester) => harvester.setQuota("default", { memoryMb: 3000 }),
  "restart the API": (harvester) => harvester.restartApi(3_000),
};

/** Everything back to normal, every machine and volume deleted. */
async function tidy(harvester: HarvesterSimulation): Promise<void> {
  harvester.setRoom(true);
  harvester.setHarvesterDown(false);
  harvester.holdAddresses(false);
  await harvester.setQuota("default");
  for (const { name } of harvester.machines()) await harvester.deleteObject("vm", `default/${name}`);
}

test("whatever is done to it in whatever order, it never has a fault of its own, and everything can be deleted", async () => {
  const act = fc.record({
    deed: fc.constantFrom(...Object.keys(deeds)),
    machine: fc.constantFrom("default/a", "default/b", "default/c"),
    thenMs: fc.constantFrom(0, 50, 400, 3_000, 20_000),
  });
  const run = async (acts: readonly { deed: string; machine: string; thenMs: number }[], seed: number) => {
    const clock = manualClock();
    const harvester = await harvesterSimulator.start({ clock, random: numbers(seed), listens: false });
    const before = harvester.state();
    try {
      for (const { deed, machine, thenMs } of acts) {
        await deeds[deed]?.(harvester, machine);
        await letPass(harvester, clock, thenMs);
        const addresses = harvester.machines().flatMap((one) => one.addresses);
        assert.equal(new Set(addresses).size, addresses.length);
      }
      await letPass(harvester, clock, 5_000);
      await tidy(harvester);
      await letPass(harvester, clock, 60_000);
      for (const key of harvester.leftovers()) {
        assert.match(key, /^PersistentVolumeClaim /);
        await harvester.deleteObject("claim", key.slice("PersistentVolumeClaim ".length));
      }
      await letPass(harvester, clock, 5_000);
      assert.deepEqual(harvester.state(), before);
    } finally {
      await harvester.stop();
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(act, { maxLength: 25 }), fc.nat(), run), { numRuns: 15, seed: 6 });
});
