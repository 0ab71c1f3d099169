// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { persistentVolumeClaim } from "../../kube/index.ts";
import { virtualMachine, virtualMachineInstance } from "./kinds.ts";
import { readMark } from "./mark.ts";
import { ANNOTATIONS, cloudInitName, extraClaimName, rootClaimName } from "./names.ts";
import { type HarvesterStage, onHarvester } from "./testing/harvester-stage.ts";

const MACHINE = { namespace: "default", name: "web-1" };

test("Harvester is told which disks go with the machine, and nothing is left", () =>
  onHarvester(async ({ link, want, up, admin, call, sim, pass, deleteAll }) => {
    const connection = await link();
    const wanted = want("web-1", { extraDisks: [{ sizeGb: 5 }] });
    const have = await up(connection, wanted);
    await connection.machines.delete(have, call());
    const vm = await admin.get(virtualMachine, MACHINE);
    assert.equal(
      vm.metadata.annotations?.[ANNOTATIONS.removedClaims],
      `${extraClaimName(wanted, 0)},${rootClaimName(wanted)}`,
    );
    assert.notEqual(vm.metadata.deletionTimestamp, undefined);
    const { have: going } = await connection.machines.find(wanted, call());
    assert.equal(going?.state, "deleting");
    await pass(300_000);
    await deleteAll(connection, wanted);
    assert.deepEqual(sim.leftovers(), []);
  }));

for (const gone of ["vm", "vmi", "claim", "secret"] as const)
  test(`W-18: where somebody deleted the ${gone} behind our back, delete leaves nothing`, () =>
    onHarvester(async ({ link, want, up, sim, pass, deleteAll }) => {
      const connection = await link();
      const wanted = want("web-1", { extraDisks: [{ sizeGb: 5 }] });
      await up(connection, wanted);
      const names = { vm: "web-1", vmi: "web-1", claim: rootClaimName(wanted), secret: cloudInitName(wanted) };
      await sim.deleteObject(gone, `default/${names[gone]}`);
      await pass(120_000);
      await deleteAll(connection, wanted);
      assert.deepEqual(sim.leftovers(), []);
    }));

test("W-18: a disk that cannot be deleted is an error, not forgotten", () =>
  onHarvester(async ({ link, want, up, sim, pass, call }) => {
    const connection = await link();
    const wanted = want("web-1");
    await up(connection, wanted);
    await sim.deleteObject("vm", "default/web-1");
    await pass(120_000);
    sim.inject({ on: ({ method }) => method === "DELETE", effect: { type: "refuse", status: 503 } });
    const { have } = await connection.machines.find(wanted, call());
    assert.equal(have?.state, "remains");
    assert.ok(have !== undefined);
    await assert.rejects(connection.machines.delete(have, call()), { kind: "unavailable" });
  }));

async function addClaim({ admin }: HarvesterStage, name: string, labels: Record<string, string>, owner: string) {
  await admin.create(persistentVolumeClaim, {
    metadata: { namespace: "default", name, labels, annotations: { [ANNOTATIONS.owner]: owner } },
    spec: {
      accessModes: ["ReadWriteMany"],
      volumeMode: "Block",
      storageClassName: "longhorn",
      resources: { requests: { storage: "10Gi" } },
    },
  });
}

test("a disk that carries another's mark is left alone, whatever its name", () =>
  onHarvester(async (stage) => {
    const { link, want, up, admin, deleteAll, sim } = stage;
    const connection = await link();
    const wanted = want("web-1");
    await up(connection, wanted);
    const [own] = (await admin.list(persistentVolumeClaim, { namespace: "default" })).items;
    await addClaim(stage, "web-1-disk-7", own?.metadata.labels ?? {}, "default/somebody-else");
    await deleteAll(connection, wanted);
    assert.deepEqual(sim.leftovers(), ["PersistentVolumeClaim default/web-1-disk-7"]);
  }));

test("a disk that was restored from the machine's backup for another machine is left alone, though it has the whole mark", () =>
  onHarvester(async (stage) => {
    const { link, want, up, admin, deleteAll, call, sim } = stage;
    const connection = await link();
    const wanted = want("web-1");
    const have = await up(connection, wanted);
    const [own] = (await admin.list(persistentVolumeClaim, { namespace: "default" })).items;
    await addClaim(stage, "restore-1-disk-0", own?.metadata.labels ?? {}, wanted.mark.owner);
    await connection.machines.delete(have, call());
    const vm = await admin.get(virtualMachine, MACHINE);
    assert.equal(vm.metadata.annotations?.[ANNOTATIONS.removedClaims], rootClaimName(wanted));
    await deleteAll(connection, wanted);
    assert.deepEqual(sim.leftovers(), ["PersistentVolumeClaim default/restore-1-disk-0"]);
  }));

test("a machine that was cloned goes, and its clone stays", () =>
  onHarvester(async ({ link, want, up, admin, deleteAll, pass, sim }) => {
    const connection = await link();
    const wanted = want("web-1");
    await up(connection, wanted);
    const { metadata, spec } = await admin.get(virtualMachine, MACHINE);
    const { volumes, domain } = spec.template.spec;
    // Its disks would be others, which tell nothing here.
    const isKept = ({ name }: { readonly name: string }) => !name.includes("disk");
    const devices = { ...domain.devices, disks: domain.devices.disks.filter(isKept) };
    const bare = { ...spec.template.spec, volumes: volumes.filter(isKept), domain: { ...domain, devices } };
    const template = { ...spec.template, spec: bare };
    const clone = { namespace: "default", name: "clone" };
    await admin.create(virtualMachine, {
      metadata: { ...clone, labels: metadata.labels ?? {} },
      spec: { ...spec, template },
    });
    await pass(120_000);
    assert.equal(readMark(await admin.get(virtualMachineInstance, clone))?.owner, wanted.mark.owner, "as in life");
    await deleteAll(connection, wanted);
    assert.deepEqual(
      sim.leftovers().filter((key) => !key.endsWith("default/clone")),
      [],
    );
    await admin.get(virtualMachineInstance, clone);
  }));

for (const harvester of ["1.4", "1.8"] as const)
  test(`a disk that another machine uses by now cannot be deleted, and that is told (${harvester})`, () =>
    onHarvester(
      async ({ link, want, up, admin, sim, pass, call }) => {
        const connection = await link();
        const wanted = want("web-1");
        await up(connection, wanted);
        await sim.deleteObject("vm", "default/web-1");
        await pass(120_000);
        await sim.addStranger("rescue");
        const rescue = { namespace: "default", name: "rescue" };
        const { spec } = await admin.get(virtualMachine, rescue);
        const disk = { name: "old", persistentVolumeClaim: { claimName: rootClaimName(wanted) } };
        const volumes = [...spec.template.spec.volumes, disk];
        await admin.mergePatch(virtualMachine, rescue, { spec: { template: { spec: { volumes } } } });
        await pass(10_000);
        const { have } = await connection.machines.find(wanted, call());
        assert.ok(have?.state === "remains");
        await assert.rejects(connection.machines.delete(have, call()), /currently attached/);
      },
      { harvester },
    ));

/** As Kubernetes words it, before it looks into its storage and there. */
const OTHERS_UID = [
  "the UID in the precondition (a) does not match the UID in record (b). The object might have been deleted and then recreated",
  "Precondition failed: UID in precondition: a, UID in object meta: b",
];
for (const message of OTHERS_UID)
  test(`what has the name of a part that went a moment ago is no trouble: ${message}`, () =>
    onHarvester(async ({ link, want, up, sim, pass, call }) => {
      const connection = await link();
      const wanted = want("web-1");
      await up(connection, wanted);
      await sim.deleteObject("vm", "default/web-1");
      await pass(120_000);
      const { have } = await connection.machines.find(wanted, call());
      assert.ok(have?.state === "remains");
      sim.inject({ on: ({ method }) => method === "DELETE", effect: { type: "refuse", status: 409, message } });
      await connection.machines.delete(have, call());
    }));

test("a delete that comes late does not touch the machine of the next attempt", () =>
  onHarvester(async ({ link, want, up, sim, call, deleteAll, pass }) => {
    const connection = await link();
    const have = await up(connection, want("web-1"));
    await deleteAll(connection, want("web-1"));
    const next = want("web-1", { mark: { attempt: 2 } });
    await up(connection, next);
    await pass(600_000);
    const before = sim.state();
    await connection.machines.delete(have, call());
    await connection.machines.delete({ ...have, state: "remains", providerId: undefined }, call());
    await pass(60_000);
    assert.deepEqual(sim.state(), before);
  }));

test("a machine whose request was renamed is found by its id, and deleted with all its parts", () =>
  onHarvester(async ({ link, want, up, sim, call, deleteAll }) => {
    const connection = await link();
    const { mark } = want("web-1");
    await up(connection, want("web-1"));
    const renamed = want("web-9", { mark });
    const { have } = await connection.machines.find(renamed, call());
    assert.equal(have?.name, "web-1");
    await deleteAll(connection, renamed);
    assert.deepEqual(sim.leftovers(), []);
  }));

test("a crash of Harvester's own controller delays the end, and nothing is left", () =>
  onHarvester(async ({ link, want, sim, call, pass, until, deleteAll }) => {
    const connection = await link();
    const wanted = want("web-1");
    sim.setHarvesterDown(true);
    await connection.machines.create(wanted, call());
    await pass(60_000);
    const { have } = await connection.machines.find(wanted, call());
    assert.equal(have?.state, "pending");
    if (have !== undefined) await connection.machines.delete(have, call());
    await pass(60_000);
    sim.setHarvesterDown(false);
    await deleteAll(connection, wanted);
    await until(connection, wanted, (found) => found.have === undefined);
    assert.deepEqual(sim.leftovers(), []);
  }));

test("a disk that a DataVolume filled carries no mark, and still goes with its machine", () =>
  onHarvester(async ({ link, want, up, admin, call }) => {
    const connection = await link();
    const have = await up(connection, want("web-1"));
    const claim = { namespace: "default", name: rootClaimName(want("web-1")) };
    const labels = Object.fromEntries(
      Object.keys((await admin.get(persistentVolumeClaim, claim)).metadata.labels ?? {}).map((name) => [name, null]),
    );
    const ownerReferences = [
      { apiVersion: "cdi.kubevirt.io/v1beta1", kind: "DataVolume", name: claim.name, uid: "dv-uid" },
    ];
    await admin.mergePatch(persistentVolumeClaim, claim, { metadata: { labels, ownerReferences } });
    await connection.machines.delete(have, call());
    const vm = await admin.get(virtualMachine, MACHINE);
    assert.equal(vm.metadata.annotations?.[ANNOTATIONS.removedClaims], claim.name);
  }));
