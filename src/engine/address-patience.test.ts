// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { awaitIpv4 } from "./address-patience.ts";
import type { MachineHave } from "./provider.ts";

const mark = { machineId: "", installation: "", attempt: 1, launch: "", owner: "" };

function running(...addresses: string[]): MachineHave {
  return { name: "a", mark, providerId: "1", state: "running", addresses, labels: {} };
}

test("a machine that comes up with IPv6 alone is given ten seconds for its IPv4 address, and then runs on IPv6", () => {
  const record = { onlyIpv6Since: undefined };
  const at = (now: number) => awaitIpv4(running("fd00::1"), { record, hasRun: false, now });
  assert.deepEqual(at(1000), { have: running(), countsInMs: 10_000 });
  assert.deepEqual(at(6000), { have: running(), countsInMs: 5000 });
  assert.deepEqual(at(11_000), { have: running("fd00::1") });
});

test("nothing is held back where there is an IPv4 address, where the machine has run before, or where it has none at all", () => {
  const both = running("10.0.0.1", "fd00::1");
  assert.deepEqual(awaitIpv4(both, { record: { onlyIpv6Since: 1 }, hasRun: false, now: 2 }), { have: both });
  const six = running("fd00::1");
  assert.deepEqual(awaitIpv4(six, { record: { onlyIpv6Since: undefined }, hasRun: true, now: 2 }), { have: six });
  assert.deepEqual(awaitIpv4(running(), { record: { onlyIpv6Since: undefined }, hasRun: false, now: 2 }), {
    have: running(),
  });
});
