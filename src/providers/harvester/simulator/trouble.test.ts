// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { textAt } from "./read.ts";
import { CLAIMS, condition, EVENTS, machine, SECRETS, stage, VMIS, VMS } from "./testing/stage.ts";

test("H12 a short quota stops the machine and says so in an annotation; it does not start again by itself", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  await harvester.setQuota("default", { cpu: 16, memoryMb: 3000 });
  await send("POST", VMS, machine("first"));
  await until(() => harvester.machines()[0]?.isRunning === true);
  await send("POST", VMS, machine("second"));
  await pass(60_000);
  const halted = await get(`${VMS}/second`);
  assert.equal(
    halted?.metadata.annotations?.["harvesterhci.io/insufficient-resource-quota"],
    "memory insufficient resources due to resource quota",
  );
  assert.equal(textAt(halted, "spec", "runStrategy"), "Halted");
  assert.equal(textAt(halted, "status", "printableStatus"), "Stopped");
  assert.match(JSON.stringify((await send("GET", EVENTS)).body), /InsufficientResourceQuota/);
  await harvester.setQuota("default");
  await pass(600_000);
  assert.equal(await get(`${VMIS}/second`), undefined);
  await send("PATCH", `${VMS}/second`, { spec: { runStrategy: "Always" } });
  await until(async () => textAt(await get(`${VMIS}/second`), "status", "phase") === "Running");
});

test("H12 a quota on the number of objects refuses one more with the API server's words", async (t) => {
  const { send, harvester } = await stage(t);
  await harvester.setQuota("default", { virtualMachines: 1, secrets: 0 });
  assert.equal((await send("POST", VMS, machine("first"))).status, 201);
  await harvester.settled();
  const { status, message } = await send("POST", VMS, machine("second"));
  assert.equal(status, 403);
  assert.equal(
    message,
    'virtualmachines.kubevirt.io "second" is forbidden: exceeded quota: default-quota, ' +
      "requested: count/virtualmachines.kubevirt.io=1, used: count/virtualmachines.kubevirt.io=1, limited: count/virtualmachines.kubevirt.io=1",
  );
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
  assert.match((await send("POST", SECRETS, secret)).message, /exceeded quota/);
});

test("H13 without room a machine is ErrorUnschedulable, and starts when there is some", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  harvester.setExhausted(true);
  await send("POST", VMS, machine("web-1"));
  await pass(600_000);
  assert.equal(textAt(await get(`${VMS}/web-1`), "status", "printableStatus"), "ErrorUnschedulable");
  assert.equal(condition(await get(`${VMIS}/web-1`), "PodScheduled"), "False Unschedulable");
  harvester.setExhausted(false);
  await until(() => harvester.machines()[0]?.isRunning === true);
});

test("H13 a zone that is not there is no room; spread machines are on different nodes", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  const elsewhere = machine("lost", {
    change(vm) {
      vm.spec.template.spec.nodeSelector = { "topology.kubernetes.io/zone": "zone-x" };
      return vm;
    },
  });
  await send("POST", VMS, elsewhere);
  await pass(60_000);
  assert.equal(textAt(await get(`${VMS}/lost`), "status", "printableStatus"), "ErrorUnschedulable");
  for (const name of ["a", "b", "c"]) {
    const spread = machine(name, {
      change(vm) {
        vm.spec.template.metadata.labels.group = "g";
        const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { group: "g" } } };
        const preferred = [{ weight: 100, podAffinityTerm: term }];
        vm.spec.template.spec.affinity = {
          podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred },
        };
        return vm;
      },
    });
    await send("POST", VMS, spread);
  }
  await until(() => harvester.machines().filter(({ isRunning }) => isRunning).length === 3);
  const nodes = await Promise.all(
    ["a", "b", "c"].map(async (name) => textAt(await get(`${VMIS}/${name}`), "status", "nodeName")),
  );
  assert.equal(new Set(nodes).size, 3);
});

test("H18 live migration: the node changes, the addresses stay", async (t) => {
  const { send, get, until, harvester } = await stage(t);
  await send("POST", VMS, machine("web-1"));
  await until(() => harvester.machines()[0]?.addresses.length === 2);
  const before = await get(`${VMIS}/web-1`);
  await harvester.migrate("default/web-1");
  await until(async () => textAt(await get(`${VMS}/web-1`), "status", "printableStatus") === "Migrating", 1000);
  await until(async () => textAt(await get(`${VMS}/web-1`), "status", "printableStatus") === "Running");
  const after = await get(`${VMIS}/web-1`);
  assert.notEqual(textAt(after, "status", "nodeName"), textAt(before, "status", "nodeName"));
  assert.equal(after?.metadata.labels?.["kubevirt.io/nodeName"], textAt(after, "status", "nodeName"));
  assert.deepEqual(Reflect.get(Object(after?.status), "interfaces"), Reflect.get(Object(before?.status), "interfaces"));
});

test("H19 the machine is deleted behind our back: its volumes stay", async (t) => {
  const { send, until, harvester } = await stage(t);
  await send("POST", VMS, machine("web-1"));
  await until(() => harvester.machines()[0]?.isRunning === true);
  await harvester.removeMachine("web-1");
  await until(() => harvester.machines().length === 0);
  await harvester.settled();
  assert.deepEqual(harvester.leftovers(), ["PersistentVolumeClaim default/web-1-disk-0"]);
});

test("H19 the instance is deleted behind our back: another one comes, with another card and address", async (t) => {
  const { send, get, until, harvester } = await stage(t);
  await send("POST", VMS, machine("web-1"));
  await until(() => harvester.machines()[0]?.addresses.length === 2);
  const before = await get(`${VMIS}/web-1`);
  const old = [...(harvester.machines()[0]?.addresses ?? [])].sort();
  await harvester.deleteObject("vmi", "default/web-1");
  await until(async () => ![undefined, before?.metadata.uid].includes((await get(`${VMIS}/web-1`))?.metadata.uid));
  await until(() => harvester.machines()[0]?.addresses.length === 2);
  assert.notDeepEqual([...(harvester.machines()[0]?.addresses ?? [])].sort(), old);
});

test("H19 a claim and a Secret are deleted behind our back: the one waits for the machine, the other is gone", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  await send("POST", SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } });
  await send("POST", VMS, machine("web-1"));
  await until(() => harvester.machines()[0]?.isRunning === true);
  await harvester.deleteObject("claim", "default/web-1-disk-0");
  await harvester.deleteObject("secret", "default/s");
  await pass(60_000);
  assert.notEqual((await get(`${CLAIMS}/web-1-disk-0`))?.metadata.deletionTimestamp, undefined);
  assert.equal(await get(`${SECRETS}/s`), undefined);
  assert.equal(harvester.machines()[0]?.isRunning, true);
  await harvester.stopMachine("web-1");
  await until(async () => textAt(await get(`${VMS}/web-1`), "status", "printableStatus") === "Stopped");
});

test("a guest that shuts itself down stays down unless it is always to run; one that crashes is started again", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  const rerun = machine("rerun", {
    change(vm) {
      vm.spec.runStrategy = "RerunOnFailure";
      return vm;
    },
  });
  await send("POST", VMS, rerun);
  await send("POST", VMS, machine("always"));
  const running = () => harvester.machines().filter(({ isRunning }) => isRunning);
  await until(() => running().length === 2);
  for (const name of ["rerun", "always"]) await harvester.endGuest(`default/${name}`, "Succeeded");
  await pass(120_000);
  assert.deepEqual(
    running().map(({ name }) => name),
    ["always"],
  );
  assert.equal(textAt(await get(`${VMS}/rerun`), "status", "printableStatus"), "Stopped");
  await harvester.endGuest("default/always", "Failed");
  await pass(1000);
  assert.equal(running().length, 0);
  await until(() => running().length === 1);
});

test("a machine that is deleted at once, before anybody saw it, leaves nothing", async (t) => {
  const { send, pass, harvester } = await stage(t);
  await send("POST", VMS, machine("web-1"));
  await send("DELETE", `${VMS}/web-1`);
  await pass(60_000);
  assert.deepEqual(harvester.leftovers(), []);
});

test("while Harvester is down a deleted machine stays, since its finalizer does", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  await send("POST", VMS, machine("web-1"));
  await until(() => harvester.machines()[0]?.isRunning === true);
  harvester.setHarvesterDown(true);
  await send("DELETE", `${VMS}/web-1`);
  await pass(600_000);
  assert.equal(await get(`${VMIS}/web-1`), undefined);
  assert.equal(textAt(await get(`${VMS}/web-1`), "status", "printableStatus"), "Terminating");
  harvester.setHarvesterDown(false);
  await until(async () => (await get(`${VMS}/web-1`)) === undefined);
});
