// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../kube/index.ts";
import { harvesterSimulator } from "../simulator.ts";
import { textAt } from "./read.ts";
import { CLAIMS, IMAGES, letPass, machine, numbers, SECRETS, stage, VMIS, VMS } from "./testing/stage.ts";

test("the state holds every object, also what is only finalizing, without versions, ids and times", async (t) => {
  const { send, pass, harvester } = await stage(t);
  const before = harvester.state();
  await send("POST", VMS, machine("web-1"));
  await pass(60_000);
  await send("DELETE", `${VMS}/web-1`);
  await pass(500);
  assert.deepEqual(harvester.leftovers(), [
    "PersistentVolumeClaim default/web-1-disk-0",
    "VirtualMachine default/web-1",
    "VirtualMachineInstance default/web-1",
  ]);
  const vm = harvester.state().get("VirtualMachine default/web-1") ?? "";
  assert.equal(JSON.parse(vm).metadata.isDeleting, true);
  assert.doesNotMatch(vm, /resourceVersion|managedFields|uid|\d{4}-\d{2}-\d{2}T/);
  await pass(60_000);
  await send("DELETE", `${CLAIMS}/web-1-disk-0`);
  await pass(1_000);
  assert.deepEqual(harvester.state(), before);
});

test("what was there at the start: an imported image by name and display name, a network, classes, nodes, the version", async (t) => {
  const { get, harvester } = await stage(t);
  const image = await get(`${IMAGES}/image-5rs6d`);
  assert.equal(textAt(image, "spec", "displayName"), "talos-v1.9.2");
  assert.equal(textAt(image, "status", "storageClassName"), "longhorn-image-5rs6d");
  for (const key of [
    "NetworkAttachmentDefinition default/vlan40-workloads",
    "StorageClass harvester-longhorn",
    "StorageClass longhorn-image-5rs6d",
    "Node harvester-node-0",
  ])
    assert.ok(harvester.state().has(key), key);
  assert.equal(textAt(await get("/apis/harvesterhci.io/v1beta1/settings/server-version"), "value"), "v1.4.3");
  assert.deepEqual(harvester.settings, {
    namespace: "default",
    networkName: "default/vlan40-workloads",
    imageName: "default/image-5rs6d",
  });
});

test("the same numbers give the same life, at every moment", async (t) => {
  const lives = await Promise.all([7, 7, 8].map((seed) => life(seed)));
  t.diagnostic(`${lives[0]?.length} moments`);
  assert.deepEqual(lives[0], lives[1]);
  assert.notDeepEqual(lives[0], lives[2]);
});

/** Everything two machines go through, as it could be seen every second. */
async function life(seed: number): Promise<readonly string[]> {
  const clock = manualClock();
  const harvester = await harvesterSimulator.start({ clock, random: numbers(seed), listens: false });
  const moments: string[] = [];
  await harvester.addStranger("a");
  await harvester.addStranger("b");
  for (let second = 0; second < 40; second++) {
    if (second === 25) await harvester.removeMachine("a");
    await letPass(harvester, clock, 1000);
    moments.push(JSON.stringify([...harvester.state()].filter(([key]) => key.startsWith("VirtualMachine"))));
    moments.push(JSON.stringify(harvester.machines()));
  }
  await harvester.stop();
  return moments;
}

test("at pace 0 everything happens at once, yet never within the request, and in order", async (t) => {
  const { send, get, harvester, clock } = await stage(t, { pace: 0 });
  const before = clock.now();
  await send("POST", SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } });
  const made = await send("POST", VMS, machine("web-1"));
  assert.equal(textAt(made.body, "status", "printableStatus"), "");
  await harvester.settled();
  assert.equal(textAt(await get(`${VMS}/web-1`), "status", "printableStatus"), "Running");
  assert.equal(harvester.machines()[0]?.addresses.length, 2);
  await send("DELETE", `${VMS}/web-1`);
  await harvester.settled();
  assert.equal(await get(`${VMIS}/web-1`), undefined);
  assert.equal(clock.now(), before);
  assert.deepEqual(harvester.leftovers(), ["PersistentVolumeClaim default/web-1-disk-0", "Secret default/s"]);
});

test("at pace 0 what writes set off does not pile up: more are taken on when the controllers have caught up", async (t) => {
  const { send, get } = await stage(t, { pace: 0 });
  const lane = async (letter: string) => {
    for (const at of [1, 2, 3]) {
      await send("POST", VMS, machine(`${letter}-${at}`));
      if (at > 1) assert.equal(textAt(await get(`${VMS}/${letter}-${at - 1}`), "status", "printableStatus"), "Running");
    }
  };
  await Promise.all(["a", "b", "c", "d"].map(lane));
});
