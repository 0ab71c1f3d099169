// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckReport, Finding } from "./provider.ts";
import { blockedBy, type ConfigKnowledge, providerConfigStatus } from "./provider-config-status.ts";
import { ProviderError } from "./provider-error.ts";
import type { UsedConfig } from "./used-config.ts";

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

function known(outcome: ConfigKnowledge["outcome"], more: Partial<ConfigKnowledge> = {}): ConfigKnowledge {
  const config = {
    key: "butler-system/prod",
    object: { metadata: { name: "prod", generation: 3 } },
    warnings: [],
    isDeleting: false,
  } as unknown as UsedConfig;
  return { config, outcome, machines: undefined, neededBy: [], closed: undefined, checkedAtMs: NOW, ...more };
}

const finding = (more: Partial<Finding>): Finding => ({
  condition: "ImageAvailable",
  result: "fine",
  reason: "Imported",
  message: "fine",
  isBlocking: true,
  ...more,
});
const checked = (findings: readonly Finding[], more: Partial<CheckReport> = {}): ConfigKnowledge["outcome"] => ({
  state: "checked",
  report: { findings, ...more },
});
const refused = (kind: ProviderError["kind"]): ConfigKnowledge["outcome"] => ({
  state: "refused",
  error: new ProviderError({ kind, reason: "Because", message: "so it is" }),
});
const status = (knowledge: ConfigKnowledge, before?: ReturnType<typeof providerConfigStatus>, now = NOW) =>
  providerConfigStatus(before, knowledge, { now });
const said = (of: ReturnType<typeof providerConfigStatus>, type: string) => {
  const { status: is, reason, message } = of.conditions?.find((each) => each.type === type) ?? {};
  return [is, reason, message];
};

test("of several findings about one thing the worst speaks, and those as bad as it along with it", () => {
  const now = status(
    known(
      checked([
        finding({}),
        finding({ result: "failed", reason: "NotFound", message: "one is missing" }),
        finding({ result: "failed", reason: "Broken", message: "one is broken" }),
        finding({ condition: "NetworkAvailable", result: "unverified", reason: "NotReadable", message: "unknown" }),
      ]),
    ),
  );
  assert.deepEqual(said(now, "ImageAvailable"), ["False", "NotFound", "one is missing; one is broken"]);
  assert.deepEqual(said(now, "NetworkAvailable"), ["Unknown", "NotReadable", "unknown"]);
  assert.deepEqual(said(now, "Ready"), ["False", "NotFound", "one is missing; one is broken"]);
  assert.deepEqual([now.ready, now.validated, now.observedGeneration], [false, false, 3]);
});

test("what failed and does not matter for machines leaves it ready", () => {
  const now = status(known(checked([finding({ result: "failed", isBlocking: false })], { providerVersion: "v2" })));
  assert.deepEqual([now.ready, now.validated, now.providerVersion], [true, true, "v2"]);
});

test("credentials that are refused are not valid, and the rest is not known any more", () => {
  const before = status(known(checked([finding({})])));
  const now = status(known(refused("denied")), before);
  assert.deepEqual(said(now, "CredentialsValid"), ["False", "Because", "so it is"]);
  assert.deepEqual(said(now, "ImageAvailable").slice(0, 2), ["Unknown", "NotChecked"]);
  assert.deepEqual([now.ready, now.validated], [false, false]);
});

test("an infrastructure that is away makes it unready and leaves what was found before", () => {
  const before = status(known(checked([finding({})])));
  const now = status(known(refused("unavailable")), before);
  assert.equal(said(now, "ImageAvailable")[0], "True");
  assert.deepEqual([now.ready, now.validated], [false, true]);
});

test("times alone are written every ten minutes; the very status comes back until then", () => {
  const knowledge = known(checked([finding({})]), { machines: { total: 2, running: 1 } });
  const before = status(knowledge);
  const later = (minutes: number) =>
    status({ ...knowledge, checkedAtMs: NOW + minutes * MINUTE }, before, NOW + minutes * MINUTE);
  assert.equal(later(9), before);
  assert.equal(later(11).lastProbeTime, "2026-01-01T00:11:00Z");
  assert.notEqual(status({ ...knowledge, machines: { total: 2, running: 2 } }, before, NOW + MINUTE), before);
});

test("fields of others stay, and so do transition times where nothing turned", () => {
  const before = { ...status(known(checked([finding({})]))), capacity: { availableIPs: 7 } };
  const now = status(known(refused("unavailable")), before, NOW + MINUTE);
  assert.deepEqual(now.capacity, { availableIPs: 7 });
  assert.equal(
    now.conditions?.find(({ type }) => type === "ImageAvailable")?.lastTransitionTime,
    "2026-01-01T00:00:00Z",
  );
  assert.equal(now.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime, "2026-01-01T00:01:00Z");
});

test("those who keep it are named, the first three, and counted", () => {
  assert.equal(blockedBy(["a/x"]), "MachineRequest a/x needs it until its machine is gone; delete that first");
  assert.equal(
    blockedBy(["a/e", "a/d", "a/c", "a/b", "a/a"]),
    "5 MachineRequests need it until their machines are gone: a/a, a/b, a/c and 2 more; delete those first",
  );
});
