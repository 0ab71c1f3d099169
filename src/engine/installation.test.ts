// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { configMap, createClient, isNotFound } from "../kube/index.ts";
import { startPlane } from "../plane/plane.ts";
import { createInstallation } from "./installation.ts";
import { fixedRandom, raiseStage } from "./testing/stage.ts";

const stage = await raiseStage([]);
after(() => stage.stop());
const key = { namespace: "butler-system", name: "butler-installation" };
const { signal } = new AbortController();
const { client } = stage;

test("however many ask at once, all get the same id, and it stays", async () => {
  const all = Array.from({ length: 8 }, (_, seed) => createInstallation({ client, random: fixedRandom(seed + 1) }));
  const ids = await Promise.all(all.map((each) => each.id({ signal })));
  assert.equal(new Set(ids).size, 1);
  assert.match(ids[0] ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal((await client.get(configMap, key)).data?.id, ids[0]);
  assert.equal(await createInstallation({ client, random: fixedRandom(99) }).id({ signal }), ids[0]);
});

test("without its namespace it says what to install", async () => {
  const bare = await startPlane({ memory: true, listen: false });
  const user = { name: "admin", groups: ["system:masters", "system:authenticated"] };
  const own = createClient({ server: "http://plane" }, { transport: (request) => bare.handle({ ...request, user }) });
  await assert.rejects(createInstallation({ client: own, random: fixedRandom(1) }).id({ signal }), {
    kind: "unavailable",
    message: 'namespace "butler-system" does not exist; install what "butleradm manifests" prints',
  });
  await own.close();
  await bare.stop();
});

test("an id that was damaged is not replaced: that would disown every machine", async () => {
  await client.mergePatch(configMap, key, { data: { id: "oops" } });
  await assert.rejects(
    createInstallation({ client, random: fixedRandom(5) }).id({ signal }),
    /has no UUID in its key "id"/,
  );
  assert.equal((await client.get(configMap, key)).data?.id, "oops");
});

test("an id that is gone is put back from machines that were seen before it is from annotations alone", async () => {
  await client.delete(configMap, key);
  const [seen, forged] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
  const launchedWith = () => [
    { request: "evil/a", id: forged, wasSeen: false },
    { request: "evil/b", id: forged, wasSeen: false },
    { request: "ns/c", id: seen, wasSeen: true },
    { request: "ns/d", id: undefined, wasSeen: true },
  ];
  assert.equal(await createInstallation({ client, random: fixedRandom(5), launchedWith }).id({ signal }), seen);
});

test("an id that only annotations tell is not taken, for anybody may have written them", async () => {
  await client.delete(configMap, key);
  const id = "22222222-2222-4222-8222-222222222222";
  const launchedWith = () => [{ request: "evil/a", id, wasSeen: false }];
  await assert.rejects(createInstallation({ client, random: fixedRandom(5), launchedWith }).id({ signal }), {
    reason: "InstallationUnknown",
    message: /does not exist, .*: "evil\/a"\. .*\(their annotations say 22222222-2222-4222-8222-222222222222, which/,
  });
  await client.create(configMap, { metadata: key, data: { id } });
});

test("an id that is gone, and that nothing tells, is not replaced while there may be machines", async () => {
  await client.delete(configMap, key);
  const launchedWith = () =>
    ["a", "b", "c", "d"].map((name) => ({ request: `ns/${name}`, id: undefined, wasSeen: true }));
  const installation = createInstallation({ client, random: fixedRandom(5), launchedWith });
  await assert.rejects(installation.id({ signal }), {
    reason: "InstallationUnknown",
    message:
      /does not exist, and there are MachineRequests .*: "ns\/a", "ns\/b", "ns\/c" and 1 more\. Make it .*kubectl create configmap/,
  });
  await assert.rejects(client.get(configMap, key), isNotFound);
  await client.create(configMap, { metadata: key, data: { id: "33333333-3333-4333-8333-333333333333" } });
  assert.equal(await installation.id({ signal }), "33333333-3333-4333-8333-333333333333");
});
