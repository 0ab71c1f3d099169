// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MachineRequest } from "../../src/api/index.ts";
import { event } from "../../src/kube/index.ts";
import { type BadInput, badInputs, CANARY } from "./bad-input.ts";
import { type HarvesterLife, onHarvesterLife } from "./harvester-life.ts";

const condition = ({ status }: MachineRequest, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

/** Everything that people or log collectors get to see. */
async function seenBy({ client, lines, plane }: HarvesterLife): Promise<string> {
  const { items } = await client.list(event);
  const statuses = [...plane.dump().values()].map((object) => ("status" in object ? object.status : undefined));
  return JSON.stringify([items, statuses, lines]);
}

async function play(bad: BadInput, life: HarvesterLife): Promise<void> {
  const { spec = {}, namespace = "butler-system", breaks, mends, phase, reason, says, minutes = 3 } = bad;
  await breaks?.(life);
  // What was found before is looked at again by then.
  await life.settle(2_000);
  await life.request("web-1", { userData: `#cloud-config\n# ${CANARY}\n`, ...spec }, { namespace });
  const read = async () => {
    const request = await life.requestNow("web-1", namespace);
    assert.ok(request);
    return request;
  };
  const isTold = async () => condition(await read(), "Degraded")?.reason === reason;
  await life.until(`told ${reason}`, isTold).catch(async (error: unknown) => {
    throw new Error(`${error}\n${JSON.stringify((await read()).status, null, 1)}`);
  });
  await life.settle(30_000);
  const told = await read();
  const ready = condition(told, "Ready");
  assert.equal(told.status?.phase, phase);
  assert.deepEqual([ready?.status, ready?.reason], ["False", reason]);
  assert.match(ready?.message ?? "", says);
  assert.equal(told.status?.failureReason, phase === "Failed" ? reason : undefined);
  const warnings = (await life.events("web-1")).filter((each) => each.startsWith("Warning"));
  assert.equal(warnings.length, 1, warnings.join("\n"));
  assert.match(warnings[0]?.replace(/^Warning \w+: /, "") ?? "", says);
  await mends(life);
  const started = life.clock.monotonic();
  while ((await read()).status?.phase !== "Running") {
    const passed = life.clock.monotonic() - started;
    assert.ok(passed <= minutes * 60_000, `not mended: ${JSON.stringify((await read()).status, null, 1)}`);
    await life.settle(1_000);
  }
  const mended = await read();
  assert.deepEqual(
    ["Ready", "Degraded"].map((type) => condition(mended, type)?.status),
    ["True", "False"],
  );
  assert.deepEqual([mended.status?.failureReason, mended.status?.lastError], [undefined, undefined]);
  assert.doesNotMatch(await seenBy(life), new RegExp(CANARY));
}

for (const bad of badInputs)
  test(`bad input: ${bad.what}: one clear message, one event, and it recovers by itself`, () =>
    onHarvesterLife((life) => play(bad, life)));

const REFUSED: readonly (readonly [what: string, changes: object, says: RegExp])[] = [
  ...["providerRef", "machineName", "role", "cpu", "memoryMB", "diskGB"].map(
    (field) => [`no ${field}`, { [field]: undefined }, new RegExp(`spec\\.${field}: Required value`)] as const,
  ),
  ["a machineName that is no DNS label", { machineName: "Web_1" }, /spec\.machineName: Invalid value/],
  ["a role that does not exist", { role: "master" }, /spec\.role: Unsupported value: "master"/],
  ["no CPU", { cpu: 0 }, /spec\.cpu: .*greater than or equal to 1/],
  ["too many CPUs", { cpu: 129 }, /spec\.cpu: .*less than or equal to 128/],
  ["too little memory", { memoryMB: 512 }, /spec\.memoryMB: .*greater than or equal to 1024/],
  ["too small a disk", { diskGB: 5 }, /spec\.diskGB: .*greater than or equal to 10/],
  ["an extra disk without size", { extraDisks: [{}] }, /spec\.extraDisks\[0\]\.sizeGB: Required value/],
  ["an address that is none", { network: { address: "10.0.0.256" } }, /spec\.network\.address/],
  ["a deletionPolicy that does not exist", { deletionPolicy: "Keep" }, /spec\.deletionPolicy: Unsupported value/],
];

test("bad input that the schema knows is refused by the API server, by the field's name", () =>
  onHarvesterLife(async (life) => {
    for (const [what, changes, says] of REFUSED)
      await assert.rejects(life.request("web-1", changes), (error: Error) => {
        assert.match(error.message, says, what);
        return true;
      });
    await assert.rejects(life.config({ harvester: {} }), /spec\.harvester\.networkName: Required value/);
    await assert.rejects(life.config({ provider: "vsphere" }), /spec\.provider: Unsupported value: "vsphere"/);
    assert.equal(await life.requestNow("web-1"), undefined);
  }));
