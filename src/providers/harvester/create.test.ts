// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { persistentVolumeClaim, secret } from "../../kube/index.ts";
import { virtualMachine } from "./kinds.ts";
import { createRefusal, onHarvester } from "./testing/harvester-stage.ts";

const MACHINE = { namespace: "default", name: "web-1" };
const LONG = `#cloud-config\n${"x".repeat(10_000)}`;

test("user data of any length stands in a Secret that belongs to the machine, and nowhere else", () =>
  onHarvester(async ({ link, want, up, admin }) => {
    const have = await up(await link(), want("web-1", { userData: LONG, networkData: "version: 1" }));
    const vm = await admin.get(virtualMachine, MACHINE);
    assert.equal(have.providerId, vm.metadata.uid);
    assert.doesNotMatch(JSON.stringify(vm), /xxxxx|userDataBase64/);
    const found = await admin.get(secret, { namespace: "default", name: "web-1-cloudinit" });
    assert.equal(Buffer.from(found.data?.userdata ?? "", "base64").toString(), LONG);
    assert.equal(Buffer.from(found.data?.networkdata ?? "", "base64").toString(), "version: 1");
    assert.equal(found.metadata.ownerReferences?.[0]?.uid, vm.metadata.uid);
  }));

test("W-21: a machine with network data alone comes up", () =>
  onHarvester(async ({ link, want, up }) => {
    await up(await link(), want("web-1", { userData: "", networkData: "version: 1" }));
  }));

test("W-05: a machine with extra disks comes up with all of them", () =>
  onHarvester(async ({ link, want, up, admin }) => {
    const extraDisks = [{ sizeGb: 500, storageClass: "longhorn" }, { sizeGb: 20 }];
    await up(await link(), want("web-1", { extraDisks }));
    const { items } = await admin.list(persistentVolumeClaim, { namespace: "default" });
    assert.deepEqual(
      items
        .map(({ metadata, spec }) => [metadata.name, spec?.storageClassName, spec?.resources?.requests?.storage])
        .sort(),
      [
        ["web-1-disk-0", "longhorn", "500Gi"],
        ["web-1-disk-1", "harvester-longhorn", "20Gi"],
        ["web-1-rootdisk", "longhorn-image-5rs6d", "20Gi"],
      ],
    );
  }));

test("W-16: a disk that is there without its machine does not stop a new try", () =>
  onHarvester(async ({ link, want, up, sim, pass }) => {
    const connection = await link();
    const wanted = want("web-1");
    await up(connection, wanted);
    await sim.deleteObject("vm", "default/web-1");
    await pass(120_000);
    assert.ok(sim.leftovers().includes("PersistentVolumeClaim default/web-1-rootdisk"));
    await up(connection, wanted);
    assert.equal(sim.machines().length, 1);
  }));

test("W-17: the id of a machine is known where create finds it there already", () =>
  onHarvester(async ({ link, want, up, call }) => {
    const connection = await link();
    const { providerId } = await up(connection, want("web-1"));
    const again = await connection.machines.create(want("web-1"), call());
    assert.equal(again.have?.providerId, providerId);
    assert.equal(again.have?.state, "running");
  }));

test("W-19: a create whose outcome is unknown deletes nothing", () =>
  onHarvester(async (stage) => {
    const { link, want, sim, up } = stage;
    const connection = await link();
    sim.inject({
      on: ({ method, path }) => method === "POST" && path.includes("/virtualmachines"),
      times: 1,
      effect: { type: "lose-answer" },
    });
    const refused = await createRefusal(stage, connection, want("web-1"));
    assert.equal(refused.kind, "unavailable");
    assert.equal(refused.mayHaveActed, true);
    assert.deepEqual(
      sim.requests().filter(({ method }) => method === "DELETE"),
      [],
    );
    await up(connection, want("web-1"));
    assert.equal(sim.machines().length, 1);
  }));

test("W-09: a stranger's disk with our disk's name is refused, and survives", () =>
  onHarvester(async (stage) => {
    const { link, want, admin, sim, call } = stage;
    await admin.create(persistentVolumeClaim, {
      metadata: { namespace: "default", name: "web-1-rootdisk" },
      spec: {
        accessModes: ["ReadWriteMany"],
        volumeMode: "Block",
        storageClassName: "longhorn",
        resources: { requests: { storage: "10Gi" } },
      },
    });
    await stage.pass(60_000);
    const connection = await link();
    const refused = await createRefusal(stage, connection, want("web-1"));
    assert.equal(refused.reason, "NameConflict");
    assert.match(refused.message, /PersistentVolumeClaim default\/web-1-rootdisk .* belongs to somebody else/);
    assert.deepEqual(sim.machines(), []);
    assert.deepEqual(await connection.machines.find(want("web-1"), call()), {});
  }));

test("W-09: a stranger's Secret with our Secret's name is refused, and survives", () =>
  onHarvester(async (stage) => {
    const { link, want, admin, sim } = stage;
    await admin.create(secret, {
      metadata: { namespace: "default", name: "web-1-cloudinit" },
      stringData: { userdata: "theirs" },
    });
    const refused = await createRefusal(stage, await link(), want("web-1"));
    assert.equal(refused.reason, "NameConflict");
    assert.match(refused.message, /Secret default\/web-1-cloudinit/);
    assert.deepEqual(sim.machines(), []);
    const theirs = await admin.get(secret, { namespace: "default", name: "web-1-cloudinit" });
    assert.equal(Buffer.from(theirs.data?.userdata ?? "", "base64").toString(), "theirs");
  }));

test("labels of a running machine are added, changed and taken away; Harvester's own stay", () =>
  onHarvester(async ({ link, want, up, admin, call }) => {
    const connection = await link();
    await up(connection, want("web-1", { labels: { keep: "a", change: "a", remove: "a" } }));
    await admin.mergePatch(virtualMachine, MACHINE, { metadata: { labels: { "harvesterhci.io/os": "linux" } } });
    const labels = { keep: "a", change: "b", add: "c" };
    const { have } = await connection.machines.create(want("web-1", { labels }), call());
    assert.deepEqual(have?.labels, labels);
    assert.equal(have?.state, "running");
    const vm = await admin.get(virtualMachine, MACHINE);
    assert.equal(vm.metadata.labels?.remove, undefined);
    assert.equal(vm.metadata.labels?.["harvesterhci.io/os"], "linux");
    const before = vm.metadata.resourceVersion;
    await connection.machines.create(want("web-1", { labels }), call());
    assert.equal((await admin.get(virtualMachine, MACHINE)).metadata.resourceVersion, before);
  }));

test("what is left of an earlier attempt must be gone first", () =>
  onHarvester(async (stage) => {
    const { link, want, up } = stage;
    const connection = await link();
    await up(connection, want("web-1"));
    const refused = await createRefusal(stage, connection, want("web-1", { mark: { attempt: 2 } }));
    assert.equal(refused.kind, "unavailable");
    assert.equal(refused.reason, "EarlierAttempt");
  }));

test("a Secret that somebody removed is written again", () =>
  onHarvester(async ({ link, want, sim, call, up }) => {
    const connection = await link();
    await connection.machines.create(want("web-1"), call());
    await sim.deleteObject("secret", "default/web-1-cloudinit");
    await up(connection, want("web-1"));
    assert.ok(sim.leftovers().includes("Secret default/web-1-cloudinit"));
  }));

test("a machine that Harvester switched off for want of quota is switched on again by the next create", () =>
  onHarvester(async ({ link, want, up, sim, call, until }) => {
    await sim.setQuota("default", { cpu: 1 });
    const connection = await link();
    const wanted = want("web-1");
    await connection.machines.create(wanted, call());
    const { have } = await until(connection, wanted, (found) => found.have?.trouble !== undefined);
    assert.equal(have?.trouble?.kind, "exhausted");
    assert.equal(have?.state, "pending");
    await sim.setQuota("default");
    await up(connection, wanted);
  }));

test("many machines cost each its own calls only: image, network and class are looked at once", () =>
  onHarvester(async ({ link, want, sim, call, told }) => {
    const connection = await link();
    await connection.machines.create(want("web-1"), call());
    const [requests, outside] = [sim.requests().length, told()];
    await connection.machines.create(want("web-2"), call());
    // Who has the name, whose is the disk, the Secret, the machine, and the Secret's owner.
    assert.deepEqual(
      sim
        .requests()
        .slice(requests)
        .map(({ method, path }) => `${method} ${path.split("?")[0]?.split("/").slice(-2).join("/")}`),
      [
        "GET virtualmachines/web-2",
        "GET persistentvolumeclaims/web-2-rootdisk",
        "POST default/secrets",
        "POST default/virtualmachines",
        "PATCH secrets/web-2-cloudinit",
      ],
    );
    assert.equal(told() - outside, 5);
  }));

test("a patch that arrives late does not give the next attempt's Secret to a machine that is gone", () =>
  onHarvester(async ({ link, want, up, sim, call, deleteAll, pass, admin }) => {
    const connection = await link();
    sim.inject({
      on: ({ method, path }) => method === "PATCH" && path.includes("/secrets/"),
      times: 1,
      effect: { type: "late", byMs: 3_600_000 },
    });
    const first = await connection.machines.create(want("web-1"), call());
    assert.notEqual(first.have?.providerId, undefined);
    await deleteAll(connection, want("web-1"));
    await up(connection, want("web-1", { mark: { attempt: 2 } }));
    await pass(7_200_000);
    const vm = await admin.get(virtualMachine, MACHINE);
    const found = await admin.get(secret, { namespace: "default", name: "web-1-cloudinit" });
    assert.equal(found.metadata.ownerReferences?.[0]?.uid, vm.metadata.uid);
  }));
