// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterRoleBinding } from "../../kube/index.ts";
import { virtualMachine } from "./kinds.ts";
import { rootClaimName } from "./names.ts";
import { createRefusal, onHarvester } from "./testing/harvester-stage.ts";

const MACHINE = { namespace: "default", name: "web-1" };

test("with the rights of the older controller a machine lives and dies, and nothing is left", () =>
  onHarvester(async ({ sim, link, want, up, deleteAll, admin }) => {
    const connection = await link({ secret: sim.basicAccess.secret });
    const userData = "x".repeat(2048);
    const wanted = want("web-1", { userData, networkData: "version: 1", extraDisks: [{ sizeGb: 5 }] });
    await up(connection, wanted);
    const { spec } = await admin.get(virtualMachine, MACHINE);
    assert.deepEqual(spec.template.spec.volumes.at(-1), {
      name: "cloudinit",
      cloudInitNoCloud: {
        userDataBase64: Buffer.from(userData).toString("base64"),
        networkDataBase64: Buffer.from("version: 1").toString("base64"),
      },
    });
    await deleteAll(connection, wanted);
    assert.deepEqual(sim.leftovers(), []);
    assert.deepEqual(
      sim.requests().filter(({ method, path }) => method === "PATCH" || path.includes("/secrets?")),
      [],
    );
  }));

test("the order of that deletion is the machine, its end, then its disks", () =>
  onHarvester(async ({ sim, link, want, up, deleteAll }) => {
    const connection = await link({ secret: sim.basicAccess.secret });
    const wanted = want("web-1");
    await up(connection, wanted);
    await deleteAll(connection, wanted);
    const deletions = sim.requests().filter(({ method }) => method === "DELETE");
    assert.deepEqual(
      deletions.map(({ path }) => path.split("/").slice(-2).join("/").split("?")[0]),
      ["virtualmachines/web-1", `persistentvolumeclaims/${rootClaimName(wanted)}`],
    );
  }));

for (const field of ["userData", "networkData"] as const)
  test(`${field} that is too long for that is denied, naming the right that is missing`, () =>
    onHarvester(async (stage) => {
      const connection = await stage.link({ secret: stage.sim.basicAccess.secret });
      const wanted = stage.want("web-1", { [field]: "x".repeat(2049) });
      const refused = await createRefusal(stage, connection, wanted);
      assert.equal(refused.kind, "denied");
      assert.equal(refused.reason, "PermissionMissing");
      assert.match(refused.message, new RegExp(`spec\\.${field} is longer than 2,048 bytes.*create, delete secrets`));
      assert.doesNotMatch(refused.message, /xxxx/);
      assert.deepEqual(stage.sim.leftovers(), []);
    }));

test("labels cannot change without the right to patch, which is named", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link({ secret: stage.sim.basicAccess.secret });
    await stage.up(connection, stage.want("web-1"));
    const refused = await createRefusal(stage, connection, stage.want("web-1", { labels: { other: "x" } }));
    assert.equal(refused.kind, "denied");
    assert.match(refused.message, /may not patch virtualmachines\.kubevirt\.io in namespace "default"/);
  }));

test("a right that is granted later is used after the next refusal", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link({ secret: stage.sim.basicAccess.secret });
    await stage.up(connection, stage.want("web-1"));
    const wanted = stage.want("web-2", { userData: "x".repeat(5000) });
    assert.equal((await createRefusal(stage, connection, wanted)).kind, "denied");
    await stage.admin.create(clusterRoleBinding, {
      metadata: { name: "more" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "simulated-butler" },
      subjects: [{ kind: "ServiceAccount", name: "butler-basic", namespace: "default" }],
    });
    await stage.up(connection, wanted);
  }));

test("W-20: where the image may not be read its class is storageClassName, else longhorn-<image>", () =>
  onHarvester(
    async (stage) => {
      const { secret } = stage.sim.basicAccess;
      const guess = await stage.link({ secret });
      const wanted = stage.want("web-1");
      const refused = await createRefusal(stage, guess, wanted).catch(() => undefined);
      if (refused === undefined) {
        // Harvester takes a class that does not exist, and says so when it makes the disk.
        await stage.pass(60_000);
        assert.notEqual((await guess.machines.find(wanted, stage.call())).have?.state, "running");
        await stage.deleteAll(guess, wanted);
      }
      const images = await stage.admin.raw(
        "GET",
        "/apis/harvesterhci.io/v1beta1/namespaces/default/virtualmachineimages/image-5rs6d",
      );
      const { status } = images.body as { status: { storageClassName: string } };
      assert.match(status.storageClassName, /^lh-/);
      const told = await stage.link({ secret, settings: { storageClassName: status.storageClassName } });
      await stage.up(told, wanted);
    },
    { harvester: "1.8" },
  ));

for (const harvester of ["1.2", "1.3", "1.4", "1.8"] as const)
  test(`W-20: on Harvester ${harvester} the class comes from the image, by its name and by its display name`, () =>
    onHarvester(
      async (stage) => {
        const connection = await stage.link();
        for (const [index, image] of ["default/image-5rs6d", "default/talos-v1.9.2", "talos-v1.9.2"].entries()) {
          const wanted = stage.want(`web-${index}`, { image });
          await stage.up(connection, wanted);
          await stage.deleteAll(connection, wanted);
        }
        assert.deepEqual(stage.sim.leftovers(), []);
      },
      { harvester },
    ));
