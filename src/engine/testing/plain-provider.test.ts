// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditions, raiseLifeStage } from "./life-stage.ts";

test("a watch tells only of machines at its own place", async () => {
  const stage = await raiseLifeStage({ watches: true });
  await stage.config({ harvester: { namespace: "other" }, limits: { maxMachines: 1 } }, { name: "second" });
  await stage.settle(2_000);
  await stage.grow("web-1");
  await stage.request("web-2", { providerRef: { name: "second" } });
  await stage.settle(10_000);
  assert.ok(stage.cloud.machines.has("web-2 at harvester other"), conditions(await stage.read("web-2")).join());
  await stage.stop();
});
