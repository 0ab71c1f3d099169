// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { listAt, textAt } from "./read.ts";
import { CLAIMS, condition, EVENTS, machine, SECRETS, stage, VMIS, VMS } from "./testing/stage.ts";

test("H4 volumes of the annotation are made after a while, and for as long as Harvester is down not at all", async (t) => {
  const { send, get, pass, harvester } = await stage(t);
  harvester.setHarvesterDown(true);
  assert.equal((await send("POST", VMS, machine("web-1"))).status, 201);
  assert.equal(await get(`${CLAIMS}/web-1-disk-0`), undefined);
  await pass(60_000);
  assert.equal(await get(`${CLAIMS}/web-1-disk-0`), undefined);
  const waiting = await get(`${VMS}/web-1`);
  assert.equal(textAt(waiting, "status", "printableStatus"), "ErrorPvcNotFound");
  harvester.setHarvesterDown(false);
  await pass(1000);
  const claim = await get(`${CLAIMS}/web-1-disk-0`);
  assert.equal(claim?.metadata.annotations?.["harvesterhci.io/imageId"], "default/image-5rs6d");
  assert.equal(textAt(claim, "status", "phase"), "Pending");
});

test("H5 a claim in use carries the protection finalizer: its deletion hangs until the machine is gone", async (t) => {
  const { send, get, pass, until } = await stage(t);
  await send("POST", VMS, machine("web-1"));
  await until(async () => textAt(await get(`${VMS}/web-1`), "status", "printableStatus") === "Running");
  const refused = await send("DELETE", `${CLAIMS}/web-1-disk-0`);
  assert.equal(refused.status, 422);
  assert.match(refused.message, /can not delete the volume web-1-disk-0 which is currently attached/);
  await send("DELETE", `${VMS}/web-1`);
  assert.equal((await send("DELETE", `${CLAIMS}/web-1-disk-0`)).status, 200);
  await pass(1000);
  const claim = await get(`${CLAIMS}/web-1-disk-0`);
  assert.deepEqual(claim?.metadata.finalizers, ["kubernetes.io/pvc-protection"]);
  assert.notEqual(claim?.metadata.deletionTimestamp, undefined);
  assert.notEqual(await get(`${VMS}/web-1`), undefined);
  await until(async () => (await get(`${VMS}/web-1`)) === undefined);
  await until(async () => (await get(`${CLAIMS}/web-1-disk-0`)) === undefined, 1000);
});

test("H6 a machine gets its instance with a lag; phases follow one another, printableStatus them, and ready comes last", async (t) => {
  const { send, get, until, harvester } = await stage(t);
  await send("POST", VMS, machine("web-1"));
  assert.equal(await get(`${VMIS}/web-1`), undefined);
  const phases: string[] = [];
  const statuses: string[] = [];
  const note = (list: string[], text: string) => {
    if (text !== "" && list.at(-1) !== text) list.push(text);
  };
  await until(async () => {
    const [vm, vmi] = [await get(`${VMS}/web-1`), await get(`${VMIS}/web-1`)];
    note(phases, textAt(vmi, "status", "phase"));
    note(statuses, textAt(vm, "status", "printableStatus"));
    const isReady = Reflect.get(Object(vm?.status), "ready") === true;
    if (isReady) assert.equal(textAt(vmi, "status", "phase"), "Running");
    return isReady;
  });
  assert.deepEqual(phases, ["Pending", "Scheduling", "Scheduled", "Running"]);
  // Volumes may come before or after the instance misses them.
  assert.match(statuses.join(), /^Starting(,ErrorPvcNotFound)?,WaitingForVolumeBinding,Starting,Running$/);
  assert.equal(harvester.machines()[0]?.isRunning, true);
});

test("H7 H8 a deleted machine stays Terminating until its instance has ended; only the claims it names go with it", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  await send("POST", VMS, machine("keeps"));
  await send("POST", VMS, machine("cleans"));
  await until(() => harvester.machines().filter(({ isRunning }) => isRunning).length === 2);
  await send("PATCH", `${VMS}/cleans`, {
    metadata: { annotations: { "harvesterhci.io/removedPersistentVolumeClaims": "cleans-disk-0, not-there" } },
  });
  for (const name of ["keeps", "cleans"]) assert.equal((await send("DELETE", `${VMS}/${name}`)).status, 200);
  await pass(2000);
  for (const name of ["keeps", "cleans"]) {
    assert.equal(textAt(await get(`${VMS}/${name}`), "status", "printableStatus"), "Terminating");
    assert.notEqual((await get(`${VMIS}/${name}`))?.metadata.deletionTimestamp, undefined);
  }
  let lastInstance = true;
  await until(async () => {
    const hasInstance = (await get(`${VMIS}/cleans`)) !== undefined;
    const hasMachine = (await get(`${VMS}/cleans`)) !== undefined;
    assert.ok(hasMachine || !hasInstance, "the instance goes first");
    lastInstance &&= hasInstance;
    return !hasMachine;
  });
  assert.equal(lastInstance, false);
  await pass(600_000);
  assert.deepEqual(harvester.leftovers(), ["PersistentVolumeClaim default/keeps-disk-0"]);
  assert.deepEqual(harvester.machines(), []);
});

test("H9 a Secret that is not there leaves the instance waiting, with an event, until it comes", async (t) => {
  const { send, get, pass, until } = await stage(t);
  const withSecret = machine("web-1", {
    change(vm) {
      vm.spec.template.spec.domain.devices.disks.push({ name: "cloudinit", disk: { bus: "virtio" } });
      vm.spec.template.spec.volumes.push({
        name: "cloudinit",
        cloudInitNoCloud: { secretRef: { name: "web-1-init" } },
      });
      return vm;
    },
  });
  assert.equal((await send("POST", VMS, withSecret)).status, 201);
  await pass(300_000);
  assert.equal(textAt(await get(`${VMIS}/web-1`), "status", "phase"), "Scheduling");
  const events = await send("GET", EVENTS);
  const reasons = listAt(events.body, "items").map((one) => `${textAt(one, "reason")}: ${textAt(one, "message")}`);
  assert.ok(
    reasons.some((text) => /FailedMount: .*secret "web-1-init" not found/.test(text)),
    String(reasons),
  );
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "web-1-init" },
    stringData: { userdata: "#cloud-config" },
  };
  assert.equal((await send("POST", SECRETS, secret)).status, 201);
  await until(async () => textAt(await get(`${VMIS}/web-1`), "status", "phase") === "Running");
});

test("H11 addresses come a while after the start: IPv6 first, then all, with noise of the guest's own", async (t) => {
  const { send, get, until, harvester } = await stage(t);
  await send("POST", VMS, machine("web-1"));
  const interfaces = async () => listAt(await get(`${VMIS}/web-1`), "status", "interfaces");
  await until(async () => textAt(await get(`${VMIS}/web-1`), "status", "phase") === "Running");
  assert.deepEqual(
    (await interfaces()).map((one) => [textAt(one, "name"), textAt(one, "ipAddress"), textAt(one, "infoSource")]),
    [["default", "", "domain"]],
  );
  await until(async () => textAt((await interfaces())[0], "ipAddress") !== "");
  const early = (await interfaces())[0];
  assert.match(textAt(early, "ipAddress"), /^fe80::/);
  assert.deepEqual(harvester.machines()[0]?.addresses, ["fd00:40::1"]);
  await until(async () => listAt((await interfaces())[0], "ipAddresses").length === 3);
  const all = await interfaces();
  assert.deepEqual([...listAt(all[0], "ipAddresses")].filter((ip) => !String(ip).startsWith("fe80")).sort(), [
    "127.40.0.1",
    "fd00:40::1",
  ]);
  assert.deepEqual(
    all.slice(1).map((one) => textAt(one, "interfaceName")),
    ["lo", "cni0"],
  );
  assert.equal(condition(await get(`${VMIS}/web-1`), "AgentConnected"), "True");
});

test("H11 a machine of an image without the agent never tells an address; held ones come when they are let go", async (t) => {
  const { send, get, pass, until, harvester } = await stage(t);
  await harvester.addImage("default/silent", { hasGuestAgent: false });
  await pass(30_000);
  await send("POST", VMS, machine("mute", { imageId: "default/silent", storageClass: "longhorn-silent" }));
  harvester.holdAddresses(true);
  await send("POST", VMS, machine("held"));
  await pass(600_000);
  assert.equal(textAt(await get(`${VMIS}/mute`), "status", "phase"), "Running");
  assert.deepEqual(
    harvester.machines().map(({ addresses }) => addresses),
    [[], []],
  );
  harvester.holdAddresses(false);
  await until(() => harvester.machines().some(({ addresses }) => addresses.length === 2));
  await pass(600_000);
  assert.deepEqual(harvester.machines().find(({ name }) => name === "mute")?.addresses, []);
});
