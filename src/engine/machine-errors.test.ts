// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderErrorParts } from "./provider-error.ts";
import { annotation, conditions, raiseLifeStage } from "./testing/life-stage.ts";

const DENIED: ProviderErrorParts = {
  kind: "denied",
  reason: "PermissionMissing",
  message: 'create machine "web-1": user may not create virtualmachines (403, request r-1)',
  code: "403",
  requestId: "r-1",
};
const EXHAUSTED: ProviderErrorParts = { kind: "exhausted", reason: "QuotaExceeded", message: "no room", code: "507" };
const INVALID: ProviderErrorParts = { kind: "invalid", reason: "ImageNotFound", message: 'image "x" not found' };
const UNAVAILABLE: ProviderErrorParts = { kind: "unavailable", reason: "ServerError", message: "503", code: "503" };

test("error handling: Failed phase on API errors of kind invalid, event recording, and recovery by itself", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const mend = cloud.inject({ on: "create", error: INVALID });
  await stage.request("web-1");
  const failed = await stage.phase("web-1", "Failed");
  assert.equal(failed.status?.failureReason, "ImageNotFound");
  assert.equal(failed.status?.failureMessage, 'image "x" not found');
  assert.equal(failed.status?.lastError?.kind, "invalid");
  assert.ok(failed.status?.lastError?.nextRetryTime);
  assert.deepEqual(conditions(failed), [
    "Ready=False ImageNotFound",
    "Progressing=False ImageNotFound",
    "Degraded=True ImageNotFound",
  ]);
  assert.deepEqual(await stage.events(), ['VMCreationFailed: image "x" not found']);
  mend();
  await stage.settle(11 * 60_000);
  const creating = await stage.phase("web-1", "Creating");
  assert.equal(creating.status?.failureReason, undefined);
  assert.equal(creating.status?.failureMessage, undefined);
  assert.equal(creating.status?.lastError, undefined);
  assert.equal(cloud.mostPerId(), 1);
  await stage.stop();
});

test("invalid: a spec edit is tried at once, as another attempt", async () => {
  const stage = await raiseLifeStage();
  const { cloud, clock } = stage;
  const mend = cloud.inject({ on: "create", error: INVALID });
  await stage.request("web-1", { image: "x" });
  const failed = await stage.phase("web-1", "Failed");
  mend();
  const since = clock.now();
  await stage.edit("web-1", { spec: { image: "y" } });
  const creating = await stage.phase("web-1", "Creating");
  assert.ok(clock.now() - since < 5_000);
  assert.equal(annotation(creating, "attempt"), "2");
  assert.equal(annotation(creating, "machineId"), annotation(failed, "machineId"));
  await stage.stop();
});

test("denied: the phase stays, the missing right is named, and another Secret is tried at once", async () => {
  const stage = await raiseLifeStage();
  const { cloud, clock } = stage;
  const mend = cloud.inject({ on: "create", error: DENIED });
  await stage.request("web-1");
  const waiting = await stage.when("web-1", "denied", ({ status }) => status?.lastError?.kind === "denied");
  assert.equal(waiting.status?.phase, "Pending");
  assert.deepEqual(conditions(waiting), [
    "Ready=False PermissionMissing",
    "Progressing=True Retrying",
    "Degraded=True PermissionMissing",
  ]);
  const { lastError } = waiting.status ?? {};
  assert.equal(lastError?.code, "403");
  assert.equal(lastError?.requestID, "r-1");
  assert.equal(lastError?.message, DENIED.message);
  mend();
  const since = clock.now();
  await stage.secret({ kubeconfig: "another" });
  await stage.phase("web-1", "Creating");
  assert.ok(clock.now() - since < 10_000, `${clock.now() - since}`);
  await stage.stop();
});

test("exhausted: waited out from one minute to ten, told once, the next try always in the status", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const mend = cloud.inject({ on: "create", error: EXHAUSTED });
  await stage.request("web-1");
  await stage.when("web-1", "exhausted", ({ status }) => status?.lastError?.kind === "exhausted");
  await stage.settle(30 * 60_000);
  const waiting = await stage.read("web-1");
  assert.equal(waiting.status?.phase, "Pending");
  const next = Date.parse(waiting.status?.lastError?.nextRetryTime ?? "");
  assert.ok(next > stage.clock.now() && next <= stage.clock.now() + 10 * 60_000);
  const tries = cloud.calls.filter((call) => call === "create web-1").length;
  assert.ok(tries >= 5 && tries <= 9, `${tries} tries in half an hour`);
  assert.equal((await stage.events()).length, 1);
  mend();
  await stage.settle(11 * 60_000);
  await stage.phase("web-1", "Creating");
  await stage.stop();
});

test("throttled: everything of the ProviderConfig slows down, and it is told after a minute of it", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const error: ProviderErrorParts = {
    kind: "throttled",
    reason: "TooManyRequests",
    message: "429",
    retryAfterMs: 40_000,
  };
  const mend = cloud.inject({ on: "create", error });
  await stage.request("web-1");
  await stage.until("throttled", () => cloud.calls.includes("create web-1"));
  const calls = cloud.calls.length;
  await stage.settle(30_000);
  assert.equal(cloud.calls.length, calls, "nothing is sent before the time that was asked for");
  assert.equal((await stage.read("web-1")).status?.lastError, undefined);
  await stage.settle(60_000);
  const told = await stage.read("web-1");
  assert.equal(told.status?.lastError?.kind, "throttled");
  assert.equal(told.status?.phase, "Pending");
  mend();
  await stage.phase("web-1", "Creating");
  await stage.stop();
});

test("unavailable: told after three in a row, and a flapping infrastructure costs no write per try", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  let id = 0;
  const flap = () => {
    id += 1;
    const error = { ...UNAVAILABLE, message: `503, request r-${id}`, requestId: `r-${id}` };
    cloud.inject({ on: "create", times: 1, error });
  };
  flap();
  await stage.request("web-1");
  for (let tries = 1; tries < 10; tries += 1) {
    await stage.until("tried", () => cloud.calls.filter((call) => call === "create web-1").length >= tries);
    flap();
    await stage.settle();
    const { status } = await stage.read("web-1");
    assert.equal(status?.lastError?.kind, tries < 3 ? undefined : "unavailable", `after ${tries}`);
    if (tries >= 3) assert.equal(status?.lastError?.requestID, "r-3");
  }
  const writes = stage.machineWrites().filter((write) => write === "PUT status");
  assert.deepEqual(writes, ["PUT status"]);
  assert.equal((await stage.events()).length, 1);
  await stage.stop();
});

test("internal: an id to grep for, the cause in the log alone", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  cloud.inject({ on: "create", times: 2, error: new TypeError("cannot read what is not there") });
  await stage.request("web-1");
  const told = await stage.when("web-1", "told", ({ status }) => status?.lastError?.kind === "internal");
  const [, reference = "none"] = /internal error ([0-9a-f]{8})/.exec(told.status?.lastError?.message ?? "") ?? [];
  assert.ok(!told.status?.lastError?.message?.includes("cannot read"));
  const line = stage.lines.find((each) => each.includes(reference));
  assert.match(line ?? "", /cannot read what is not there/);
  await stage.phase("web-1", "Creating");
  await stage.stop();
});

test("a call that hangs is given up after its time limit; other machines go on meanwhile", async () => {
  const stage = await raiseLifeStage();
  const { cloud, clock } = stage;
  cloud.inject({ on: "create", times: 1, hangs: true });
  await stage.request("web-1");
  await stage.until("hangs", () => cloud.calls.includes("create web-1"));
  await stage.request("web-2");
  await stage.phase("web-2", "Creating");
  assert.ok(clock.monotonic() < 30_000);
  await stage.phase("web-1", "Creating");
  assert.equal(cloud.machines.size, 2);
  await stage.stop();
});

test("no secret of the request gets into status, events or log, also when an error repeats it", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  const userData = "#cloud-config\npassword: hunter2hunter2";
  cloud.inject({ on: "create", error: { ...INVALID, message: `refused: ${userData}` } });
  await stage.request("web-1", { userData });
  const failed = await stage.phase("web-1", "Failed");
  const told = JSON.stringify([failed.status, await stage.events(), stage.lines]);
  assert.ok(!told.includes("hunter2"), told);
  await stage.stop();
});

test("deleting is never given up, whatever the kind of error, and says once per kind what is in the way", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  let mend = () => {};
  for (const error of [DENIED, { ...EXHAUSTED, reason: "Locked" }, INVALID]) {
    const next = cloud.inject({
      on: "delete",
      error: { ...error, message: `delete machine "web-1": ${error.reason}` },
    });
    mend();
    mend = next;
    if (error === DENIED) await stage.remove("web-1");
    const stuck = await stage.when("web-1", error.kind, ({ status }) => status?.lastError?.kind === error.kind);
    assert.equal(stuck.status?.phase, "Deleting");
    assert.ok(conditions(stuck).includes(`Degraded=True ${error.reason}`));
    await stage.settle(4 * 60_000);
    assert.ok(await stage.requestNow("web-1"));
  }
  mend();
  await stage.settle(11 * 60_000);
  await stage.gone("web-1");
  assert.equal(cloud.machines.size, 0);
  const failures = (await stage.events()).filter((each) => each.startsWith("VMDeletionFailed"));
  assert.equal(failures.length, 3);
  await stage.stop();
});
