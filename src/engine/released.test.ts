// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ApiError, configMap, namespace as namespaceKind } from "../kube/index.ts";
import { createReleased, isReleased } from "./released.ts";
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

test("what is read while one is written down is not kept, and who asks for what is so now gets that", async () => {
  const [list, other] = [released(), released()];
  await other.ids({ signal });
  const [before] = await Promise.all([
    list.ids({ signal }),
    list.record({ machineId: "now", name: "m", why: "Retain" }, { signal }),
  ]);
  assert.ok(!before.has("now"), "it was read before");
  assert.ok((await list.ids({ signal })).has("now"));
  assert.ok(!(await other.ids({ signal })).has("now"), "ten seconds are good enough for most");
  assert.ok((await other.ids({ signal, isFresh: true })).has("now"));
});

test("to write one down again changes nothing", async () => {
  const before = await client.get(configMap, key);
  await clock.advance(60_000);
  await released().record({ machineId: "a", name: "other", why: "abandon" }, { signal });
  assert.equal((await client.get(configMap, key)).metadata.resourceVersion, before.metadata.resourceVersion);
});

test("where one ConfigMap is full another is begun, and both are read", async () => {
  const full = "x".repeat(1024 * 1024 - 1_000);
  await client.mergePatch(configMap, key, { data: { filler: full } });
  const machine = (id: string) => ({ machineId: id, name: `m-${id}`, providerId: "y".repeat(600), why: "Retain" });
  await released().record(machine("e"), { signal });
  await released().record(machine("f"), { signal });
  const second = await client.get(configMap, { ...key, name: "butler-released-2" });
  assert.deepEqual(Object.keys(second.data ?? {}), ["e", "f"]);
  const ids = await released().ids({ signal });
  assert.ok(ids.has("a") && ids.has("e") && ids.has("f"));
});

test("what cannot be written down in a namespace is written down in butler-system, and known in both", async () => {
  await client.create(namespaceKind, { metadata: { name: "going", finalizers: ["example.com/slow"] } });
  await client.delete(namespaceKind, { name: "going" });
  const machine = (id: string) => ({ machineId: id, name: "m", why: "Retain" });
  const refused = createReleased({ client, clock, namespace: "going" });
  await refused.record(machine("g"), { signal });
  assert.ok((await refused.ids({ signal })).has("g"));
  await createReleased({ client, clock, namespace: "never-there" }).record(machine("h"), { signal });
  await clock.advance(60_000);
  const ids = await released().ids({ signal });
  assert.ok(ids.has("g") && ids.has("h"));
});

test("nothing is written down in a namespace that takes its ConfigMaps along", async () => {
  await client.create(namespaceKind, { metadata: { name: "ending" } });
  const ending = createReleased({ client, clock, namespace: "ending", isEnding: () => true });
  await ending.record({ machineId: "i", name: "m", why: "Retain" }, { signal });
  assert.deepEqual((await client.list(configMap, { namespace: "ending" })).items, []);
  assert.ok((await ending.ids({ signal })).has("i"));
});

test("what a team lets go of is written down in butler-system too, unless that is full", async () => {
  for (const name of ["team-a", "team-b"]) await client.create(namespaceKind, { metadata: { name } });
  const keep = (namespace: string, machineId: string) =>
    createReleased({ client, clock, namespace }).record({ machineId, name: "m", why: "Retain" }, { signal });
  await keep("team-a", "j");
  assert.ok((await createReleased({ client, clock, namespace: "team-b" }).ids({ signal })).has("j"));
  const full: typeof client = {
    ...client,
    mergePatch: async (kind, patched, ...rest) => {
      if (patched.namespace === "butler-system")
        throw new ApiError({ status: 413, reason: "RequestEntityTooLarge", message: "too large" });
      return await client.mergePatch(kind, patched, ...rest);
    },
    create: async (kind, draft, ...rest) => {
      if (draft.metadata.namespace === "butler-system")
        throw new ApiError({ status: 409, reason: "AlreadyExists", message: "is there" });
      return await client.create(kind, draft, ...rest);
    },
  };
  await createReleased({ client: full, clock, namespace: "team-a" }).record(
    { machineId: "k", name: "m", why: "Retain" },
    { signal },
  );
  assert.ok((await createReleased({ client, clock, namespace: "team-a" }).ids({ signal })).has("k"));
  const system = createReleased({ client: full, clock, namespace: "butler-system" });
  await assert.rejects(system.record({ machineId: "l", name: "m", why: "Retain" }, { signal }), /are full/);
});

test("a machine whose id was not known is known again by its owner and its providerID together", async () => {
  const machine = { machineId: "of-request-1", owner: "apps/web", name: "web", providerId: "vm-web", why: "abandon" };
  await released().record(machine, { signal });
  await client.mergePatch(configMap, key, { data: { "by-hand": "not JSON" } });
  const ids = await released().ids({ signal });
  assert.ok(isReleased(ids, { machineId: "another", owner: "apps/web", providerId: "vm-web" }));
  assert.ok(!isReleased(ids, { machineId: "another", owner: "apps/other", providerId: "vm-web" }));
  assert.ok(!isReleased(ids, { machineId: "another", owner: "apps/web" }));
});
