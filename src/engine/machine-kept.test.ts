// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { machineRequest } from "../api/index.ts";
import { configMap, namespace, writeStatus } from "../kube/index.ts";
import { ANNOTATIONS } from "./identity.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import { annotation, conditions, type LifeStage, raiseLifeStage } from "./testing/life-stage.ts";
import { fixedRandom } from "./testing/stage.ts";

/** What `kubectl replace` does with a manifest that has neither annotations nor finalizers. */
async function strip({ client, read }: LifeStage, name: string, changes: object = {}): Promise<void> {
  const { apiVersion, kind, metadata, spec } = await read(name);
  const { namespace: place = "", resourceVersion = "", uid = "" } = metadata;
  await client.update(machineRequest, {
    apiVersion,
    kind,
    metadata: { name, namespace: place, resourceVersion, uid },
    spec: { ...spec, ...changes },
  });
}

for (const isKilled of [false, true])
  test(`a part that is left does not prove that the machine was there${isKilled ? ", after a kill" : ""}`, async () => {
    const stage = await raiseLifeStage();
    const { cloud } = stage;
    cloud.inject({ on: "create", times: 1, lateMs: 20_000 });
    cloud.inject({ on: "create" });
    const request = await stage.request("web-1");
    await stage.until("create sent", () => cloud.calls.includes("create web-1"));
    const machineId = annotation(await stage.read("web-1"), "machineId") ?? "";
    const { data } = await stage.client.get(configMap, { namespace: "butler-system", name: "butler-installation" });
    const mark = { machineId, installation: data?.id ?? "", attempt: 1, launch: "", owner: "butler-system/web-1" };
    cloud.disks.set("web-1", {
      name: request.spec.machineName,
      mark,
      providerId: undefined,
      state: "remains",
      addresses: [],
      labels: {},
    });
    if (isKilled) stage.kill();
    await stage.remove("web-1");
    await stage.gone("web-1");
    await stage.settle(60_000);
    assert.deepEqual([...cloud.machines.keys(), ...cloud.disks.keys()], [], "the late machine must not be left");
    await stage.stop();
  });

test("a forged launch makes nothing with a ProviderConfig that the namespace may not use", async () => {
  for (const ref of [
    { name: "prod", namespace: "butler-system" },
    { name: "private", namespace: "team-a" },
  ])
    for (const whole of [false, true]) {
      const stage = await raiseLifeStage();
      const { client, cloud, clock } = stage;
      await client.create(namespace, { metadata: { name: "evil" } });
      await client.create(namespace, {
        metadata: { name: "team-a", labels: { "butler.butlerlabs.dev/team": "a" } },
      });
      await stage.secret(undefined, { name: "credentials", namespace: "team-a" });
      const scope = { type: "team", teamRef: { name: "a" } } as const;
      await stage.config({ scope, harvester: { namespace: "secret" } }, { name: "private", namespace: "team-a" });
      await stage.settle(2_000);
      const launch = {
        time: new Date(clock.now()).toISOString(),
        hash: whole ? "0123456789abcdef" : "",
        providerConfig: "team-a/private",
        place: whole ? "harvester secret" : "",
        owner: "evil/thief",
      };
      const annotations = {
        [ANNOTATIONS.machineId]: randomUUID(),
        [ANNOTATIONS.attempt]: "1",
        [ANNOTATIONS.launch]: JSON.stringify(launch),
      };
      await client.create(machineRequest, {
        metadata: { name: "thief", namespace: "evil", annotations },
        spec: {
          providerRef: ref,
          machineName: "thief",
          role: "worker",
          cpu: 2,
          memoryMB: 2048,
          diskGB: 20,
          deletionPolicy: "Delete",
        },
      });
      await stage.settle(5 * 60_000);
      const made = stage.lines.filter((line) => line.includes("create machine") && line.includes("team-a/private"));
      assert.deepEqual(made, [], `${ref.namespace}, ${whole ? "whole" : "not whole"}`);
      const told = JSON.stringify((await stage.requestNow("thief", "evil"))?.status);
      if (!whole)
        assert.doesNotMatch(told, /harvester secret/, "where others have their machines is nobody's business");
      // Whether there is a machine is left open: it may have been made when the namespace was the team's.
      assert.equal(cloud.machines.size, 0);
      assert.match(told, /"ProviderConfigNotAllowed"/);
      await stage.stop();
    }
});

test("a launch that somebody damaged is read again from the machine's own mark", async () => {
  const stage = await raiseLifeStage();
  const grown = await stage.grow("web-1");
  await stage.annotate("web-1", { [ANNOTATIONS.launch]: "{}" });
  const mended = await stage.when("web-1", "mended", (request) => annotation(request, "launch") !== "{}");
  const { hash, place } = JSON.parse(annotation(grown, "launch") ?? "");
  const now = JSON.parse(annotation(mended, "launch") ?? "");
  assert.deepEqual({ hash: now.hash, place: now.place }, { hash, place });
  assert.deepEqual(
    [...stage.cloud.machines.values()].map(({ providerId }) => providerId),
    ["id-1"],
  );
  await stage.stop();
});

for (const isRestarted of [false, true])
  test(`a request that was replaced finds its machine again${isRestarted ? ", after a restart" : ""}`, async () => {
    const stage = await raiseLifeStage();
    const grown = await stage.grow("web-1");
    if (isRestarted) await stage.restart();
    await stage.settle(10_000);
    await strip(stage, "web-1");
    await stage.settle(60_000);
    const found = await stage.read("web-1");
    assert.equal(annotation(found, "machineId"), annotation(grown, "machineId"));
    assert.deepEqual(found.metadata.finalizers, grown.metadata.finalizers);
    assert.equal(found.status?.phase, "Running");
    assert.deepEqual(conditions(found), conditions(grown));
    assert.deepEqual(
      stage.cloud.calls.filter((each) => each.startsWith("create")),
      ["create web-1"],
    );
    await stage.remove("web-1");
    await stage.gone("web-1");
    assert.equal(stage.cloud.machines.size, 0);
    await stage.stop();
  });

test("a request that was replaced before its machine was recorded, and is to have another name, has one machine", async () => {
  const stage = await raiseLifeStage();
  stage.cloud.inject({ on: "create", times: 1, isAfter: true });
  await stage.request("web-1");
  await stage.until("made", () => stage.cloud.machines.size > 0);
  await strip(stage, "web-1", { machineName: "web-2" });
  await stage.until("another", () => stage.cloud.machines.has("web-2"));
  await stage.settle(60_000);
  assert.deepEqual([...stage.cloud.machines.keys()], ["web-2"]);
  assert.equal(stage.cloud.mostPerId(), 1);
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.equal(stage.cloud.machines.size, 0);
  await stage.stop();
});

test("a machine whose request lost its id before it was recorded is taken on by its owner", async () => {
  const stage = await raiseLifeStage();
  const grown = await stage.grow("web-1");
  await stage.manager.stop();
  await strip(stage, "web-1");
  const { signal } = new AbortController();
  await writeStatus(await stage.read("web-1"), {
    client: stage.client,
    kind: machineRequest,
    signal,
    change: () => ({ phase: "Pending" as const }),
  });
  await stage.restart();
  const found = await stage.phase("web-1", "Running");
  assert.equal(annotation(found, "machineId"), annotation(grown, "machineId"));
  await stage.remove("web-1");
  await stage.gone("web-1");
  assert.equal(stage.cloud.machines.size, 0);
  await stage.stop();
});

test("a launch that was removed does not let a deleted request leave its machine behind", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await stage.manager.stop();
  await stage.annotate("web-1", { [ANNOTATIONS.launch]: null });
  await stage.remove("web-1");
  await stage.restart();
  await stage.gone("web-1");
  assert.equal(stage.cloud.machines.size, 0);
  await stage.stop();
});

test("a machine that lost its mark is neither lost nor gone", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const grown = await stage.grow("web-1");
  const own = cloud.machines.get("web-1")?.mark;
  assert.ok(own);
  cloud.change("web-1", { mark: { ...own, machineId: "", installation: "" } });
  const told = await stage.when("web-1", "told", (request) =>
    conditions(request).includes("Degraded=True NameConflict"),
  );
  assert.equal(told.status?.phase, "Running");
  assert.match(told.status?.lastError?.message ?? "", /is the machine of this MachineRequest.* put its labels.* back/);
  await stage.remove("web-1");
  await stage.settle(10 * 60_000);
  const waits = await stage.read("web-1");
  assert.equal(waits.status?.phase, "Deleting");
  assert.ok(conditions(waits).includes("Degraded=True NameConflict"), conditions(waits).join());
  assert.ok(waits.status?.lastError?.message?.includes(`abandon=${annotation(grown, "machineId")}`));
  cloud.change("web-1", { mark: own });
  await stage.gone("web-1");
  assert.equal(cloud.machines.size, 0);
  await stage.stop();
});

test("an installation's id that was deleted is put back from the launches", async () => {
  const stage = await raiseLifeStage();
  const key = { namespace: "butler-system", name: "butler-installation" };
  await stage.grow("web-1");
  const before = await stage.client.get(configMap, key);
  await stage.client.delete(configMap, key);
  await stage.manager.stop();
  stage.run("harvester", { random: fixedRandom(99) });
  await stage.settle(5 * 60_000);
  assert.deepEqual((await stage.client.get(configMap, key)).data, before.data);
  assert.equal((await stage.read("web-1")).status?.phase, "Running");
  await stage.stop();
});

test("labels that are edited do not rebuild a machine that an outsider removed", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await stage.settle(5 * 60_000);
  stage.cloud.vanish("web-1");
  await stage.edit("web-1", { spec: { labels: { a: "b" } } });
  const lost = await stage.phase("web-1", "Failed");
  assert.equal(lost.status?.failureReason, "VMLost");
  assert.equal(stage.cloud.machines.size, 0);
  await stage.stop();
});

test("a replacement that was begun is finished, also when the edit is taken back", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.request("web-1");
  await stage.settle(21 * 60_000);
  cloud.deletesSlowly = true;
  await stage.edit("web-1", { spec: { cpu: 4 } });
  await stage.until("deleting", () => cloud.machines.get("web-1")?.state === "deleting");
  await stage.edit("web-1", { spec: { cpu: 2 } });
  await stage.settle(3_000);
  cloud.vanish("web-1");
  const anew = await stage.phase("web-1", "Creating");
  assert.equal(annotation(anew, "attempt"), "2");
  assert.equal(cloud.machines.get("web-1")?.providerId, "id-2");
  assert.ok(!(await stage.events()).some((each) => each.startsWith("VMLost")));
  await stage.stop();
});

for (const isLaunchForged of [false, true])
  test(`an attempt written by hand${isLaunchForged ? ", also in the launch," : ""} does not delete a machine that runs`, async () => {
    const stage = await raiseLifeStage();
    const grown = await stage.grow("web-1");
    const launch = { ...JSON.parse(annotation(grown, "launch") ?? ""), attempt: 5 };
    await stage.annotate("web-1", {
      [ANNOTATIONS.attempt]: "5",
      ...(isLaunchForged ? { [ANNOTATIONS.launch]: JSON.stringify(launch) } : {}),
    });
    await stage.settle(5 * 60_000);
    assert.equal((await stage.read("web-1")).status?.phase, "Running");
    assert.deepEqual(
      stage.cloud.calls.filter((each) => each.startsWith("delete")),
      [],
    );
    assert.equal(stage.cloud.machines.get("web-1")?.providerId, "id-1");
    await stage.stop();
  });

test("a recorded machine keeps its phase where its finalizer and its ProviderConfig are gone", async () => {
  const stage = await raiseLifeStage();
  await stage.grow("web-1");
  await stage.manager.stop();
  const key = { namespace: "butler-system", name: "prod" };
  await stage.client.delete(providerConfigDescriptor, key);
  await stage.client.mergePatch(providerConfigDescriptor, key, { metadata: { finalizers: [] } });
  await stage.edit("web-1", { metadata: { finalizers: [] } });
  await stage.restart();
  await stage.settle(60_000);
  const told = await stage.read("web-1");
  assert.equal(told.status?.phase, "Running");
  assert.ok(conditions(told).includes("Degraded=True ProviderConfigNotFound"), conditions(told).join());
  await stage.stop();
});
