// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { persistentVolumeClaim, secret } from "../../kube/index.ts";
import { virtualMachine } from "./kinds.ts";
import { cloudInitName, extraClaimName, rootClaimName } from "./names.ts";
import { createRefusal, onHarvester } from "./testing/harvester-stage.ts";

const MACHINE = { namespace: "default", name: "web-1" };
const LONG = `#cloud-config\n${"x".repeat(10_000)}`;

test("user data of any length stands in a Secret that belongs to the machine, and nowhere else", () =>
  onHarvester(async ({ link, want, up, admin }) => {
    const wanted = want("web-1", { userData: LONG, networkData: "version: 1" });
    const have = await up(await link(), wanted);
    const vm = await admin.get(virtualMachine, MACHINE);
    assert.equal(have.providerId, vm.metadata.uid);
    assert.doesNotMatch(JSON.stringify(vm), /xxxxx|userDataBase64/);
    const found = await admin.get(secret, { namespace: "default", name: cloudInitName(wanted) });
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
    const wanted = want("web-1", { extraDisks: [{ sizeGb: 500, storageClass: "longhorn" }, { sizeGb: 20 }] });
    await up(await link(), wanted);
    const { items } = await admin.list(persistentVolumeClaim, { namespace: "default" });
    assert.deepEqual(
      items
        .map(({ metadata, spec }) => [metadata.name, spec?.storageClassName, spec?.resources?.requests?.storage])
        .sort(),
      [
        [extraClaimName(wanted, 0), "longhorn", "500Gi"],
        [extraClaimName(wanted, 1), "harvester-longhorn", "20Gi"],
        [rootClaimName(wanted), "longhorn-image-5rs6d", "20Gi"],
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
    assert.ok(sim.leftovers().includes(`PersistentVolumeClaim default/${rootClaimName(wanted)}`));
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

test("W-09: a stranger's disk and Secret that are called after the machine are not taken for its own, and survive", () =>
  onHarvester(async (stage) => {
    const { link, want, up, admin, sim, deleteAll } = stage;
    await admin.create(persistentVolumeClaim, {
      metadata: { namespace: "default", name: "web-1-rootdisk" },
      spec: {
        accessModes: ["ReadWriteMany"],
        volumeMode: "Block",
        storageClassName: "longhorn",
        resources: { requests: { storage: "10Gi" } },
      },
    });
    await admin.create(secret, {
      metadata: { namespace: "default", name: "web-1-cloudinit" },
      stringData: { userdata: "theirs" },
    });
    await stage.pass(60_000);
    const before = sim.state();
    const connection = await link();
    await up(connection, want("web-1"));
    const vm = await admin.get(virtualMachine, MACHINE);
    assert.doesNotMatch(JSON.stringify(vm), /web-1-(rootdisk|cloudinit)"/);
    await deleteAll(connection, want("web-1"));
    assert.deepEqual(sim.state(), before);
  }));

test("a stranger's machine is met before anything is made", () =>
  onHarvester(async (stage) => {
    const { link, want, sim } = stage;
    await sim.addStranger("web-1");
    await stage.pass(60_000);
    const [before, requests] = [sim.state(), sim.requests().length];
    const refused = await createRefusal(stage, await link(), want("web-1"));
    assert.equal(refused.reason, "NameConflict");
    assert.deepEqual(sim.state(), before);
    const writes = sim
      .requests()
      .slice(requests)
      .filter(({ isWrite }) => isWrite);
    assert.deepEqual(
      writes.map(({ method, path }) => `${method} ${path.split("/").at(-1)?.split("?")[0]}`),
      ["POST virtualmachines"],
    );
  }));

test("a create that was cut off between the machine and its Secret is finished by the next, and by no other than this machine's", () =>
  onHarvester(async (stage) => {
    const { link, want, up, sim, admin } = stage;
    sim.inject({
      on: ({ method, path }) => method === "POST" && path.includes("/secrets"),
      times: 1,
      effect: { type: "cut-before" },
    });
    const connection = await link();
    const refused = await createRefusal(stage, connection, want("web-1"));
    assert.equal(refused.kind, "unavailable");
    assert.equal(sim.machines().length, 1);
    await up(connection, want("web-1"));
    const vm = await admin.get(virtualMachine, MACHINE);
    const found = await admin.get(secret, { namespace: "default", name: cloudInitName(want("web-1")) });
    assert.equal(found.metadata.ownerReferences?.[0]?.uid, vm.metadata.uid);
  }));

test("a Secret that is made when its machine is gone already goes by itself", () =>
  onHarvester(async ({ link, want, sim, call, deleteAll, pass }) => {
    const connection = await link();
    sim.inject({
      on: ({ method, path }) => method === "POST" && path.includes("/secrets"),
      times: 1,
      effect: { type: "late", byMs: 3_600_000 },
    });
    await assert.rejects(connection.machines.create(want("web-1"), call()));
    await deleteAll(connection, want("web-1"));
    await pass(7_200_000);
    assert.deepEqual(sim.leftovers(), []);
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
    const name = cloudInitName(want("web-1"));
    await sim.deleteObject("secret", `default/${name}`);
    await up(connection, want("web-1"));
    assert.ok(sim.leftovers().includes(`Secret default/${name}`));
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

test("many machines cost each its own calls only, and what is watched is not asked for", () =>
  onHarvester(async ({ link, want, sim, call, told }) => {
    const connection = await link();
    await connection.machines.create(want("web-1"), call());
    const costOf = async (name: string) => {
      const [requests, outside] = [sim.requests().length, told()];
      await connection.machines.create(want(name), call());
      const sent = sim
        .requests()
        .slice(requests)
        .filter(({ path }) => !path.includes("watch=true"));
      assert.equal(told() - outside, sent.length);
      return sent.map(({ method, path }) => `${method} ${path.split("?")[0]?.split("/").at(-1)}`);
    };
    const creates = ["POST virtualmachines", "POST secrets"];
    assert.deepEqual(await costOf("web-2"), [`GET ${rootClaimName(want("web-2"))}`, ...creates]);
    const ended = new AbortController();
    const watch = connection.machines.watch?.({ ...call(), signal: ended.signal })[Symbol.asyncIterator]();
    for (let told = await watch?.next(); told?.value?.type !== "all-told"; told = await watch?.next());
    const next = watch?.next();
    assert.deepEqual(await costOf("web-3"), creates);
    ended.abort();
    await next?.catch(() => {});
  }));
