// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { type MachineRequest, machineRequest } from "../api/index.ts";
import { finalizerOf } from "./identity.ts";
import { conditions, type LifeStage, raiseLifeStage } from "./testing/life-stage.ts";

async function told(stage: LifeStage, name: string): Promise<string> {
  const request = await stage.read(name);
  return `${request.status?.phase} ${conditions(request).join(" ")}`;
}

test("a create call that hangs is told when its time is up, and those behind it say that they wait for their turn", async () => {
  const stage = await raiseLifeStage();
  await stage.config({ limits: { maxConcurrentCreates: 1 } });
  await stage.settle(2_000);
  stage.cloud.inject({ on: "create", hangs: true });
  for (const name of ["a", "b", "c"]) await stage.request(name);
  await stage.settle(3 * 60_000);
  const all = await Promise.all(["a", "b", "c"].map((name) => told(stage, name)));
  const waits = "Pending Ready=False TooManyCreates Progressing=True TooManyCreates Degraded=False TooManyCreates";
  assert.ok(all.includes(waits), all.join("\n"));
  assert.ok(
    all.some((each) => each.includes("Degraded=True NoAnswer")),
    all.join("\n"),
  );
  await stage.stop();
});

for (const watches of [false, true])
  test(`an infrastructure that hangs is told within two minutes${watches ? ", where it is watched" : ""}`, async () => {
    const stage = await raiseLifeStage({ watches });
    stage.cloud.inject({ on: watches ? "watch" : "list", hangs: true });
    await stage.restart();
    await stage.request("web-1");
    await stage.settle(2 * 60_000);
    assert.match(await told(stage, "web-1"), watches ? /Degraded=True WatchFailed/ : /Degraded=True NoAnswer/);
    await stage.stop();
  });

test("a request that a provider holds which nobody runs says so, in life and in death", async () => {
  const stage = await raiseLifeStage();
  await stage.request("model");
  const { spec } = await stage.read("model");
  await stage.client.create<MachineRequest>(machineRequest, {
    metadata: { name: "moved", namespace: "butler-system", finalizers: [finalizerOf("nutanix")] },
    spec,
  });
  const said =
    "Ready=False ProviderNotSupported Progressing=False ProviderNotSupported Degraded=True ProviderNotSupported";
  await stage.settle(2_000);
  assert.equal(await told(stage, "moved"), `Pending ${said}`);
  const { lastError } = (await stage.read("moved")).status ?? {};
  assert.match(
    lastError?.message ?? "",
    /provider "nutanix"'s, .* take the finalizer off: kubectl edit machinerequest/,
  );
  await stage.remove("moved");
  await stage.settle(2_000);
  assert.equal(await told(stage, "moved"), `Deleting ${said}`);
  await stage.stop();
});

for (const isSeen of [true, false])
  test(`a machine that is to be deleted is called so before the first call ends${isSeen ? "" : ", also where it is not seen"}`, async () => {
    const stage = await raiseLifeStage();
    await stage.grow("web-1");
    if (!isSeen) stage.cloud.vanish("web-1");
    for (const on of ["find", "delete"] as const) stage.cloud.inject({ on, hangs: true });
    await stage.remove("web-1");
    await stage.settle(2_000);
    assert.equal(
      await told(stage, "web-1"),
      "Deleting Ready=False Deleting Progressing=True Deleting Degraded=False Deleting",
    );
    await stage.stop();
  });
