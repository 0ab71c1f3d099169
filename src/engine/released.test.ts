// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { configMap } from "../kube/index.ts";
import { createReleased } from "./released.ts";
import { raiseStage } from "./testing/stage.ts";

const stage = await raiseStage([]);
after(() => stage.stop());
const { client, clock } = stage;
const { signal } = new AbortController();
const key = { namespace: "butler-system", name: "butler-released" };
const released = () => createReleased({ client, clock, namespace: "butler-system" });

test("machines that are let go of are written down one beside the other, at once or one after the other", async () => {
  assert.deepEqual(await released().ids({ signal }), new Set());
  const machine = (id: string) => ({ machineId: id, name: `m-${id}`, providerId: `vm-${id}`, why: "Retain" });
  await Promise.all(["a", "b", "c"].map((id) => released().record(machine(id), { signal })));
  await released().record(machine("d"), { signal });
  assert.deepEqual([...(await released().ids({ signal }))].sort(), ["a", "b", "c", "d"]);
  const { data } = await client.get(configMap, key);
  assert.deepEqual(JSON.parse(data?.a ?? ""), {
    name: "m-a",
    providerID: "vm-a",
    time: "2026-01-01T00:00:00.000Z",
    why: "Retain",
  });
});

test("to write one down again changes nothing", async () => {
  const before = await client.get(configMap, key);
  await clock.advance(60_000);
  await released().record({ machineId: "a", name: "other", why: "abandon" }, { signal });
  assert.equal((await client.get(configMap, key)).metadata.resourceVersion, before.metadata.resourceVersion);
});
